# Sign in with Apple, users and revocation behind the authorizer, with an HTTP API, payload format 2.0.

module "authorizer" {
  source = "../.."

  name         = var.name
  package      = coalesce(var.package, "${path.module}/../../../../dist/authorizer-${var.architecture}.zip")
  architecture = var.architecture
  invokers     = { http = "${aws_apigatewayv2_api.http.execution_arn}/authorizers/*" }

  # sign_in adds Apple as the issuer, and the table of revocations. An authorizer.json in the package is not read.
  configuration = {
    default = "deny"
    rules   = [{ routes = local.user_routes, allow = true }]
  }

  sign_in = {
    package             = coalesce(var.identity_package, "${path.module}/../../../../dist/identity-${var.architecture}.zip")
    audiences           = var.audiences
    deletion_protection = var.deletion_protection
  }

  sign_in_invokers = { http = "${aws_apigatewayv2_api.http.execution_arn}/*" }
}

locals {
  # The routes before the sign-in, which callers use without a token.
  open_routes = toset(["POST /auth/nonce", "POST /auth/verify", "POST /auth/apple", "POST /auth/apple/notifications"])

  user_routes = toset(["GET /users/me"])
}

resource "aws_apigatewayv2_api" "http" {
  name          = "${var.name}-http"
  protocol_type = "HTTP"
}

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

resource "aws_apigatewayv2_integration" "identity" {
  api_id                 = aws_apigatewayv2_api.http.id
  integration_type       = "AWS_PROXY"
  integration_uri        = module.authorizer.sign_in_invoke_arn
  payload_format_version = "2.0"
}

resource "aws_apigatewayv2_route" "open" {
  for_each = local.open_routes

  api_id    = aws_apigatewayv2_api.http.id
  route_key = each.key
  target    = "integrations/${aws_apigatewayv2_integration.identity.id}"
}

resource "aws_apigatewayv2_route" "users" {
  for_each = local.user_routes

  api_id             = aws_apigatewayv2_api.http.id
  route_key          = each.key
  target             = "integrations/${aws_apigatewayv2_integration.identity.id}"
  authorization_type = "CUSTOM"
  authorizer_id      = aws_apigatewayv2_authorizer.http.id
}

# Anyone may request a nonce. Many such requests cost invocations but write nothing.
resource "aws_apigatewayv2_stage" "http" {
  api_id      = aws_apigatewayv2_api.http.id
  name        = "$default"
  auto_deploy = true

  default_route_settings {
    throttling_rate_limit  = var.rate_limit
    throttling_burst_limit = var.burst_limit
  }
}
