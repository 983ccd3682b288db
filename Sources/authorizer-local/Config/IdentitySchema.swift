internal import Identity

/// The JSON Schema of `identity.json`, for editors, like `ConfigurationSchema` for `authorizer.json`.
enum IdentitySchema {
  /// JSON Schema, draft 2020-12.
  static let text = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Sign-in behind the authorizer",
      "description": "identity.json: accepted identity tokens of Apple, and where users are stored.",
      "type": "object", "additionalProperties": false, "required": ["store"],
      "anyOf": [{"required": ["audiences"]}, {"required": ["receivers"]}],
      "properties": {
        "$schema": {"description": "Address of this schema, for editors; the function ignores it.", "type": "string"},
        "audiences": {
          "description": "Bundle IDs and Services IDs of Sign in with Apple; one of them must be in aud. Default with receivers: no sign-in.",
          "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1
        },
        "store": {
          "description": "Where users, used nonces and Apple's notifications are stored: exactly one of sqlite and dynamoDB.",
          "type": "object", "additionalProperties": false, "minProperties": 1, "maxProperties": 1,
          "properties": {
            "sqlite": {
              "description": "Database on the local disk. On Lambda it is lost with its execution environment.",
              "type": "object", "additionalProperties": false, "required": ["path"],
              "properties": {
                "path": {"description": "Path of the database.", "type": "string", "minLength": 1},
                "revocations": {
                  "description": "File for the authorizer's revocation.file, rewritten with each revocation. Default: none.",
                  "type": "string", "minLength": 1
                }
              }
            },
            "dynamoDB": {
              "description": "DynamoDB table with the partition key pk of type S.",
              "type": "object", "additionalProperties": false, "required": ["table"],
              "properties": {
                "table": {"description": "Name of the table.", "type": "string", "pattern": "^[A-Za-z0-9_.-]{3,255}$"},
                "region": {
                  "description": "Region of the table. Default: the region of the function.",
                  "type": "string", "pattern": "^[A-Za-z0-9-]{1,32}$"
                }
              }
            }
          }
        },
        "nonce": {
          "description": "POST /auth/nonce issues nonces, and sign-in requires them. Default: clients make their own nonces.",
          "type": "object", "additionalProperties": false, "required": ["secret"],
          "properties": {
            "secret": {
              "description": "Secret that signs the nonces: at least 32 random bytes.",
              "type": "object", "additionalProperties": false,
              "oneOf": [{"required": ["environment"]}, {"required": ["file"]}],
              "properties": \#(ConfigurationSchema.secretProperties)
            },
            "lifetimeSeconds": {
              "description": "Lifetime of a nonce.",
              "type": "integer", "minimum": 10, "maximum": 600, "default": \#(NonceSettings.defaultLifetimeSeconds)
            }
          }
        },
        "receivers": {
          "description": "Senders that may end users and sessions. An empty list leaves POST /auth/logout.",
          "type": "array", "maxItems": \#(Receiver.maximumReceivers),
          "items": {
            "type": "object", "additionalProperties": false,
            "required": ["name", "issuer", "algorithms", "audiences", "accept", "keys"],
            "properties": {
              "name": {
                "description": "Name in the routes /signals/NAME/logout and /signals/NAME/events.",
                "type": "string", "pattern": "^[A-Za-z0-9._~-]{1,64}$"
              },
              "issuer": {"description": "Exact value of iss in the sender's tokens.", "type": "string", "minLength": 1},
              "users": {
                "description": "Issuers whose users the sender may end, each the first issuer of its entry in authorizer.json. Default: issuer.",
                "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": \#(Receiver.maximumUsers)
              },
              "algorithms": {
                "description": "Algorithms that the sender signs with; not HMAC.",
                "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1
              },
              "audiences": {
                "description": "Your IDs at the sender; one of them must be in aud.",
                "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1
              },
              "accept": {
                "description": "What the sender sends: OpenID Connect Back-Channel Logout, or security event tokens (RFC 8935).",
                "type": "array", "items": {"enum": ["back-channel-logout", "security-event-token"]}, "minItems": 1
              },
              "keys": {
                "description": "The sender's keys.",
                "type": "object", "additionalProperties": false,
                "properties": {\#(ConfigurationSchema.publishedKeyProperties)}
              },
              "authorization": {
                "description": "Expected value of the header Authorization. Default: any.",
                "type": "object", "additionalProperties": false, "required": ["environment"],
                "properties": {
                  "environment": {"description": "Environment variable that contains the whole value.", "type": "string", "minLength": 1}
                }
              }
            }
          }
        },
        "maximumAgeSeconds": {
          "description": "Longest accepted time since iat at sign-in.",
          "type": "integer", "minimum": 1, "maximum": 86400, "default": \#(IdentitySettings.defaultMaximumAgeSeconds)
        },
        "basePath": {
          "description": "Prefix that may precede each route, such as /v1. Default: none.",
          "type": "string", "pattern": "^(/[A-Za-z0-9._~-]+)+$"
        },
        "authorizerIssuer": {
          "description": "Name of the issuer of these users in authorizer.json.",
          "type": "string", "minLength": 1, "default": "apple"
        },
        "keys": {
          "description": "Apple's keys. Default: Apple's address, no seed.",
          "type": "object", "additionalProperties": false,
          "properties": {\#(ConfigurationSchema.publishedKeyProperties)}
        },
        "fetch": {
          "description": "How key sets are fetched and the table is reached.",
          "type": "object", "additionalProperties": false,
          "properties": \#(ConfigurationSchema.fetchProperties)
        }
      }
    }
    """#
}
