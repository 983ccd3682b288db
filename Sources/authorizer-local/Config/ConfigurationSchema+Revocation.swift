internal import Authorizer

extension ConfigurationSchema {
  private static let withdrawalKinds =
    #""type": "array", "items": {"enum": ["sub", "sid", "jti", "origin_jti"]}, "minItems": 1, "uniqueItems": true"#

  static let revocation = #"""
    {
          "description": "Where the authorizer looks up whether a user revoked consent after the token was issued. Exactly one of file and dynamoDB. Default: no lookup.",
          "type": "object", "additionalProperties": false,
          "oneOf": [{"required": ["file"]}, {"required": ["dynamoDB"]}],
          "properties": {
            "file": {
              "description": "File that the identity function writes beside its SQLite database.",
              "type": "string", "minLength": 1
            },
            "dynamoDB": {
              "description": "Table of the identity function.",
              "type": "object", "additionalProperties": false, "required": ["table"],
              "properties": \#(tableProperties)
            },
            "issuers": {
              "description": "Whose tokens are looked up: a list of names of issuers, by sub alone; or an object of names, each with the claims sub, sid, jti, origin_jti to look up, or with these as keys and those that a token must have as required. Default: a list of the issuers with the preset apple.",
              "oneOf": [
                {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
                {
                  "type": "object", "minProperties": 1,
                  "additionalProperties": {
                    "oneOf": [
                      {\#(withdrawalKinds)},
                      {
                        "type": "object", "additionalProperties": false, "required": ["keys"],
                        "properties": {
                          "keys": {"description": "Claims that are looked up.", \#(withdrawalKinds)},
                          "required": {"description": "Those that a token must have.", \#(withdrawalKinds)}
                        }
                      }
                    ]
                  }
                }
              ]
            },
            "freshSeconds": {
              "description": "How long the result of a lookup is cached.",
              "type": "integer", "minimum": 0, "maximum": 3600, "default": \#(RevocationSettings.defaultFreshSeconds)
            },
            "lastKnownSeconds": {
              "description": "How much longer a cached result is used while the store cannot be reached.",
              "type": "integer", "minimum": 0, "maximum": 86400, "default": 0
            },
            "entries": {
              "description": "Number of items whose results are cached.",
              "type": "integer", "minimum": 1, "maximum": 100000, "default": \#(RevocationSettings.defaultEntries)
            }
          }
        }
    """#
}
