output "rest_url" {
  value = "${aws_api_gateway_stage.rest.invoke_url}/me"
}

output "rest_request_url" {
  value = "${aws_api_gateway_stage.rest.invoke_url}/me/request"
}

output "http_urls" {
  value = { for form, api in aws_apigatewayv2_api.http : form => "${api.api_endpoint}/me" }
}

output "websocket_url" {
  value = aws_apigatewayv2_stage.websocket.invoke_url
}

# The functions, for authorizers of other APIs; each needs a permission to invoke one.
output "authorizer_function_arns" {
  value = { for form, function in aws_lambda_function.authorizer : form => function.arn }
}
