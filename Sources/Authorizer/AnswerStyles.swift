import JOSE
import JSON

/// How answers are said, by kind of event.
struct AnswerStyles: Equatable, Sendable {
  var unauthorized = PerKind(all: UnauthorizedStyle.error)
  /// Whether HTTP APIs with payload format 2.0 are answered by `isAuthorized` instead of a policy: their own setting, of
  /// which an event tells nothing.
  var isSimpleOnHTTP2 = false
  /// Whether an Allow carries a condition on the time. Not proven on AWS, so off by default.
  var hasExpiryCondition = false

  /// One value for each kind of API; the two REST events share theirs.
  struct PerKind<Value: Equatable & Sendable>: Equatable, Sendable {
    var rest: Value
    var http1: Value
    var http2: Value
    var webSocket: Value

    init(all value: Value) {
      rest = value
      http1 = value
      http2 = value
      webSocket = value
    }

    subscript(kind: EventKind) -> Value {
      switch kind {
      case .restToken, .restRequest: rest
      case .http1: http1
      case .http2: http2
      case .webSocket: webSocket
      }
    }
  }
}

/// How a 401 is said (API Gateway, "Output from an API Gateway Lambda authorizer"; the second is not documented there).
enum UnauthorizedStyle: String, CaseIterable, Sendable {
  /// An error whose message is exactly `Unauthorized`.
  case error
  /// A response that looks like that error; does not count as a failed invocation.
  case message
  /// A policy that denies the stage, cached like any other: for refusals that neither time nor keys can change.
  case deny
}

/// What the answer to one event depends on beside the token.
struct AnswerForm {
  let kind: EventKind
  let arn: MethodARN
  let styles: AnswerStyles

  private var isSimple: Bool { kind == .http2 && styles.isSimpleOnHTTP2 }

  /// The answer for a good token; `nil` where it is larger than API Gateway takes.
  ///
  /// - Parameters:
  ///   - access: what the token may reach.
  ///   - isPermitted: whether that holds the route that was asked.
  ///   - expiresAt: when the token stops being good, in Unix seconds, leeway included.
  func answer(
    _ token: VerifiedToken, _ scopes: ScopeSet, _ access: Access, isPermitted: Bool, expiresAt: Int64,
    _ issuer: Settings.IssuerSettings
  ) -> [UInt8]? {
    let context = ContextMembers.token(
      token, scopes, issuer.context, takesStructures: kind == .http2,
      refusal: (isSimple ? isPermitted : access.isWholeStage) ? nil : .accessDenied)
    if isSimple { return Self.simple(isPermitted, context) }
    var policy = Policy(principalID: token.principal, stagePrefix: arn.stagePrefix, access: access)
    if styles.hasExpiryCondition { policy.expiresAt = expiresAt }
    if kind == .restToken || kind == .restRequest {
      policy.usageIdentifierKey = issuer.usageIdentifierKey.flatMap {
        Self.apiKey($0.value(in: token.claims))
      }
    }
    return fitting(policy.bytes(context: context))
  }

  /// The answer for a token that is none, or none that we accept.
  func answer(unauthorized reason: ReasonCode) -> Answer {
    switch styles.unauthorized[kind] {
    case .error: return .unauthorized
    case .message: return .response(Self.unauthorizedMessage)
    case .deny:
      // A Deny is cached for up to an hour: what time or new keys can change must not be.
      guard reason.isFinal, arn.stagePrefix.count < Policy.maximumResourceBytes else { return .unauthorized }
      let context = ContextMembers.refusal(.tokenInvalid)
      let policy = Policy(principalID: Self.nobody, stagePrefix: arn.stagePrefix, access: .nothing)
      let bytes = isSimple ? Self.simple(false, context) : policy.bytes(context: context)
      return bytes.map { .response($0) } ?? .unauthorized
    }
  }

  /// `principalId` must not be empty, and what an unverified token calls itself is no principal.
  private static let nobody = Array("unauthorized".utf8)

  /// The error as a response.
  private static var unauthorizedMessage: [UInt8] {
    var writer = JSONWriter(capacity: 40)
    writer.beginObject()
    writer.name("errorMessage")
    writer.string(Answer.unauthorizedMessage)
    writer.endObject()
    return writer.bytes
  }

  private static func simple(_ isAuthorized: Bool, _ context: ContextMembers) -> [UInt8]? {
    var writer = JSONWriter(capacity: 320)
    writer.beginObject()
    writer.name("isAuthorized")
    writer.boolean(isAuthorized)
    writer.name("context")
    guard context.write(to: &writer) else { return nil }
    writer.endObject()
    return writer.bytes
  }

  private func fitting(_ bytes: [UInt8]?) -> [UInt8]? {
    guard let bytes, kind != .webSocket || bytes.count <= Policy.maximumWebSocketBytes else { return nil }
    return bytes
  }

  /// An API key of a usage plan: 20 to 128 characters (API Gateway, `CreateApiKey`, `value`), in visible ASCII.
  private static func apiKey(_ value: JSONValue?) -> [UInt8]? {
    guard let bytes = value?.utf8, 20...128 ~= bytes.count, bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      return nil
    }
    return bytes
  }
}
