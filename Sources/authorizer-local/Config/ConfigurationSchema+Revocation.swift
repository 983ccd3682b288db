internal import Authorizer

extension ConfigurationSchema {
  /// `revocation`.
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
              "description": "Names of the issuers whose tokens are looked up. Default: issuers with the preset apple.",
              "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1
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
              "description": "Number of users whose results are cached.",
              "type": "integer", "minimum": 1, "maximum": 100000, "default": \#(RevocationSettings.defaultEntries)
            }
          }
        }
    """#
}
