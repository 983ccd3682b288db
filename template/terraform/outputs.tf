output "function_arn" {
  description = "ARN of the authorizer, for APIs of other configurations; each needs a permission to invoke it"
  value       = module.authorizer.function_arn
}

output "function_name" {
  description = "Name of the authorizer function"
  value       = module.authorizer.function_name
}

output "invoke_arn" {
  description = "URI of the authorizer, for authorizer_uri of an API"
  value       = module.authorizer.invoke_arn
}

output "role_name" {
  description = "Name of the authorizer's role"
  value       = module.authorizer.role_name
}

output "log_group_name" {
  description = "Name of the authorizer's log group"
  value       = module.authorizer.log_group_name
}

output "sign_in_function_arn" {
  description = "ARN of the function for sign-in; null without sign_in"
  value       = one(module.identity[*].function_arn)
}

output "sign_in_function_name" {
  description = "Name of the function for sign-in; null without sign_in"
  value       = one(module.identity[*].function_name)
}

output "sign_in_invoke_arn" {
  description = "URI of the function for sign-in, for integrations of an API; null without sign_in"
  value       = one(module.identity[*].invoke_arn)
}

output "sign_in_role_name" {
  description = "Name of the role of the function for sign-in; null without sign_in"
  value       = one(module.identity[*].role_name)
}

output "sign_in_log_group_name" {
  description = "Name of the log group of the function for sign-in; null without sign_in"
  value       = one(module.identity[*].log_group_name)
}

output "user_table_name" {
  description = "Name of the table of users; null without sign_in"
  value       = one(module.identity[*].table_name)
}

output "user_table_arn" {
  description = "ARN of the table of users; null without sign_in"
  value       = one(module.identity[*].table_arn)
}
