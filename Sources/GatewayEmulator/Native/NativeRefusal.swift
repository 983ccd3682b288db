package import GatewayModel
internal import Bytes
internal import JOSE

/// The answer of API Gateway to a request that one of its own authorizers refuses.
package struct NativeRefusal: Equatable, Sendable {
  /// REST APIs: the kind of the gateway response.
  let kind: GatewayResponseKind
  /// REST APIs: `$context.error.message`.
  let message: String
  /// REST APIs: `x-amzn-ErrorType`.
  let errorType: String
  /// HTTP and WebSocket APIs: the status and the message.
  let plain: (status: Int, message: String)
  /// HTTP APIs: `www-authenticate`.
  var challenge: String?

  package static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.message == right.message && left.errorType == right.errorType
      && left.plain == right.plain && left.challenge == right.challenge
  }
}

extension TokenRefusal {
  /// The answer to the client.
  ///
  /// REST: "Integrate a REST API with an Amazon Cognito user pool" has a 401 also for a missing scope; "Attach a JWT
  /// authorizer to methods and require scopes" has a 403, for which AWS documents no text: here that of a denial.
  /// HTTP APIs: "Troubleshooting issues with HTTP API JWT authorizers".
  package func answer(of kind: TokenAuthorizer.Kind) -> NativeRefusal {
    let plain = self == .insufficientScope ? (403, "Forbidden") : (401, "Unauthorized")
    if case .restJWT = kind, isForbidden(by: kind) {
      return NativeRefusal(
        kind: .accessDenied, message: "User is not authorized to access this resource",
        errorType: "AccessDeniedException", plain: plain)
    }
    let isKnownToExpire = if case .userPools = kind { isExpired } else { false }
    return NativeRefusal(
      kind: .unauthorized, message: isKnownToExpire ? "The incoming token has expired" : "Unauthorized",
      errorType: "UnauthorizedException", plain: plain, challenge: challenge)
  }

  /// Whether the answer is a 403: for a missing scope, but not of Cognito authorizers.
  package func isForbidden(by kind: TokenAuthorizer.Kind) -> Bool {
    if case .userPools = kind { false } else { self == .insufficientScope }
  }

  private var isExpired: Bool {
    if case .rejected(.expired) = self { true } else { false }
  }

  /// The text of `www-authenticate`. AWS documents or is known to send four descriptions; the header has no
  /// description for other reasons here, and is not sent with a 403.
  private var challenge: String? {
    switch self {
    case .missing: return "Bearer"
    case .insufficientScope: return nil
    case .notMatching, .rejected, .claimNotAllowed: break
    }
    let description = description.map { #" error_description="\#($0)""# } ?? ""
    return #"Bearer scope="" error="invalid_token""# + description
  }

  private var description: String? {
    guard case .rejected(let reason) = self else { return nil }
    switch reason {
    case .malformedToken(.segments): return "token contains an invalid number of segments"
    case .algorithmNotAllowed(let found) where Self.isWord(found): return "signing method \(found) is invalid"
    case .wrongIssuer: return "issuer does not match"
    case .wrongAudience: return "the token does not have a valid audience"
    default: return nil
    }
  }

  /// Whether a text that the caller wrote may stand in a header: letters and digits, at most 16.
  private static func isWord(_ text: String) -> Bool {
    (1...16).contains(text.utf8.count)
      && text.utf8.allSatisfy(\.isLetterOrDigit)
  }
}

extension SignatureRefusal {
  /// The answer to the client. HTTP and WebSocket APIs do not say what is wrong.
  package var answer: NativeRefusal {
    let kind: GatewayResponseKind =
      self == .missing ? .missingAuthenticationToken : .invalidSignature
    return NativeRefusal(
      kind: kind, message: message, errorType: errorType, plain: (403, "Forbidden"))
  }
}
