/// The JSON Schema of `authorizer.json`, for editors: names, kinds and ranges. The function's own reader is stricter, and
/// alone decides; a test holds their members to each other.
enum ConfigurationSchema {
  /// JSON Schema, draft 2020-12.
  static let text = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "API Gateway authorizer",
      "description": "authorizer.json: who is believed, who may reach what, and what goes out.",
      "type": "object",
      "additionalProperties": false,
      "required": ["issuers"],
      "dependentRequired": {"rules": ["default"], "default": ["rules"]},
      "properties": {
        "$schema": {"type": "string"},
        "issuers": {"description": "Whose tokens are accepted.", "type": "array", "items": \#(issuer), "minItems": 1},
        "tokenSources": {
          "description": "Where REQUEST events carry the token; more than one only with gatewayCache off.",
          "type": "array",
          "items": {"type": "string", "pattern": "^(header|cookie|query):.+$"},
          "minItems": 1
        },
        "gatewayCache": {
          "description": "What the API caches answers by (default token).",
          "enum": ["token", "tokenAndRoute", "off"]
        },
        "allowQueryTokens": {
          "description": "Takes tokens from query parameters on other APIs than WebSocket too; addresses are logged.",
          "type": "boolean"
        },
        "default": {
          "description": "What holds for a route that no rule names: rules grant under deny, restrict under allow.",
          "enum": ["deny", "allow"]
        },
        "rules": {
          "description": "Who may reach what; without rules a good token may reach its whole stage.",
          "type": "array",
          "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["routes"],
            "properties": {
              "routes": {
                "description": "VERB /path, * /path or $connect; * crosses slashes, {id} too, ${claim} is a claim's value.",
                "type": "array",
                "items": {
                  "type": "string",
                  "pattern": "^(\\$connect|(\\*|ANY|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) /.*)$"
                },
                "minItems": 1
              },
              "allow": {
                "description": "Grants the routes; needed under default deny, refused under default allow.",
                "const": true
              },
              "require": {
                "description": "What a token must show; all of it.",
                "type": "object",
                "additionalProperties": false,
                "minProperties": 1,
                "properties": {
                  "scopes": {"$ref": "#/$defs/scopes"},
                  "issuers": {
                    "description": "Names of issuers, one of which issued the token.",
                    "type": "array",
                    "items": {"type": "string", "minLength": 1},
                    "minItems": 1
                  },
                  "claims": {"$ref": "#/$defs/claims"}
                }
              }
            }
          },
          "minItems": 1
        },
        "routeArnIsConcrete": {
          "description": "Whether routeArn of the HTTP API was seen to hold paths and not templates; rules with wildcards, claims or default allow need true on HTTP APIs.",
          "type": "boolean"
        },
        "unauthorized": {
          "description": "How a 401 is said (default error).",
          "oneOf": [
            {"enum": ["error", "message", "deny"]},
            {
              "type": "object",
              "properties": {
                "rest": {"enum": ["error", "message", "deny"]},
                "http1": {"enum": ["error", "message", "deny"]},
                "http2": {"enum": ["error", "message", "deny"]},
                "webSocket": {"enum": ["error", "message", "deny"]}
              },
              "additionalProperties": false
            }
          ]
        },
        "httpApiAnswer": {
          "description": "What the HTTP API is set to take (default policy).",
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
          "description": "Lets every Allow end with its token by a condition; not proven on AWS.",
          "type": "boolean"
        },
        "verdictCache": {
          "description": "How many good tokens are remembered (default 0).",
          "type": "integer",
          "minimum": 0,
          "maximum": 10000
        },
        "revocation": \#(revocation),
        "decisionLog": {"description": "Which decisions are logged (default all).", "enum": ["all", "refusals"]},
        "metrics": {
          "description": "Counts every decision in CloudWatch's embedded metric format.",
          "type": "object",
          "additionalProperties": false,
          "required": ["namespace"],
          "properties": {"namespace": {"type": "string", "minLength": 1, "maxLength": 255}}
        },
        "fetch": {
          "description": "How key sets are fetched.",
          "type": "object",
          "additionalProperties": false,
          "properties": \#(fetchProperties)
        }
      },
      "$defs": {
        "scopes": {
          "description": "Scopes, all of which the token must hold: scope, scp, permissions and cognito:groups are one set.",
          "type": "array",
          "items": {"type": "string", "pattern": "^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$"},
          "minItems": 1
        },
        "claims": {
          "description": "Claims and what each must be; all of them must be met.",
          "type": "object",
          "minProperties": 1,
          "additionalProperties": {
            "oneOf": [
              {"oneOf": [{"type": "string", "minLength": 1}, {"type": "integer"}, {"type": "boolean"}]},
              {
                "description": "One of these.",
                "type": "array",
                "items": {"oneOf": [{"type": "string", "minLength": 1}, {"type": "integer"}, {"type": "boolean"}]},
                "minItems": 1
              },
              {
                "description": "Whether the claim is there.",
                "type": "object",
                "properties": {"exists": {"type": "boolean"}},
                "required": ["exists"],
                "additionalProperties": false
              },
              {
                "description": "A list of the token that holds this, or one of these.",
                "type": "object",
                "properties": {
                  "contains": {
                    "oneOf": [
                      {
                        "oneOf": [{"type": "string", "minLength": 1}, {"type": "integer"}, {"type": "boolean"}]
                      },
                      {
                        "type": "array",
                        "items": {
                          "oneOf": [{"type": "string", "minLength": 1}, {"type": "integer"}, {"type": "boolean"}]
                        },
                        "minItems": 1
                      }
                    ]
                  }
                },
                "required": ["contains"],
                "additionalProperties": false
              }
            ]
          }
        }
      }
    }
    """#
}
