internal import JOSE

extension ConfigurationSchema {
  /// One entry of `issuers`.
  static let issuer = #"""
    {
              "type": "object", "additionalProperties": false,
              "anyOf": [{"required": ["preset"]}, {"required": ["issuer", "algorithms", "audiences", "keys"]}],
              "properties": {
                "preset": {"description": "\#(presetWords)", "type": "string", "minLength": 1},
                "name": {
                  "description": "Name of this issuer in logs, rules and the context. Default: the preset's name, else the issuer.",
                  "type": "string", "minLength": 1
                },
                "issuer": {"description": "Exact value of iss. A preset of a known issuer has its own.", "type": "string", "minLength": 1},
                "audiences": {
                  "description": "Accepted values of aud; one of them must be in the token. cognito-access compares client_id instead.",
                  "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1
                },
                "algorithms": {
                  "description": "Accepted signature algorithms. HS algorithms need keys.secret and cannot be mixed with others. EdDSA and Ed25519 are equivalent.",
                  "type": "array", "items": {"enum": [\#(algorithmNames)]}, "minItems": 1
                },
                "keys": {
                  "description": "The keys that verify signatures. Presets of known issuers include the address of the key set.",
                  "type": "object", "additionalProperties": false,
                  "properties": {
                    \#(publishedKeyProperties),
                    "secret": {
                      "description": "Secret shared with an issuer that signs with HMAC: at least \#(secretLengths).",
                      "type": "object", "additionalProperties": false,
                      "oneOf": [{"required": ["environment"]}, {"required": ["file"]}],
                      "properties": \#(secretProperties)
                    }
                  }
                },
                "types": {
                  "description": "Accepted values of the header parameter typ. Default: the preset's, else typ is not checked.",
                  "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1
                },
                "leewaySeconds": {
                  "description": "Tolerance for exp, nbf and iat, because clocks differ.",
                  "type": "integer", "minimum": 0, "maximum": \#(IssuerProfile.maximumLeewaySeconds),
                  "default": \#(IssuerProfile.defaultLeewaySeconds)
                },
                "maximumLifetimeSeconds": {
                  "description": "Longest accepted time from iat to exp. Default: the preset's, else no limit.",
                  "type": "integer", "minimum": 1, "maximum": 31536000
                },
                "maximumAgeSeconds": {
                  "description": "Longest accepted time since iat. Default: no limit.",
                  "type": "integer", "minimum": 1, "maximum": 31536000
                },
                "proofOfPossession": \#(proofOfPossession),
                "principal": {
                  "description": "Claim that becomes principalId: a name, or names joined by dots.",
                  "type": "string", "minLength": 1, "default": "sub"
                },
                "requiredScopes": {"$ref": "#/$defs/scopes"},
                "requiredClaims": {"$ref": "#/$defs/claims"},
                "context": {
                  "description": "Fields added to the context for the backend, by name. false omits a standard field.",
                  "type": "object", "maxProperties": 50,
                  "propertyNames": {
                    "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$",
                    "not": {
                      "enum": [
                        "principalId", "integrationLatency", "claims", "error", "integrationStatus", "latency",
                        "requestId", "status", "denyCode", "mcpToolRules", "mcpTools"
                      ]
                    }
                  },
                  "additionalProperties": {
                    "oneOf": [
                      {"description": "Name of a claim, or names joined by dots.", "type": "string", "minLength": 1},
                      {"description": "Omits a standard field.", "const": false},
                      {
                        "type": "object", "additionalProperties": false, "required": ["claim"],
                        "properties": {
                          "claim": {
                            "description": "Name of a claim, or names joined by dots.",
                            "type": "string", "minLength": 1
                          },
                          "as": {
                            "description": "How the claim is written. joined: a list of strings as one string; json: the JSON text; boolean: a boolean, also from the text true or false.",
                            "enum": ["joined", "json", "boolean"]
                          }
                        }
                      }
                    ]
                  }
                },
                "usageIdentifierKey": {
                  "description": "Claim with the API key of a usage plan, for REST APIs with ApiKeySource AUTHORIZER.",
                  "type": "string", "minLength": 1
                }
              }
            }
    """#

  /// The presets in a sentence.
  private static var presetWords: String {
    let known = IssuerPreset.rows.filter { !$0.isGeneric }
    let issuers = known.filter { !$0.takesArgument } + known.filter { $0.takesArgument }
    let generic = IssuerPreset.rows.filter { $0.isGeneric }
    return "A known issuer: \(list(issuers)). Or a kind of token of any issuer: \(list(generic))."
  }

  private static func list(_ presets: [IssuerPreset.Row]) -> String {
    Printable.list(presets.map { $0.spelling + ($0.note.map { " (\($0))" } ?? "") })
  }

  private static var algorithmNames: String {
    Algorithm.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
  }

  private static var secretLengths: String {
    Algorithm.allCases.filter(\.isSymmetric).enumerated().map { index, algorithm in
      "\(algorithm.minimumSecretBytes)\(index == 0 ? " bytes" : "") for \(algorithm.rawValue)"
    }.joined(separator: ", ")
  }
}
