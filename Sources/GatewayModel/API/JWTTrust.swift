/// What a JWT authorizer of a REST API accepts (API Gateway API Reference, "JwtConfigurationInput").
package struct JWTTrust: Equatable, Sendable {
  /// The algorithms, for every issuer.
  package let algorithms: [Algorithm]
  /// The issuers, each once.
  package let issuers: [Issuer]

  package init(algorithms: [Algorithm], issuers: [Issuer]) {
    self.algorithms = algorithms
    self.issuers = issuers
  }

  /// All algorithms that an authorizer can name ("JwtSigningAlgorithm").
  package enum Algorithm: String, CaseIterable, Sendable {
    case rs256 = "RS256", rs384 = "RS384", rs512 = "RS512"
    case es256 = "ES256", es384 = "ES384", es512 = "ES512"
  }

  /// One issuer ("JwtIssuerInput").
  package struct Issuer: Equatable, Sendable {
    /// The exact `iss`.
    package let name: String
    /// `aud` has one of these.
    package let audiences: [String]
    /// What a token must have besides.
    package let claims: [Claim]

    package init(_ name: String, audiences: [String], claims: [Claim] = []) {
      self.name = name
      self.audiences = audiences
      self.claims = claims
    }
  }

  /// A rule about one more claim, which is a string ("JwtAdditionalClaim": `SINGLE_STRING` is the only format).
  package struct Claim: Equatable, Sendable {
    package let name: String
    /// The exact value; `nil` for any string.
    package let value: String?
    /// Whether a token must have the claim. AWS contradicts itself about tokens without one that is not required.
    package let isRequired: Bool

    package init(_ name: String, value: String?, isRequired: Bool) {
      self.name = name
      self.value = value
      self.isRequired = isRequired
    }
  }

  /// The issuer with exactly this name.
  package func issuer(_ name: String) -> Issuer? {
    issuers.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
