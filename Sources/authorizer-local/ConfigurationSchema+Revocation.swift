extension ConfigurationSchema {
  /// `revocation`.
  static let revocation = #"""
    {
          "description": "Where it is looked up whether a token's subject has withdrawn since it was issued.",
          "type": "object",
          "additionalProperties": false,
          "oneOf": [{"required": ["file"]}, {"required": ["dynamoDB"]}],
          "properties": {
            "file": {
              "description": "The file that the identity function writes beside its SQLite database.",
              "type": "string",
              "minLength": 1
            },
            "dynamoDB": {
              "description": "The identity function's table; in the function's own region where none is named.",
              "type": "object",
              "additionalProperties": false,
              "required": ["table"],
              "properties": {
                "table": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{3,255}$"},
                "region": {"type": "string", "pattern": "^[a-z0-9-]{1,32}$"}
              }
            },
            "issuers": {
              "description": "Names of the issuers whose tokens are looked up (default: those with the preset apple).",
              "type": "array",
              "items": {"type": "string", "minLength": 1},
              "minItems": 1
            },
            "freshSeconds": {
              "description": "How long an answer counts (default 30).",
              "type": "integer",
              "minimum": 0,
              "maximum": 3600
            },
            "lastKnownSeconds": {
              "description": "How much longer while the store cannot be asked (default 0).",
              "type": "integer",
              "minimum": 0,
              "maximum": 86400
            },
            "entries": {
              "description": "Of how many subjects answers are kept (default 10000).",
              "type": "integer",
              "minimum": 1,
              "maximum": 100000
            }
          }
        }
    """#
}
