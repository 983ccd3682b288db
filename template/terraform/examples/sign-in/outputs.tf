output "http_url" {
  description = "URL of the API, to which clients add the routes"
  value       = aws_apigatewayv2_api.http.api_endpoint
}

output "notifications_url" {
  description = "For Apple's developer portal, Server-to-Server Notification Endpoint"
  value       = "${aws_apigatewayv2_api.http.api_endpoint}/auth/apple/notifications"
}

output "user_table_name" {
  description = "Name of the table of users"
  value       = module.authorizer.user_table_name
}

output "authorizer_function_arn" {
  description = "ARN of the authorizer, for authorizers of other APIs; each needs a permission to invoke it"
  value       = module.authorizer.function_arn
}
