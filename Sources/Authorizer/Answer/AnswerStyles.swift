import JOSE
import JSON

/// The format of answers, by kind of event.
struct AnswerStyles: Equatable, Sendable {
  var unauthorized = PerKind(all: UnauthorizedStyle.error)
  /// Whether HTTP APIs with payload format 2.0 get `isAuthorized` instead of a policy. This is a setting of the API
  /// that events do not show.
  var isSimpleOnHTTP2 = false
  /// Whether an Allow carries a condition on the time. Not verified on AWS, so off by default.
  var hasExpiryCondition = false

  /// One value for each kind of API; both REST events share one.
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

/// The format of a 401 (API Gateway, "Output from an API Gateway Lambda authorizer"; `message` is not documented
/// there).
enum UnauthorizedStyle: String, CaseIterable, Sendable {
  /// An error whose message is exactly `Unauthorized`.
  case error
  /// A response that looks like that error and does not count as a failed invocation.
  case message
  /// A policy that denies the stage, cached like any other. Only for refusals that neither time nor new keys can
  /// change.
  case deny
}

/// What the answer to one event depends on, apart from the token.
struct AnswerForm {
  let kind: EventKind
  let arn: MethodARN
  let styles: AnswerStyles

  private var isSimple: Bool { kind == .http2 && styles.isSimpleOnHTTP2 }

  /// Returns the answer for an accepted token; `nil` if it is larger than API Gateway accepts.
  ///
  /// - Parameters:
  ///   - access: what the token may reach.
  ///   - isPermitted: whether `access` contains the requested route.
  ///   - expiresAt: when the token expires, in Unix seconds, leeway included.
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

  /// Returns the answer for a missing, malformed or rejected token.
  func answer(unauthorized reason: ReasonCode) -> Answer {
    switch styles.unauthorized[kind] {
    case .error: return .unauthorized
    case .message: return .response(Self.unauthorizedMessage)
    case .deny:
      // A Deny is cached for up to an hour, so it must not depend on time or on keys.
      guard reason.isFinal, arn.stagePrefix.count < Policy.maximumResourceBytes else { return .unauthorized }
      let context = ContextMembers.refusal(.tokenInvalid)
      let policy = Policy(
        principalID: Self.unverifiedPrincipal, stagePrefix: arn.stagePrefix, access: .nothing)
      let bytes = isSimple ? Self.simple(false, context) : policy.bytes(context: context)
      return bytes.map { .response($0) } ?? .unauthorized
    }
  }

  /// `principalId` must not be empty, and a name from an unverified token is not a principal.
  private static let unverifiedPrincipal = Array("unauthorized".utf8)

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
