import Bytes
import JOSE
import JSON

/// How one event is answered: what its kind and the settings say about the answer.
struct ResponseFormat {
  enum Shape {
    /// An IAM policy.
    case policy
    /// `isAuthorized` and a context.
    case simple
  }

  let shape: Shape
  let unauthorized: UnauthorizedStyle
  /// Whether the context may contain arrays and objects.
  let takesStructures: Bool
  /// Whether a policy may name the API key of a usage plan.
  let takesUsageKey: Bool
  /// The maximum size of a policy.
  let maximumBytes: Int
  let hasExpiryCondition: Bool

  init(of kind: EventKind, _ styles: AnswerStyles) {
    shape = kind == .http2 && styles.isSimpleOnHTTP2 ? .simple : .policy
    unauthorized =
      switch kind {
      case .restToken, .restRequest: styles.unauthorized.rest
      case .http1: styles.unauthorized.http1
      case .http2: styles.unauthorized.http2
      case .webSocket: styles.unauthorized.webSocket
      }
    takesStructures = kind == .http2
    takesUsageKey = kind == .restToken || kind == .restRequest
    maximumBytes = kind == .webSocket ? Policy.maximumWebSocketBytes : .max
    hasExpiryCondition = styles.hasExpiryCondition
  }
}

/// What answers contain about the tokens of one issuer.
struct AnswerContent: Sendable {
  /// The context for the backend.
  var context = ContextTemplate(members: ContextTemplate.standard)
  /// The claim with the API key of a usage plan.
  var usageIdentifierKey: ClaimPath?
}

extension ResponseFormat {
  /// Returns the answer for an accepted token; `nil` if it is larger than API Gateway accepts.
  ///
  /// - Parameters:
  ///   - access: what the token may reach.
  ///   - expiresAt: when the token expires, in Unix seconds, leeway included.
  func answer(
    _ token: VerifiedToken, _ scopes: ScopeSet, _ access: Access, on arn: MethodARN, expiresAt: Int64,
    content: AnswerContent
  ) -> [UInt8]? {
    let isRefused = shape == .simple ? !access.permits(arn.route) : !access.isWholeStage
    let context = ContextMembers.token(
      token, scopes, content.context, takesStructures: takesStructures,
      refusal: isRefused ? .accessDenied : nil)
    switch shape {
    case .simple: return Self.simple(!isRefused, context)
    case .policy:
      var policy = Policy(principalID: token.principal, stagePrefix: arn.stagePrefix, access: access)
      if hasExpiryCondition { policy.expiresAt = expiresAt }
      if takesUsageKey {
        policy.usageIdentifierKey = content.usageIdentifierKey.flatMap {
          Self.apiKey($0.value(in: token.claims))
        }
      }
      return policy.bytes(context: context).flatMap { $0.count <= maximumBytes ? $0 : nil }
    }
  }

  /// Returns the answer that allows a guest; `nil` if it is larger than API Gateway accepts.
  func answer(toGuestWith access: Access, on arn: MethodARN) -> [UInt8]? {
    switch shape {
    case .simple: return Self.simple(true, .guest)
    case .policy:
      let policy = Policy(principalID: Self.guestPrincipal, stagePrefix: arn.stagePrefix, access: access)
      return policy.bytes(context: .guest).flatMap { $0.count <= maximumBytes ? $0 : nil }
    }
  }

  /// Returns the answer for a missing, malformed or rejected token.
  func answer(unauthorized reason: ReasonCode, on arn: MethodARN) -> Answer {
    switch unauthorized {
    case .error: return .unauthorized
    case .message: return .response(Self.unauthorizedMessage)
    case .deny:
      // A Deny is cached for up to an hour, so it must not depend on time or on keys.
      guard reason.isFinal else { return .unauthorized }
      return denial(on: arn).map { .response($0) } ?? .unauthorized
    }
  }

  /// Returns the answer that denies the stage; `nil` if its ARN is too long for a policy.
  private func denial(on arn: MethodARN) -> [UInt8]? {
    guard arn.stagePrefix.count < RoutePattern.maximumResourceBytes else { return nil }
    let context = ContextMembers.refusal(.tokenInvalid)
    switch shape {
    case .simple: return Self.simple(false, context)
    case .policy:
      let policy = Policy(
        principalID: Self.unverifiedPrincipal, stagePrefix: arn.stagePrefix, access: .nothing)
      return policy.bytes(context: context)
    }
  }

  /// `principalId` must not be empty, and a name from an unverified token is not a principal.
  private static let unverifiedPrincipal = Array("unauthorized".utf8)

  /// `principalId` must not be empty, and a guest has no subject.
  private static let guestPrincipal = Array("anonymous".utf8)

  /// The error as a response.
  private static var unauthorizedMessage: [UInt8] {
    var writer = JSONWriter(capacity: 40)
    writer.beginObject()
    writer.name("errorMessage")
    writer.string(Answer.unauthorizedMessage)
    writer.endObject()
    return writer.takeBytes()
  }

  private static func simple(_ isAuthorized: Bool, _ context: borrowing ContextMembers) -> [UInt8]? {
    var writer = JSONWriter(capacity: 320)
    writer.beginObject()
    writer.name("isAuthorized")
    writer.boolean(isAuthorized)
    writer.name("context")
    guard context.write(to: &writer) else { return nil }
    writer.endObject()
    return writer.takeBytes()
  }

  /// An API key of a usage plan: 20 to 128 characters (API Gateway, `CreateApiKey`, `value`), in visible ASCII.
  private static func apiKey(_ value: JSONValue?) -> [UInt8]? {
    guard let bytes = value?.utf8, 20...128 ~= bytes.count, bytes.allSatisfy({ $0.isVisible }) else {
      return nil
    }
    return bytes
  }
}
