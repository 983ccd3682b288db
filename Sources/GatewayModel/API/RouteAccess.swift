package import Text

/// Who may call a route.
package enum RouteAccess: Equatable, Sendable {
  /// Every client.
  case open
  /// Callers that a Lambda authorizer allows.
  case lambda(GatewayAuthorizer)
  /// Callers with a token that API Gateway itself verifies, and with one of the scopes if there are any.
  case token(TokenAuthorizer, scopes: [String])
  /// Callers that sign the request with the keys of an IAM identity (`AWS_IAM`, Signature Version 4).
  case signature
  /// No client, because something that decides about the route is not emulated: at least one finding.
  case closed([Diagnostic])

  /// Whether nothing guards the route.
  package var isOpen: Bool { self == .open }

  /// Whether an authorizer or a signature guards the route.
  package var isGuarded: Bool {
    switch self {
    case .lambda, .token, .signature: true
    case .open, .closed: false
    }
  }

  /// Whether an authorizer has the type that a route names: `CUSTOM`, or that of API Gateway's own authorizers.
  package func fits(_ type: String) -> Bool {
    switch self {
    case .lambda: type == "CUSTOM"
    case .token(let authorizer, _): type == authorizer.kind.authorizationType
    case .closed: true
    case .open, .signature: false
    }
  }

  /// Returns this access with the scopes of a route, which only authorizers of API Gateway itself check.
  package func requiring(_ scopes: [String]?) -> RouteAccess {
    guard case .token(let authorizer, _) = self, let scopes else { return self }
    return .token(authorizer, scopes: scopes)
  }

  /// Returns this access, or a closed one if there are findings.
  package func closed(by findings: [Diagnostic]) -> RouteAccess {
    if case .closed(let own) = self { return .closed(own + findings) }
    return findings.isEmpty ? self : .closed(findings)
  }
}

/// An authorizer of API Gateway itself, which verifies tokens without a function.
package struct TokenAuthorizer: Equatable, Sendable {
  /// The name in the template, unique within the API.
  package let name: String
  package let kind: Kind
  /// Where the token is.
  package let source: IdentitySource
  /// The expression that the token must match before it is verified (REST APIs).
  package let validation: ValidationExpression?

  /// What an authorizer verifies.
  package enum Kind: Equatable, Sendable {
    /// A JWT authorizer of an HTTP API: `iss`, and one of these values in `aud` or `client_id`.
    case jwt(issuer: String, audiences: [String])
    /// A JWT authorizer of a REST API.
    case restJWT(JWTTrust)
    /// A Cognito authorizer of a REST API: the ARNs of its user pools.
    case userPools([String])

    /// `AuthorizationType` of its routes.
    var authorizationType: String {
      switch self {
      case .jwt, .restJWT: "JWT"
      case .userPools: "COGNITO_USER_POOLS"
      }
    }
  }

  package init(name: String, kind: Kind, source: IdentitySource, validation: ValidationExpression? = nil) {
    self.name = name
    self.kind = kind
    self.source = source
    self.validation = validation
  }
}
