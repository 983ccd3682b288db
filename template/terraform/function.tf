# Two functions from one package: events do not contain the response format of the HTTP API, so simple answers need
# their own function. Remove what you do not need, here and in http.tf.

locals {
  package = coalesce(var.package, "${path.module}/../../dist/authorizer-${var.architecture}.zip")

  functions = {
    policy = var.configuration
    simple = merge(var.configuration, { httpApiAnswer = "simple" })
  }
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
  name               = "${var.name}-function"
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

# The function only writes its log and calls no AWS service.
data "aws_iam_policy_document" "logs" {
  statement {
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = [for group in aws_cloudwatch_log_group.function : "${group.arn}:*"]
  }
}

resource "aws_iam_role_policy" "logs" {
  name   = "logs"
  role   = aws_iam_role.function.id
  policy = data.aws_iam_policy_document.logs.json
}

resource "aws_cloudwatch_log_group" "function" {
  for_each = local.functions

  name              = "/aws/lambda/${var.name}-${each.key}"
  retention_in_days = var.log_retention_days
}

resource "aws_lambda_function" "authorizer" {
  for_each = local.functions

  function_name    = "${var.name}-${each.key}"
  role             = aws_iam_role.function.arn
  filename         = local.package
  source_code_hash = filebase64sha256(local.package)
  runtime          = "provided.al2023"
  handler          = "bootstrap"
  architectures    = [var.architecture]
  memory_size      = 128
  # An HTTP API waits at most 10 seconds for an authorizer.
  timeout = 10

  # The default format is text, whose fields log queries cannot find.
  logging_config {
    log_format = "JSON"
    log_group  = aws_cloudwatch_log_group.function[each.key].name
  }

  # Overrides an authorizer.json in the package.
  environment {
    variables = {
      AUTHORIZER_CONFIG = jsonencode(each.value)
    }
  }
}

# The alarm. Lambda counts a 401 as a function error, so its own metric Errors includes every invalid token. This
# metric counts only errors that need action: failed decisions, exits of the process, and failed or timed-out
# invocations and starts.
resource "aws_cloudwatch_log_metric_filter" "failures" {
  for_each = local.functions

  name           = "${var.name}-${each.key}-failures"
  log_group_name = aws_cloudwatch_log_group.function[each.key].name
  pattern = join(" ", [
    "{ (($.level = \"ERROR\" || $.level = \"FATAL\") && $.message != \"metrics\") || $.record.status = \"timeout\"",
    "|| $.record.errorType = \"Runtime.*\" || ($.type = \"platform.initReport\" && $.record.status = \"error\") }",
  ])

  metric_transformation {
    namespace = "Authorizer/${var.name}-${each.key}"
    name      = "Failures"
    value     = "1"
    unit      = "Count"
  }
}

resource "aws_cloudwatch_metric_alarm" "failures" {
  for_each = local.functions

  alarm_name          = "${var.name}-${each.key}-failures"
  alarm_description   = "The authorizer fails to decide requests; docs/operations.md, Incidents"
  alarm_actions       = var.alarm_topics
  namespace           = "Authorizer/${var.name}-${each.key}"
  metric_name         = "Failures"
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  # Without failures the metric has no data points.
  treat_missing_data = "notBreaching"
}

# Failed JWKS fetches: cached keys are still used, so no request is refused yet. And keys that are used after their
# TTL: when stale keys expire too, every request is a 5xx (docs/operations.md, Incidents).
locals {
  key_alarms = {
    for pair in setproduct(keys(local.functions), ["keyFetchFailed", "keysServedPastTheirLife"]) :
    "${pair[0]}-${pair[1]}" => { function = pair[0], message = pair[1] }
  }
}

resource "aws_cloudwatch_log_metric_filter" "keys" {
  for_each = local.key_alarms

  name           = "${var.name}-${each.key}"
  log_group_name = aws_cloudwatch_log_group.function[each.value.function].name
  pattern        = "{ $.message = \"${each.value.message}\" }"

  metric_transformation {
    namespace = "Authorizer/${var.name}-${each.value.function}"
    name      = each.value.message
    value     = "1"
    unit      = "Count"
  }
}

resource "aws_cloudwatch_metric_alarm" "keys" {
  for_each = local.key_alarms

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = "An issuer's key set cannot be fetched; docs/operations.md, An issuer cannot be reached"
  alarm_actions       = var.alarm_topics
  namespace           = "Authorizer/${var.name}-${each.value.function}"
  metric_name         = each.value.message
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = each.value.message == "keyFetchFailed" ? 3 : 1
  datapoints_to_alarm = each.value.message == "keyFetchFailed" ? 2 : 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
}

# An invocation that Lambda throttles for lack of concurrency is a 500 for the caller and is not logged.
resource "aws_cloudwatch_metric_alarm" "throttles" {
  for_each = local.functions

  alarm_name          = "${var.name}-${each.key}-throttles"
  alarm_description   = "Lambda throttles the authorizer; raise its concurrency or find the cause of the load"
  alarm_actions       = var.alarm_topics
  namespace           = "AWS/Lambda"
  metric_name         = "Throttles"
  dimensions          = { FunctionName = aws_lambda_function.authorizer[each.key].function_name }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
}
