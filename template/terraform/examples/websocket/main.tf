# A WebSocket API, REQUEST authorizer on $connect, the only route that can have one.

module "authorizer" {
  source = "../.."

  name          = var.name
  package       = coalesce(var.package, "${path.module}/../../../../dist/authorizer-${var.architecture}.zip")
  architecture  = var.architecture
  configuration = var.configuration
  invokers      = { websocket = "${aws_apigatewayv2_api.websocket.execution_arn}/authorizers/*" }
}

resource "aws_apigatewayv2_api" "websocket" {
  name                       = "${var.name}-websocket"
  protocol_type              = "WEBSOCKET"
  route_selection_expression = "$request.body.action"
}

resource "aws_apigatewayv2_authorizer" "websocket" {
  api_id           = aws_apigatewayv2_api.websocket.id
  name             = "Bearer"
  authorizer_type  = "REQUEST"
  authorizer_uri   = module.authorizer.invoke_arn
  identity_sources = ["route.request.header.Authorization"]
}

resource "aws_apigatewayv2_integration" "websocket" {
  api_id                        = aws_apigatewayv2_api.websocket.id
  integration_type              = "MOCK"
  template_selection_expression = "\\$default"
  request_templates             = { "$default" = jsonencode({ statusCode = 200 }) }
}

resource "aws_apigatewayv2_route" "connect" {
  api_id             = aws_apigatewayv2_api.websocket.id
  route_key          = "$connect"
  target             = "integrations/${aws_apigatewayv2_integration.websocket.id}"
  authorization_type = "CUSTOM"
  authorizer_id      = aws_apigatewayv2_authorizer.websocket.id
}

resource "aws_apigatewayv2_route" "default" {
  api_id    = aws_apigatewayv2_api.websocket.id
  route_key = "$default"
  target    = "integrations/${aws_apigatewayv2_integration.websocket.id}"
}

resource "aws_apigatewayv2_stage" "websocket" {
  api_id      = aws_apigatewayv2_api.websocket.id
  name        = "live"
  auto_deploy = true

  default_route_settings {
    throttling_rate_limit  = var.rate_limit
    throttling_burst_limit = var.burst_limit
  }
}
