output "function_arn" {
  description = "ARN of the function, for APIs of other configurations; each needs a permission to invoke it"
  value       = aws_lambda_function.authorizer.arn
}

output "function_name" {
  description = "Name of the function"
  value       = aws_lambda_function.authorizer.function_name
}

output "invoke_arn" {
  description = "URI of the function, for authorizer_uri of an API"
  value       = aws_lambda_function.authorizer.invoke_arn
}

output "role_name" {
  description = "Name of the function's role"
  value       = aws_iam_role.function.name
}

output "log_group_name" {
  description = "Name of the function's log group"
  value       = aws_cloudwatch_log_group.function.name
}
