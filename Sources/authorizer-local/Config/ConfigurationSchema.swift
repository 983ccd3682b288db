/// The JSON Schema of `authorizer.json`, for editors: names, types and ranges. The function's own reader is stricter
/// and decides alone; a test checks that both have the same members.
enum ConfigurationSchema {
  /// JSON Schema, draft 2020-12.
  static let text = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "API Gateway authorizer",
      "description": "authorizer.json: accepted issuers, access rules, and the form of answers.",
      "type": "object", "additionalProperties": false, "required": ["issuers"],
      "dependentRequired": {"rules": ["default"], "default": ["rules"]},
      "properties": {
        "$schema": {"description": "Address of this schema, for editors; the function ignores it.", "type": "string"},
        "issuers": {"description": "Issuers whose tokens are accepted, no two with the same iss or name.", "type": "array", "items": \#(issuer), "minItems": 1},
        "tokenSources": {
          "description": "Where REQUEST events carry the token: header:NAME, cookie:NAME or query:NAME. Several sources need gatewayCache off.",
          "type": "array", "items": {"type": "string", "pattern": "^(header|cookie|query):.+$"}, "minItems": 1,
          "default": ["header:authorization"]
        },
        "gatewayCache": {
          "description": "How the API caches answers; must match its identity sources and TTL. off: TTL 0.",
          "enum": ["token", "tokenAndRoute", "off"], "default": "token"
        },
        "allowQueryTokens": {
          "description": "Accept query:NAME on REST and HTTP APIs too. Without it only $connect of a WebSocket API reads it, because addresses are logged.",
          "type": "boolean", "default": false
        },
        "default": {
          "description": "Decision for a route that no rule matches. Required with rules. Rules grant access under deny and restrict it under allow.",
          "enum": ["deny", "allow"]
        },
        "rules": {
          "description": "Routes and what a token needs to access them. Without rules a valid token can access the whole stage.",
          "type": "array",
          "items": {
            "type": "object", "additionalProperties": false, "required": ["routes"],
            "properties": {
              "routes": {
                "description": "VERB /path, * /path or $connect. * and {id} match any characters, slashes too. ${claim} is the value of a claim.",
                "type": "array",
                "items": {
                  "type": "string", "pattern": "^(\\$connect|(\\*|ANY|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) /.*)$"
                },
                "minItems": 1
              },
              "allow": {
                "description": "Grants the routes. Required under default deny, invalid under default allow.",
                "const": true
              },
              "tools": {"description": "MCP tools that the rule grants; * is any run of characters. Such rules need single paths, gatewayCache off and default deny.", "$ref": "#/$defs/names"},
              "resources": {"description": "URIs of MCP resources that the rule grants.", "$ref": "#/$defs/names"},
              "prompts": {"description": "MCP prompts that the rule grants.", "$ref": "#/$defs/names"},
              "require": {"$ref": "#/$defs/require"}
            }
          },
          "minItems": 1
        },
        "anonymous": {
          "description": "Guests: requests that have nothing in any place for credentials are allowed on these routes. Needs gatewayCache off, and an authorizer without identity sources.",
          "type": "object", "additionalProperties": false, "required": ["routes"],
          "properties": {
            "routes": {
              "description": "VERB /path, * /path or $connect, as in rules, without ${claim}.",
              "type": "array",
              "items": {
                "type": "string", "pattern": "^(?!.*\\$\\{)(\\$connect|(\\*|ANY|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) /.*)$"
              },
              "minItems": 1, "maxItems": 100, "uniqueItems": true
            }
          }
        },
        "routeArnIsConcrete": {
          "description": "true: you know that routeArn of your HTTP API contains request paths, not templates of routes. Policies then leave paths with { or $default open. No API needs it.",
          "type": "boolean",
          "default": false
        },
        "unauthorized": {
          "description": "Form of a 401: one value, or one value for each kind of event.",
          "default": "error",
          "oneOf": [
            \#(refusal),
            {
              "type": "object",
              "properties": {"rest": \#(refusal), "http1": \#(refusal), "http2": \#(refusal), "webSocket": \#(refusal)},
              "additionalProperties": false
            }
          ]
        },
        "httpApiAnswer": {
          "description": "Form of answer that the HTTP API is set to: one value, or one value for each payload format.",
          "default": "policy",
          "oneOf": [
            {"enum": ["policy", "simple"]},
            {
              "type": "object",
              "properties": {"http1": {"enum": ["policy"]}, "http2": {"enum": ["policy", "simple"]}},
              "additionalProperties": false
            }
          ]
        },
        "expiryCondition": {
          "description": "Adds a condition to every Allow that ends it when the token expires.",
          "type": "boolean", "default": false
        },
        "verdictCache": {
          "description": "Number of verified tokens that are cached. 0 switches the cache off.",
          "type": "integer", "minimum": 0, "maximum": 10000, "default": 0
        },
        "revocation": \#(revocation),
        "decisionLog": {
          "description": "Which decisions are logged. refusals omits decisions that allow.",
          "enum": ["all", "refusals"], "default": "all"
        },
        "metrics": {
          "description": "Writes CloudWatch metrics of every decision in the embedded metric format. Default: none.",
          "type": "object", "additionalProperties": false, "required": ["namespace"],
          "properties": {"namespace": {"description": "CloudWatch namespace of the metrics.", "type": "string", "minLength": 1, "maxLength": 255}}
        },
        "fetch": {
          "description": "How key sets are fetched.",
          "type": "object", "additionalProperties": false,
          "properties": \#(fetchProperties)
        }
      },
      "$defs": {
        "scopes": {
          "description": "Scopes; the token needs all of them. scope, scp, permissions and cognito:groups are read as one set.",
          "type": "array", "items": {"type": "string", "pattern": "^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$"}, "minItems": 1
        },
        "names": {
          "type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 1024}, "minItems": 1, "maxItems": 100,
          "uniqueItems": true
        },
        "require": \#(requirement),
        "claims": \#(claims),
        "condition": \#(condition)
      }
    }
    """#

  private static let refusal = #"{"enum": ["error", "message", "deny"]}"#
}
