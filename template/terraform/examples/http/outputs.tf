output "http_url" {
  description = "URL of the guarded route"
  value       = "${aws_apigatewayv2_api.http.api_endpoint}/me"
}

output "authorizer_function_arn" {
  description = "ARN of the authorizer, for authorizers of other APIs; each needs a permission to invoke it"
  value       = module.authorizer.function_arn
}
