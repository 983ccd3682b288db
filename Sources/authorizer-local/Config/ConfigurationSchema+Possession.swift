internal import JOSE

extension ConfigurationSchema {
  /// `proofOfPossession` of an entry of `issuers`.
  static let proofOfPossession = #"""
    {
                  "description": "Tokens bound by cnf: refuse rejects them, ignore accepts them without proof, an object checks the bindings that it names.",
                  "default": "refuse",
                  "oneOf": [
                    {"enum": ["refuse", "ignore"]},
                    {
                      "description": "Checks the bindings that it names, at least one. Needs gatewayCache off.",
                      "type": "object", "additionalProperties": false,
                      "anyOf": [{"required": ["certificate"]}, {"required": ["dpop"]}],
                      "properties": {
                        "required": {
                          "description": "Reject tokens of this issuer that are not bound.",
                          "type": "boolean", "default": false
                        },
                        "certificate": {
                          "description": "Accept tokens bound to a certificate (RFC 8705), over mutual TLS with that certificate.",
                          "type": "boolean", "default": false
                        },
                        "dpop": {
                          "description": "Accept tokens bound to a key (RFC 9449), with a DPoP proof for each request. Default: such tokens are rejected.",
                          "type": "object", "additionalProperties": false,
                          "properties": {
                            "algorithms": {
                              "description": "Accepted signature algorithms of proofs. Default: \#(defaultProofAlgorithms).",
                              "type": "array", "items": {"enum": [\#(proofAlgorithms)]}, "minItems": 1
                            },
                            "maximumAgeSeconds": {
                              "description": "Longest accepted time since iat of a proof.",
                              "type": "integer", "minimum": \#(ProofPolicy.maximumAgeRange.lowerBound), "maximum": \#(ProofPolicy.maximumAgeRange.upperBound),
                              "default": \#(ProofPolicy.defaultMaximumAgeSeconds)
                            },
                            "leewaySeconds": {
                              "description": "Tolerance on both sides of that time, because clocks differ.",
                              "type": "integer", "minimum": \#(ProofPolicy.leewayRange.lowerBound), "maximum": \#(ProofPolicy.leewayRange.upperBound),
                              "default": \#(ProofPolicy.defaultLeewaySeconds)
                            },
                            "origins": {
                              "description": "Origins in the URLs of clients: scheme, host, and the port if it is not the default. Default: https and the domain name of the API.",
                              "type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1
                            },
                            "replay": {
                              "description": "Table that remembers proofs, so that each is accepted once. Default: a proof can be used again while it is valid.",
                              "type": "object", "additionalProperties": false, "required": ["dynamoDB"],
                              "properties": {
                                "dynamoDB": {
                                  "description": "Table with the key pk and the TTL attribute expires, such as that of the identity function.",
                                  "type": "object", "additionalProperties": false, "required": ["table"],
                                  "properties": \#(tableProperties)
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  ]
                }
    """#

  /// The members of a table.
  static let tableProperties = #"""
    {
                "table": {"description": "Name of the table.", "type": "string", "pattern": "^[A-Za-z0-9_.-]{3,255}$"},
                "region": {"description": "Region of the table. Default: the region of the function.", "type": "string", "pattern": "^[a-z0-9-]{1,32}$"}
              }
    """#

  private static var proofAlgorithms: String {
    Algorithm.allCases.filter { !$0.isSymmetric }.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
  }

  private static var defaultProofAlgorithms: String {
    ProofPolicy.defaultAlgorithms.map(\.rawValue).joined(separator: " and ")
  }
}
