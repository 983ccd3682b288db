output "function_arn" {
  description = "ARN of the function"
  value       = aws_lambda_function.identity.arn
}

output "function_name" {
  description = "Name of the function"
  value       = aws_lambda_function.identity.function_name
}

output "invoke_arn" {
  description = "URI of the function, for integrations of an API"
  value       = aws_lambda_function.identity.invoke_arn
}

output "role_name" {
  description = "Name of the function's role"
  value       = aws_iam_role.function.name
}

output "log_group_name" {
  description = "Name of the function's log group"
  value       = aws_cloudwatch_log_group.function.name
}

output "table_name" {
  description = "Name of the table of users, used nonces and revocations"
  value       = aws_dynamodb_table.users.name
}

output "table_arn" {
  description = "ARN of the table"
  value       = aws_dynamodb_table.users.arn
}
