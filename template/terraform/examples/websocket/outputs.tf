output "websocket_url" {
  description = "URL of the WebSocket API"
  value       = aws_apigatewayv2_stage.websocket.invoke_url
}

output "authorizer_function_arn" {
  description = "ARN of the authorizer, for authorizers of other APIs; each needs a permission to invoke it"
  value       = module.authorizer.function_arn
}
