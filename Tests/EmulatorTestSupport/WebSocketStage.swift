@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator

/// A WebSocket API of the test, and a connection to it.
enum WebSocketStage {
  static let identifier = "CqT7gcXzDoECJuw="
  static let ids = RequestIdentity(
    requestID: "r-1", extendedRequestID: "ZhFsxGQDDoEEMig=", traceID: "Root=1-a",
    unixMilliseconds: 1_718_636_523_035)

  static func route(
    _ key: String, _ integration: GatewayIntegration = .function("F", .webSocket),
    access: RouteAccess = .open, needsAPIKey: Bool = false, reply: GatewayRoute.Reply = .none
  ) -> GatewayRoute {
    let match: GatewayRoute.Match =
      switch key {
      case "$connect": .connect
      case "$default": .default
      default: .message(key)
      }
    return GatewayRoute(
      match: match, access: access, needsAPIKey: needsAPIKey, integration: integration, reply: reply)
  }

  static func api(
    _ routes: [GatewayRoute], name: String = "Live", stage: String = "live", variables: [String: String] = [:]
  ) throws -> GatewayAPI {
    guard let selection = RouteSelection("$request.body.action") else { throw CancellationError() }
    return GatewayAPI(
      name: name, identifier: "a1b2c3d4e5", kind: .webSocket(selection),
      stage: .init(name: stage, variables: variables), routes: routes)
  }

  static func gateway(_ apis: [GatewayAPI], _ settings: Assumptions = .init()) -> Gateway {
    Gateway(apis: apis, location: .init(), settings: settings)
  }

  static func session(
    _ api: GatewayAPI, _ identifier: String = identifier, connectedAt: Int64 = ids.unixMilliseconds - 500,
    authorizer: AuthorizerContext? = nil
  ) -> WebSocketSession {
    WebSocketSession(
      identifier: identifier, api: api,
      request: GatewayRequest(
        method: "GET", path: "/live", query: "ticket=secret",
        headers: [.init("User-Agent", "wscat"), .init("Cookie", "secret")], sourceAddress: "192.0.2.1"),
      connectedAt: connectedAt, authorizer: authorizer)
  }

  /// Sends a message and returns the answer; `backend` answers in place of functions and HTTP backends.
  static func send(
    _ message: String, to api: GatewayAPI, _ event: WebSocketEvent = .message(identifier: "Kf2dGd9lywMCEng="),
    authorizer: AuthorizerContext? = nil, settings: Assumptions = .init(),
    backend: (BackendCall) -> BackendAnswer = { _ in .response(GatewayResponse(status: 200)) }
  ) -> WebSocketAnswer? {
    let gateway = gateway([api], settings)
    let session = session(api, authorizer: authorizer)
    switch gateway.begin(event, Array(message.utf8), of: session, ids) {
    case nil: return nil
    case .answer(let answer)?: return answer
    case .integrate(let call)?: return gateway.finish(message: call, with: backend(call))
    }
  }

  /// A link that counts how often its connection was cut.
  static func link(_ onAbort: @escaping @Sendable () -> Void = {}) -> WebSocketLink {
    WebSocketLink(clock: LambdaClock(now: LambdaClock.system.now, wait: { _ in }), abort: onAbort)
  }
}

extension WebSocketAnswer {
  var words: String? { text.map { String(decoding: $0, as: UTF8.self) } }
}
