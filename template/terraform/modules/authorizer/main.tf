# The authorizer: function, role, log group, permissions and alarms.

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

# The function writes its log and, with tables, reads revocations and remembers used proofs. It calls no other AWS
# service.
data "aws_iam_policy_document" "function" {
  statement {
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.function.arn}:*"]
  }

  dynamic "statement" {
    for_each = var.revocation_table == null ? [] : [var.revocation_table.arn]

    content {
      # Where issuers of revocation is an object, several items are read together. GetItem stays, for the same items: while
      # the function changes to such a configuration or back, another version of it reads one item.
      actions = concat(
        ["dynamodb:GetItem"],
        coalesce(var.revocation_table.keys, can(keys(var.configuration.revocation.issuers))) ? ["dynamodb:BatchGetItem"] : [],
      )
      resources = [statement.value]

      condition {
        test     = "ForAllValues:StringLike"
        variable = "dynamodb:LeadingKeys"
        values   = ["revocation#*"]
      }

      # ForAllValues is also true without any key.
      condition {
        test     = "Null"
        variable = "dynamodb:LeadingKeys"
        values   = ["false"]
      }
    }
  }

  dynamic "statement" {
    for_each = var.proof_table == null ? [] : [var.proof_table.arn]

    content {
      actions   = ["dynamodb:PutItem"]
      resources = [statement.value]

      condition {
        test     = "ForAllValues:StringLike"
        variable = "dynamodb:LeadingKeys"
        values   = ["dpop#*"]
      }

      condition {
        test     = "Null"
        variable = "dynamodb:LeadingKeys"
        values   = ["false"]
      }
    }
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

resource "aws_lambda_function" "authorizer" {
  function_name                  = var.name
  role                           = aws_iam_role.function.arn
  filename                       = var.package
  source_code_hash               = filebase64sha256(var.package)
  runtime                        = "provided.al2023"
  handler                        = "bootstrap"
  architectures                  = [var.architecture]
  memory_size                    = var.memory_size
  timeout                        = var.timeout_seconds
  reserved_concurrent_executions = var.reserved_concurrent_executions
  tags                           = var.tags

  # The default format is text, whose fields log queries cannot find.
  logging_config {
    log_format = "JSON"
    log_group  = aws_cloudwatch_log_group.function.name
  }

  # Only the values of var.environment are sensitive, so that a plan shows the configuration. An empty list of rules is
  # passed on: the function then refuses to start, and does not accept every valid token.
  environment {
    variables = merge(
      { for name in nonsensitive(keys(var.environment)) : name => var.environment[name] },
      var.configuration == null ? {} : { AUTHORIZER_CONFIG = jsonencode(var.configuration) },
    )
  }
}

# Without it, every request with a token is a 500.
resource "aws_lambda_permission" "invokers" {
  for_each = var.invokers

  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.authorizer.function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = each.value
}

# The alarm. Lambda counts a 401 as a function error, so its own metric Errors includes every invalid token. This
# metric counts only errors that need action: failed decisions, exits of the process, and failed or timed-out
# invocations and starts.
resource "aws_cloudwatch_log_metric_filter" "failures" {
  name           = "${var.name}-failures"
  log_group_name = aws_cloudwatch_log_group.function.name
  pattern = join(" ", [
    "{ (($.level = \"ERROR\" || $.level = \"FATAL\") && $.message != \"metrics\") || $.record.status = \"timeout\"",
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
  alarm_description   = "The authorizer fails to decide requests; docs/operations.md, Incidents"
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

# Failed JWKS fetches: cached keys are still used, so no request is refused yet. And keys that are used after their
# TTL: when stale keys expire too, every request is a 5xx (docs/operations.md, Incidents).
locals {
  key_alarms = {
    keyFetchFailed          = { evaluation_periods = 3, datapoints_to_alarm = 2 }
    keysServedPastTheirLife = { evaluation_periods = 1, datapoints_to_alarm = 1 }
  }
}

resource "aws_cloudwatch_log_metric_filter" "keys" {
  for_each = local.key_alarms

  name           = "${var.name}-${each.key}"
  log_group_name = aws_cloudwatch_log_group.function.name
  pattern        = "{ $.message = \"${each.key}\" }"

  metric_transformation {
    namespace = "Authorizer/${var.name}"
    name      = each.key
    value     = "1"
    unit      = "Count"
  }
}

resource "aws_cloudwatch_metric_alarm" "keys" {
  for_each = local.key_alarms

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = "An issuer's key set cannot be fetched; docs/operations.md, An issuer cannot be reached"
  alarm_actions       = var.alarm_topics
  namespace           = "Authorizer/${var.name}"
  metric_name         = each.key
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = each.value.evaluation_periods
  datapoints_to_alarm = each.value.datapoints_to_alarm
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  tags                = var.tags
}

# An invocation that Lambda throttles for lack of concurrency is a 500 for the caller and is not logged.
resource "aws_cloudwatch_metric_alarm" "throttles" {
  alarm_name          = "${var.name}-throttles"
  alarm_description   = "Lambda throttles the authorizer; raise its concurrency or find the cause of the load"
  alarm_actions       = var.alarm_topics
  namespace           = "AWS/Lambda"
  metric_name         = "Throttles"
  dimensions          = { FunctionName = aws_lambda_function.authorizer.function_name }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  tags                = var.tags
}
