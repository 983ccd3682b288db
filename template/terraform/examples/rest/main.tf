# A REST API: /me behind a TOKEN authorizer, /me/request behind a REQUEST authorizer. Preflight requests (OPTIONS) carry
# no token, so they bypass the authorizers.

module "authorizer" {
  source = "../.."

  name          = var.name
  package       = coalesce(var.package, "${path.module}/../../../../dist/authorizer-${var.architecture}.zip")
  architecture  = var.architecture
  configuration = var.configuration
  invokers      = { rest = "${aws_api_gateway_rest_api.rest.execution_arn}/authorizers/*" }
}

locals {
  rest_authorizers = {
    token   = { path = "/me", type = "TOKEN" }
    request = { path = "/me/request", type = "REQUEST" }
  }

  rest_headers = {
    "Access-Control-Allow-Origin" = { schema = { type = "string" } }
  }

  rest_paths = {
    for name, authorizer in local.rest_authorizers : authorizer.path => {
      get = {
        security = [{ (name) = [] }]
        responses = {
          "200" = {
            description = "The caller's principal"
            headers     = local.rest_headers
            content     = { "application/json" = {} }
          }
        }
        "x-amazon-apigateway-integration" = {
          type             = "mock"
          requestTemplates = { "application/json" = jsonencode({ statusCode = 200 }) }
          responses = {
            default = {
              statusCode = "200"
              responseParameters = {
                "method.response.header.Access-Control-Allow-Origin" = "'${var.allowed_origin}'"
              }
              # escapeJavaScript escapes an apostrophe as \', which is not valid JSON.
              responseTemplates = {
                "application/json" = <<-TEMPLATE
                  #set($principal = $util.escapeJavaScript($context.authorizer.principalId).replaceAll("\\'", "'"))
                  {"principalId":"$principal"}
                TEMPLATE
              }
            }
          }
        }
      }

      options = {
        responses = {
          "200" = {
            description = "Preflight"
            headers = merge(local.rest_headers, {
              "Access-Control-Allow-Headers" = { schema = { type = "string" } }
              "Access-Control-Allow-Methods" = { schema = { type = "string" } }
              "Access-Control-Max-Age"       = { schema = { type = "string" } }
            })
          }
        }
        "x-amazon-apigateway-integration" = {
          type             = "mock"
          requestTemplates = { "application/json" = jsonencode({ statusCode = 200 }) }
          responses = {
            default = {
              statusCode = "200"
              responseParameters = {
                "method.response.header.Access-Control-Allow-Origin"  = "'${var.allowed_origin}'"
                "method.response.header.Access-Control-Allow-Headers" = "'Authorization,Content-Type'"
                "method.response.header.Access-Control-Allow-Methods" = "'GET,OPTIONS'"
                "method.response.header.Access-Control-Max-Age"       = "'600'"
              }
            }
          }
        }
      }
    }
  }

  rest_security_schemes = {
    for name, authorizer in local.rest_authorizers : name => {
      type                           = "apiKey"
      name                           = "Authorization"
      in                             = "header"
      "x-amazon-apigateway-authtype" = "custom"
      "x-amazon-apigateway-authorizer" = merge(
        {
          type                         = lower(authorizer.type)
          authorizerUri                = module.authorizer.invoke_arn
          authorizerResultTtlInSeconds = var.cache_seconds
        },
        authorizer.type == "REQUEST" ? { identitySource = "method.request.header.Authorization" } : {},
        # Anything else is a 401 without an invocation. A JWS has three base64url parts (RFC 7515 section 3.1).
        authorizer.type == "TOKEN" ? {
          identityValidationExpression = "([Bb][Ee][Aa][Rr][Ee][Rr]|[Dd][Pp][Oo][Pp]) [-0-9A-Z_a-z]+[.][-0-9A-Z_a-z]+[.][-0-9A-Z_a-z]+"
        } : {}
      )
    }
  }

  # The bodies of 401 and 403, with the headers that let a page read them.
  gateway_responses = {
    UNAUTHORIZED = {
      status  = "401"
      headers = { "WWW-Authenticate" = "'Bearer'", "Access-Control-Expose-Headers" = "'WWW-Authenticate'" }
      body    = { error = { code = "Unauthorized", message = "Missing or invalid token" } }
    }
    ACCESS_DENIED = {
      status = "403"
      headers = {
        "WWW-Authenticate"              = "'Bearer error=\"insufficient_scope\"'"
        "Access-Control-Expose-Headers" = "'WWW-Authenticate'"
      }
      body = { error = { code = "Forbidden", message = "Access denied" } }
    }
  }
}

resource "aws_api_gateway_rest_api" "rest" {
  name = "${var.name}-rest"

  body = jsonencode({
    openapi    = "3.0.1"
    info       = { title = "${var.name}-rest", version = "1" }
    paths      = local.rest_paths
    components = { securitySchemes = local.rest_security_schemes }
  })

  endpoint_configuration {
    types = ["REGIONAL"]
  }
}

resource "aws_api_gateway_gateway_response" "refusal" {
  for_each = local.gateway_responses

  rest_api_id        = aws_api_gateway_rest_api.rest.id
  response_type      = each.key
  status_code        = each.value.status
  response_templates = { "application/json" = jsonencode(each.value.body) }

  response_parameters = merge(
    { "gatewayresponse.header.Access-Control-Allow-Origin" = "'${var.allowed_origin}'" },
    { for name, value in each.value.headers : "gatewayresponse.header.${name}" => value }
  )
}

# A 5xx keeps its body; the header lets the calling page read its status.
resource "aws_api_gateway_gateway_response" "failure" {
  rest_api_id         = aws_api_gateway_rest_api.rest.id
  response_type       = "DEFAULT_5XX"
  response_parameters = { "gatewayresponse.header.Access-Control-Allow-Origin" = "'${var.allowed_origin}'" }
}

resource "aws_api_gateway_deployment" "rest" {
  rest_api_id = aws_api_gateway_rest_api.rest.id

  # A changed gateway response takes effect at the next deployment.
  triggers = {
    content = sha1(jsonencode([
      aws_api_gateway_rest_api.rest.body, local.gateway_responses, var.allowed_origin,
    ]))
  }

  depends_on = [aws_api_gateway_gateway_response.refusal, aws_api_gateway_gateway_response.failure]

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_api_gateway_stage" "rest" {
  rest_api_id   = aws_api_gateway_rest_api.rest.id
  deployment_id = aws_api_gateway_deployment.rest.id
  stage_name    = "prod"
}

resource "aws_api_gateway_method_settings" "rest" {
  rest_api_id = aws_api_gateway_rest_api.rest.id
  stage_name  = aws_api_gateway_stage.rest.stage_name
  method_path = "*/*"

  settings {
    throttling_rate_limit  = var.rate_limit
    throttling_burst_limit = var.burst_limit
  }
}
