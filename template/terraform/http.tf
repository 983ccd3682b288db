# HTTP APIs, payload format 2.0: one authorizer answers with policies, the other with simple answers. HTTP APIs have
# no gateway responses: their 401 is {"message":"Unauthorized"}, their 403 {"message":"Forbidden"}, and neither can be
# changed.

locals {
  http_apis = {
    policy = false
    simple = true
  }
}

resource "aws_apigatewayv2_api" "http" {
  for_each = local.http_apis

  name          = "${var.name}-http-${each.key}"
  protocol_type = "HTTP"

  cors_configuration {
    allow_origins = [var.allowed_origin]
    allow_headers = ["authorization", "content-type"]
    allow_methods = ["GET"]
    max_age       = 600
  }
}

resource "aws_apigatewayv2_authorizer" "http" {
  for_each = local.http_apis

  api_id                            = aws_apigatewayv2_api.http[each.key].id
  name                              = "Bearer"
  authorizer_type                   = "REQUEST"
  authorizer_uri                    = aws_lambda_function.authorizer[each.key].invoke_arn
  authorizer_payload_format_version = "2.0"
  enable_simple_responses           = each.value
  authorizer_result_ttl_in_seconds  = var.cache_seconds
  # With rules, simple answers need cache_seconds = 0 and "gatewayCache": "off": an answer is for one path
  # (docs/rules.md).
  identity_sources = ["$request.header.Authorization"]
}

resource "aws_lambda_permission" "http" {
  for_each = local.http_apis

  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.authorizer[each.key].function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.http[each.key].execution_arn}/authorizers/${aws_apigatewayv2_authorizer.http[each.key].id}"
}

resource "aws_apigatewayv2_integration" "http" {
  for_each = local.http_apis

  api_id                 = aws_apigatewayv2_api.http[each.key].id
  integration_type       = "HTTP_PROXY"
  integration_method     = "GET"
  integration_uri        = var.backend_url
  payload_format_version = "1.0"
}

resource "aws_apigatewayv2_route" "http" {
  for_each = local.http_apis

  api_id             = aws_apigatewayv2_api.http[each.key].id
  route_key          = "GET /me"
  target             = "integrations/${aws_apigatewayv2_integration.http[each.key].id}"
  authorization_type = "CUSTOM"
  authorizer_id      = aws_apigatewayv2_authorizer.http[each.key].id
}

resource "aws_apigatewayv2_stage" "http" {
  for_each = local.http_apis

  api_id      = aws_apigatewayv2_api.http[each.key].id
  name        = "$default"
  auto_deploy = true

  default_route_settings {
    throttling_rate_limit  = var.rate_limit
    throttling_burst_limit = var.burst_limit
  }
}
