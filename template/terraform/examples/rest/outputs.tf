output "rest_url" {
  description = "URL of the route behind the TOKEN authorizer"
  value       = "${aws_api_gateway_stage.rest.invoke_url}/me"
}

output "rest_request_url" {
  description = "URL of the route behind the REQUEST authorizer"
  value       = "${aws_api_gateway_stage.rest.invoke_url}/me/request"
}

output "authorizer_function_arn" {
  description = "ARN of the authorizer, for authorizers of other APIs; each needs a permission to invoke it"
  value       = module.authorizer.function_arn
}
