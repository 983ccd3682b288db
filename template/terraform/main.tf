# The authorizer of any number of APIs and, with sign_in, the function that signs users in and stores them. Neither
# module creates an API: examples shows one folder for each kind.

locals {
  # The members that sign-in adds; var.configuration overrides each of them. With them the function no longer reads an
  # authorizer.json in the package, nor its rules: modules/authorizer refuses rules = null, so that none are lost.
  configurations = concat(
    [for table in module.identity[*].table_name : {
      issuers    = [{ preset = "apple", audiences = var.sign_in.audiences }]
      revocation = { dynamoDB = { table = table } }
      rules      = null
    }],
    var.configuration == null ? [] : [var.configuration],
  )

  # With sign_in, which requires rules, an empty list says that there are none. The function accepts no empty list.
  without_rules = var.sign_in != null && try(length(tolist(var.configuration.rules)) == 0, false)
  configuration = {
    for name, value in merge(local.configurations...) : name => value if name != "rules" || !local.without_rules
  }
}

module "authorizer" {
  source = "./modules/authorizer"

  name                           = var.name
  package                        = var.package
  architecture                   = var.architecture
  configuration                  = length(local.configurations) == 0 ? null : local.configuration
  environment                    = var.environment
  memory_size                    = var.memory_size
  timeout_seconds                = var.timeout_seconds
  reserved_concurrent_executions = var.reserved_concurrent_executions
  invokers                       = var.invokers
  revocation_table               = one([for arn in module.identity[*].table_arn : { arn = arn }])
  proof_table                    = var.proof_table
  log_retention_days             = var.log_retention_days
  alarm_topics                   = var.alarm_topics
  tags                           = var.tags
}

module "identity" {
  source = "./modules/identity"
  count  = var.sign_in == null ? 0 : 1

  name                = "${var.name}-identity"
  package             = var.sign_in.package
  architecture        = var.architecture
  audiences           = var.sign_in.audiences
  configuration       = var.sign_in.configuration
  deletion_protection = var.sign_in.deletion_protection
  invokers            = var.sign_in_invokers
  log_retention_days  = var.log_retention_days
  alarm_topics        = var.alarm_topics
  tags                = var.tags
}
