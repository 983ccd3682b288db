internal import Identity

/// The JSON Schema of `identity.json`, for editors, like `ConfigurationSchema` for `authorizer.json`.
enum IdentitySchema {
  /// JSON Schema, draft 2020-12.
  static let text = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Sign-in behind the authorizer",
      "description": "identity.json: accepted identity tokens of Apple, and where users are stored.",
      "type": "object", "additionalProperties": false, "required": ["audiences", "store"],
      "properties": {
        "$schema": {"description": "Address of this schema, for editors; the function ignores it.", "type": "string"},
        "audiences": {
          "description": "Bundle IDs and Services IDs; one of them must be in aud.",
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
