# An HTTP API, payload format 2.0. HTTP APIs have no gateway responses: their 401 is {"message":"Unauthorized"}, their
# 403 {"message":"Forbidden"}, and neither can be changed.

module "authorizer" {
  source = "../.."

  name          = var.name
  package       = coalesce(var.package, "${path.module}/../../../../dist/authorizer-${var.architecture}.zip")
  architecture  = var.architecture
  configuration = var.configuration
  invokers      = { http = "${aws_apigatewayv2_api.http.execution_arn}/authorizers/*" }
}

resource "aws_apigatewayv2_api" "http" {
  name          = "${var.name}-http"
  protocol_type = "HTTP"

  cors_configuration {
    allow_origins = [var.allowed_origin]
    allow_headers = ["authorization", "content-type"]
    allow_methods = ["GET"]
    max_age       = 600
  }
}

# The answers are policies. Events do not contain the format that the API expects, so an API with simple answers needs
# a second module with httpApiAnswer = "simple" in its configuration, and enable_simple_responses = true here. With
# rules, it also needs cache_seconds = 0 and gatewayCache = "off": a simple answer is for one path (docs/rules.md).
resource "aws_apigatewayv2_authorizer" "http" {
  api_id                            = aws_apigatewayv2_api.http.id
  name                              = "Bearer"
  authorizer_type                   = "REQUEST"
  authorizer_uri                    = module.authorizer.invoke_arn
  authorizer_payload_format_version = "2.0"
  enable_simple_responses           = false
  authorizer_result_ttl_in_seconds  = var.cache_seconds
  identity_sources                  = ["$request.header.Authorization"]
}

resource "aws_apigatewayv2_integration" "http" {
  api_id                 = aws_apigatewayv2_api.http.id
  integration_type       = "HTTP_PROXY"
  integration_method     = "GET"
  integration_uri        = var.backend_url
  payload_format_version = "1.0"
}

resource "aws_apigatewayv2_route" "http" {
  api_id             = aws_apigatewayv2_api.http.id
  route_key          = "GET /me"
  target             = "integrations/${aws_apigatewayv2_integration.http.id}"
  authorization_type = "CUSTOM"
  authorizer_id      = aws_apigatewayv2_authorizer.http.id
}

resource "aws_apigatewayv2_stage" "http" {
  api_id      = aws_apigatewayv2_api.http.id
  name        = "$default"
  auto_deploy = true

  default_route_settings {
    throttling_rate_limit  = var.rate_limit
    throttling_burst_limit = var.burst_limit
  }
}
