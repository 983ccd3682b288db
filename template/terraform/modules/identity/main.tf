# Sign in with Apple, users and revocation: function, role, table, nonce secret, log group, permissions and alarms.

locals {
  configuration = merge(
    {
      audiences = var.audiences
      nonce     = { secret = { environment = "IDENTITY_NONCE_SECRET" } }
      store     = { dynamoDB = { table = aws_dynamodb_table.users.name } }
    },
    var.configuration,
  )
}

# Users, used nonces, Apple's notifications and revocations: one table, one key (docs/dynamodb.md).
resource "aws_dynamodb_table" "users" {
  name                        = "${var.name}-users"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "pk"
  deletion_protection_enabled = var.deletion_protection
  tags                        = var.tags

  attribute {
    name = "pk"
    type = "S"
  }

  # Deletes used nonces.
  ttl {
    attribute_name = "expires"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled = true
  }
}

# Signs nonces, so that a nonce is stored only when used. A new secret invalidates the nonces of the last minute. The
# function reads it from its environment, so Terraform's state contains it too: protect the state.
resource "random_password" "nonce" {
  length  = 64
  special = false
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "function" {
  name               = var.name
  assume_role_policy = data.aws_iam_policy_document.assume.json
  tags               = var.tags
}

# Allows access to single items of this table: the function can neither list nor delete users.
data "aws_iam_policy_document" "function" {
  statement {
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.function.arn}:*"]
  }

  statement {
    actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:ConditionCheckItem"]
    resources = [aws_dynamodb_table.users.arn]
  }
}

resource "aws_iam_role_policy" "function" {
  name   = "function"
  role   = aws_iam_role.function.id
  policy = data.aws_iam_policy_document.function.json
}

resource "aws_cloudwatch_log_group" "function" {
  name              = "/aws/lambda/${var.name}"
  retention_in_days = var.log_retention_days
  tags              = var.tags
}

resource "aws_lambda_function" "identity" {
  function_name    = var.name
  role             = aws_iam_role.function.arn
  filename         = var.package
  source_code_hash = filebase64sha256(var.package)
  runtime          = "provided.al2023"
  handler          = "bootstrap"
  architectures    = [var.architecture]
  memory_size      = var.memory_size
  timeout          = var.timeout_seconds
  tags             = var.tags

  logging_config {
    log_format = "JSON"
    log_group  = aws_cloudwatch_log_group.function.name
  }

  environment {
    variables = {
      IDENTITY_CONFIG       = jsonencode(local.configuration)
      IDENTITY_NONCE_SECRET = random_password.nonce.result
    }
  }
}

resource "aws_lambda_permission" "invokers" {
  for_each = var.invokers

  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.identity.function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = each.value
}

resource "aws_cloudwatch_log_metric_filter" "failures" {
  name           = "${var.name}-failures"
  log_group_name = aws_cloudwatch_log_group.function.name
  pattern = join(" ", [
    "{ $.level = \"ERROR\" || $.level = \"FATAL\" || $.record.status = \"timeout\"",
    "|| $.record.errorType = \"Runtime.*\" || ($.type = \"platform.initReport\" && $.record.status = \"error\") }",
  ])

  metric_transformation {
    namespace = "Authorizer/${var.name}"
    name      = "Failures"
    value     = "1"
    unit      = "Count"
  }
}

resource "aws_cloudwatch_metric_alarm" "failures" {
  alarm_name          = "${var.name}-failures"
  alarm_description   = "Sign-in fails; docs/operations.md, Incidents"
  alarm_actions       = var.alarm_topics
  namespace           = "Authorizer/${var.name}"
  metric_name         = "Failures"
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  tags                = var.tags
  # Without failures the metric has no data points.
  treat_missing_data = "notBreaching"
}

resource "aws_cloudwatch_metric_alarm" "throttles" {
  alarm_name          = "${var.name}-throttles"
  alarm_description   = "Lambda throttles the sign-in; raise its concurrency or find the cause of the load"
  alarm_actions       = var.alarm_topics
  namespace           = "AWS/Lambda"
  metric_name         = "Throttles"
  dimensions          = { FunctionName = aws_lambda_function.identity.function_name }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  tags                = var.tags
}
