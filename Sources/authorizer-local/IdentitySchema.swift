/// The JSON Schema of `identity.json`, for editors, as `ConfigurationSchema` is that of `authorizer.json`.
enum IdentitySchema {
  /// JSON Schema, draft 2020-12.
  static let text = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Sign-in behind the authorizer",
      "description": "identity.json: whose identity tokens of Apple become users, and where these are kept.",
      "type": "object",
      "additionalProperties": false,
      "required": ["audiences", "store"],
      "properties": {
        "$schema": {"type": "string"},
        "audiences": {
          "description": "The bundle IDs and Services IDs that the tokens are for.",
          "type": "array",
          "items": {"type": "string", "minLength": 1},
          "minItems": 1
        },
        "store": {
          "description": "Where users, used nonces and Apple's notifications are kept.",
          "type": "object",
          "additionalProperties": false,
          "minProperties": 1,
          "maxProperties": 1,
          "properties": {
            "sqlite": {
              "description": "A database on this machine's disk, which on Lambda is gone with its environment.",
              "type": "object",
              "additionalProperties": false,
              "required": ["path"],
              "properties": {
                "path": {"description": "The database.", "type": "string", "minLength": 1},
                "revocations": {
                  "description": "A file for the authorizer, written anew with each revocation.",
                  "type": "string",
                  "minLength": 1
                }
              }
            },
            "dynamoDB": {
              "description": "A table of DynamoDB with the key pk, a text.",
              "type": "object",
              "additionalProperties": false,
              "required": ["table"],
              "properties": {
                "table": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{3,255}$"},
                "region": {
                  "description": "Where the table is (default: where the function runs).",
                  "type": "string",
                  "pattern": "^[A-Za-z0-9-]{1,32}$"
                }
              }
            }
          }
        },
        "nonce": {
          "description": "Nonces are issued by POST /auth/nonce and asked for; without it the clients make them.",
          "type": "object",
          "additionalProperties": false,
          "required": ["secret"],
          "properties": {
            "secret": {
              "description": "What they are signed with: 32 random bytes at least.",
              "type": "object",
              "additionalProperties": false,
              "oneOf": [{"required": ["environment"]}, {"required": ["file"]}],
              "properties": \#(ConfigurationSchema.secretProperties)
            },
            "lifetimeSeconds": {
              "description": "For how long a nonce is good (default 60).",
              "type": "integer",
              "minimum": 10,
              "maximum": 600
            }
          }
        },
        "maximumAgeSeconds": {
          "description": "How old an identity token may be at sign-in (default 600).",
          "type": "integer",
          "minimum": 1,
          "maximum": 86400
        },
        "basePath": {
          "description": "What may stand before each route, such as /v1.",
          "type": "string",
          "pattern": "^(/[A-Za-z0-9._~-]+)+$"
        },
        "authorizerIssuer": {
          "description": "The authorizer's name for the issuer of these users (default apple).",
          "type": "string",
          "minLength": 1
        },
        "keys": {
          "description": "Apple's keys; their own address where nothing is said.",
          "type": "object",
          "additionalProperties": false,
          "properties": {
            \#(ConfigurationSchema.publishedKeyProperties)
          }
        },
        "fetch": {
          "description": "How key sets are fetched, and the table is reached.",
          "type": "object",
          "additionalProperties": false,
          "properties": \#(ConfigurationSchema.fetchProperties)
        }
      }
    }
    """#
}
