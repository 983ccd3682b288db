extension ConfigurationSchema {
  /// One entry of `issuers`.
  static let issuer = #"""
    {
              "type": "object",
              "additionalProperties": false,
              "anyOf": [{"required": ["preset"]}, {"required": ["issuer", "algorithms", "audiences", "keys"]}],
              "properties": {
                "preset": {
                  "description": "apple, google, supabase:<ref>, firebase:<project>, cognito-id:<pool id>, cognito-access:<pool id>, with @<region> for a replica, auth0:<domain>, entra:<tenant id>, entra-v1:<tenant id>; or rfc9068, oidc for a kind of token of any issuer.",
                  "type": "string",
                  "minLength": 1
                },
                "name": {
                  "description": "The name under which logs, rules and the context speak of this issuer.",
                  "type": "string",
                  "minLength": 1
                },
                "issuer": {"description": "The exact value of iss.", "type": "string", "minLength": 1},
                "audiences": {
                  "description": "Whom the tokens are for.",
                  "type": "array",
                  "items": {"type": "string", "minLength": 1},
                  "minItems": 1
                },
                "algorithms": {
                  "description": "What this issuer signs with. EdDSA and Ed25519 stand for each other.",
                  "type": "array",
                  "items": {
                    "enum": [
                      "RS256",
                      "RS384",
                      "RS512",
                      "PS256",
                      "PS384",
                      "PS512",
                      "ES256",
                      "ES384",
                      "ES512",
                      "EdDSA",
                      "Ed25519",
                      "HS256",
                      "HS384",
                      "HS512"
                    ]
                  },
                  "minItems": 1
                },
                "keys": {
                  "description": "What signatures are checked with; a preset knows where its keys are.",
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    \#(publishedKeyProperties),
                    "secret": {
                      "description": "A secret shared with an HMAC issuer.",
                      "type": "object",
                      "additionalProperties": false,
                      "oneOf": [{"required": ["environment"]}, {"required": ["file"]}],
                      "properties": \#(secretProperties)
                    }
                  }
                },
                "types": {
                  "description": "Values of typ, one of which must be there.",
                  "type": "array",
                  "items": {"type": "string", "minLength": 1},
                  "minItems": 1
                },
                "leewaySeconds": {
                  "description": "Tolerance for clocks (default 60).",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 300
                },
                "maximumLifetimeSeconds": {
                  "description": "Longest time from iat to exp.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 31536000
                },
                "maximumAgeSeconds": {
                  "description": "Longest time since iat.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 31536000
                },
                "proofOfPossession": {
                  "description": "Tokens bound by cnf: refuse (default) rejects them, ignore accepts them without proof.",
                  "enum": ["refuse", "ignore"]
                },
                "principal": {
                  "description": "The claim that becomes principalId (default sub).",
                  "type": "string",
                  "minLength": 1
                },
                "requiredScopes": {"$ref": "#/$defs/scopes"},
                "requiredClaims": {"$ref": "#/$defs/claims"},
                "context": {
                  "description": "Members of the context for the backend, by name.",
                  "type": "object",
                  "maxProperties": 50,
                  "propertyNames": {
                    "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$",
                    "not": {
                      "enum": [
                        "principalId",
                        "integrationLatency",
                        "claims",
                        "error",
                        "integrationStatus",
                        "latency",
                        "requestId",
                        "status",
                        "denyCode"
                      ]
                    }
                  },
                  "additionalProperties": {
                    "oneOf": [
                      {
                        "description": "A claim's name, or names joined by dots.",
                        "type": "string",
                        "minLength": 1
                      },
                      {"description": "Leaves out a standard member.", "const": false},
                      {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["claim"],
                        "properties": {
                          "claim": {
                            "description": "A claim's name, or names joined by dots.",
                            "type": "string",
                            "minLength": 1
                          },
                          "as": {
                            "description": "joined: a list as one string; json: its JSON text; boolean: a boolean or its text.",
                            "enum": ["joined", "json", "boolean"]
                          }
                        }
                      }
                    ]
                  }
                },
                "usageIdentifierKey": {
                  "description": "The claim that holds the API key of a usage plan (REST APIs).",
                  "type": "string",
                  "minLength": 1
                }
              }
            }
    """#
}
