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
