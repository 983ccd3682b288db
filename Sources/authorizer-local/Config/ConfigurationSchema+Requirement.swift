/// What rules and issuers require of tokens.
extension ConfigurationSchema {
  /// `require` of a rule, and of `any` and `not` in it.
  static let requirement = #"""
    {
          "description": "What the token needs; all of it.",
          "type": "object", "additionalProperties": false, "minProperties": 1,
          "properties": {
            "scopes": {"$ref": "#/$defs/scopes"},
            "issuers": {
              "description": "Names of issuers; one of them must have issued the token.",
              "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1
            },
            "claims": {"$ref": "#/$defs/claims"},
            "authenticatedWithinSeconds": {
              "description": "Longest time since auth_time. Needs gatewayCache off; not within not.",
              "type": "integer", "minimum": 1, "maximum": 31536000
            },
            "any": {
              "description": "One of these must be met.",
              "type": "array", "items": {"$ref": "#/$defs/require"}, "minItems": 1, "maxItems": 20
            },
            "not": {
              "description": "One condition that must be false: one scope, one claim, issuers or any. An absent claim makes none false.",
              "$ref": "#/$defs/require"
            }
          }
        }
    """#

  /// `claims` of a requirement, and `requiredClaims` of an issuer.
  static let claims = #"""
    {
          "description": "Claims and what each must be; the token needs all of them. Or a list, whose paths name members of objects, dots included.",
          "oneOf": [
            {
              "type": "object", "minProperties": 1,
              "additionalProperties": {"$ref": "#/$defs/condition"}
            },
            {
              "type": "array", "minItems": 1,
              "items": {
                "type": "object", "additionalProperties": false, "required": ["path", "is"],
                "properties": {
                  "path": {
                    "description": "Names of members from the claims inward; a dot is part of a name.",
                    "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1
                  },
                  "is": {"$ref": "#/$defs/condition"}
                }
              }
            }
          ]
        }
    """#

  /// What one claim must be.
  static let condition = #"""
    {
          "oneOf": [
            \#(claimValue),
            {"description": "One of these.", \#(claimValues)},
            {
              "description": "true: the claim is present. false: it is absent.",
              "type": "object", "properties": {"exists": {"type": "boolean"}},
              "required": ["exists"], "additionalProperties": false
            },
            {
              "description": "The claim is a list that contains this value, or one of these values.",
              "type": "object", "properties": {"contains": {"oneOf": [\#(claimValue), {\#(claimValues)}]}},
              "required": ["contains"], "additionalProperties": false
            },
            {
              "description": "The claim is text that begins with this one.",
              "type": "object", "properties": {"prefix": {"description": "At least 2 bytes.", "type": "string", "minLength": 1}},
              "required": ["prefix"], "additionalProperties": false
            },
            {
              "description": "The claim is text that ends with this one.",
              "type": "object", "properties": {"suffix": {"description": "At least 2 bytes.", "type": "string", "minLength": 1}},
              "required": ["suffix"], "additionalProperties": false
            }
          ]
        }
    """#

  private static let claimValue =
    #"{"oneOf": [{"type": "string", "minLength": 1}, {"type": "integer"}, {"type": "boolean"}]}"#
  private static let claimValues = #""type": "array", "items": \#(claimValue), "minItems": 1"#
}
