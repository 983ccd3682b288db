package import JOSE

/// Why a JWT or Cognito authorizer of API Gateway refuses a request.
package enum TokenRefusal: Error, Equatable, Sendable {
  /// The identity source is absent or empty.
  case missing
  /// The token's `aud` does not match the authorizer's validation expression.
  case notMatching(expression: String)
  /// The token is not one that the authorizer accepts.
  case rejected(TokenRejection)
  /// The token lacks an additional claim of a JWT authorizer of a REST API, or has another value of it.
  case claimNotAllowed(String)
  /// The token has none of the route's scopes.
  case insufficientScope

  /// The reason code for the log.
  package var code: String {
    switch self {
    case .missing: "missingToken"
    case .notMatching: "audienceNotMatching"
    case .rejected(let reason): reason.code.rawValue
    case .claimNotAllowed: "claimNotAllowed"
    case .insufficientScope: "insufficientScope"
    }
  }

  /// The reason for the log, without values of the token.
  package var decision: String {
    switch self {
    case .missing: "the token is missing"
    case .notMatching(let expression): "the audience does not match \(expression)"
    case .rejected: "the token is refused"
    case .claimNotAllowed(let name): "the token has no claim \(name), or another value of it"
    case .insufficientScope: "the token has none of the route's scopes"
    }
  }
}
