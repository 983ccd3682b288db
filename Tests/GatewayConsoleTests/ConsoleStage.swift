@testable import EmulatorTestSupport
@testable import GatewayConsole
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import LambdaEmulator
import JSON
import TestSupport
import Synchronization
import TestTokens
import Testing

/// A console over a gateway with a scripted authorizer, without a port.
struct ConsoleStage {
  let log: DecisionHistory
  let console: Console
  let service: GatewayService
  let connection: ConsoleConnection
  /// The events that the authorizer has received.
  let events: Events
  /// The events that the backend has received.
  let calls: Events
  /// The lines of the log.
  let lines: Events

  /// What a function has received.
  final class Events: Sendable {
    private let all = Mutex<[[UInt8]]>([])
    var count: Int { all.withLock { $0.count } }
    var last: JSONTree? { all.withLock { $0.last }.flatMap { try? JSONTree(parsing: $0) } }
    var texts: [String] { all.withLock { $0.map { String(decoding: $0, as: UTF8.self) } } }
    func add(_ event: [UInt8]) { all.withLock { $0.append(event) } }
  }

  /// A function of the test.
  final class Scripted: FunctionInvoking {
    let events: Events
    let offsets = Mutex<[Int64]>([])
    private let answer: @Sendable (JSONTree) -> InvocationAnswer
    private let reason: String?

    init(
      _ events: Events, reason: String? = nil, _ answer: @escaping @Sendable (JSONTree) -> InvocationAnswer
    ) {
      (self.events, self.reason, self.answer) = (events, reason, answer)
    }

    func outcome(of event: [UInt8]) async -> FunctionOutcome {
      events.add(event)
      return FunctionOutcome(answer: answer((try? JSONTree(parsing: event)) ?? .null), reason: reason)
    }

    func setClockOffset(seconds: Int64) -> Bool {
      offsets.withLock { $0.append(seconds) }
      return true
    }
  }

  static let host = "127.0.0.1:8080"

  /// The authorizer of the stage: two identity sources, cached.
  static let authorizer = GatewayAuthorizer(
    name: "Request", function: "Authorizer",
    form: .restRequest([.header("Authorization"), .header("X-Identity")]), timeToLiveSeconds: 300)

  static func api(_ form: GatewayAuthorizer.Form? = nil, timeToLive: Int = 300) throws -> GatewayAPI {
    let authorizer =
      form.map {
        GatewayAuthorizer(
          name: "Request", function: "Authorizer", form: $0, timeToLiveSeconds: timeToLive)
      } ?? Self.authorizer
    return GatewayStage.api([
      try GatewayStage.route("GET /pets/{id}", access: .lambda(authorizer)),
      try GatewayStage.route("POST /pets", access: .lambda(authorizer)),
      try GatewayStage.route("GET /open"),
    ])
  }

  init(
    _ apis: [GatewayAPI]? = nil, keepsEvents: Bool = true, realKeys: Bool = false,
    trials: [String: any FunctionInvoking] = [:], facts: any ConsoleFacts = NoConsoleFacts(),
    reason: String? = nil, trust: TrustedKeys = .none,
    backend: (@Sendable (JSONTree) -> InvocationAnswer)? = nil,
    closed: @escaping @Sendable () -> Void = {}, clock: LambdaClock = .longTimeouts,
    answer: @escaping @Sendable (JSONTree) -> InvocationAnswer = { _ in GatewayStage.policy() }
  ) throws {
    log = DecisionHistory(keepsEvents: keepsEvents)
    let lines = Events()
    (events, calls, self.lines) = (Events(), Events(), lines)
    var functions: [String: any FunctionInvoking] = [
      "Authorizer": Scripted(events, reason: reason, answer)
    ]
    if let backend { functions["Backend"] = Scripted(calls, backend) }
    service = GatewayService(
      gateway: Gateway(
        apis: try apis ?? [Self.api()], location: AWSLocation(), settings: Assumptions(), trust: trust),
      functions: functions, clock: clock, observer: log, explainer: facts,
      onRecord: { lines.add(Array($0.line.utf8)) })
    console = Console(log: log, facts: facts, trials: trials, usesRealKeys: realKeys, clock: .longTimeouts)
    connection = ConsoleConnection(
      service: service, issuer: DevelopmentIssuer(keys: try SharedKeys.all()),
      secret: try SampleSecrets.secret.get(), scheme: "http", close: closed, whenClosed: { _ in })
  }

  /// Sends a request of a client.
  @discardableResult
  func call(
    _ method: String = "GET", _ path: String = "/prod/pets/1", query: String = "",
    headers: [GatewayRequest.Header] = ConsoleStage.headers, body: [UInt8] = []
  ) async -> GatewayAnswer {
    await service.answer(
      GatewayRequest(
        method: method, path: path, sentPath: "/Api" + path, query: query,
        headers: [.init("Host", Self.host)] + headers, body: body), to: service.gateway.apis[0])
  }

  static let headers: [GatewayRequest.Header] = [
    .init("Authorization", "Bearer first"), .init("X-Identity", "second"),
  ]

  /// Asks the console.
  ///
  /// - Parameter secret: the values of the secret's header; `nil` for the secret.
  func ask(
    _ path: String, query: String = "", json: String? = nil, headers: [GatewayRequest.Header] = [],
    host: String = ConsoleStage.host, secret: [String]? = nil
  ) async throws -> Reply {
    let proof = (secret ?? [connection.secret.value]).map {
      GatewayRequest.Header(DevelopmentSecret.header, $0)
    }
    let type = json == nil ? [] : [GatewayRequest.Header("Content-Type", "application/json")]
    let request = GatewayRequest(
      method: json == nil ? "GET" : "POST", path: path, query: query,
      headers: [.init("Host", host)] + proof + type + headers, body: Array((json ?? "").utf8))
    guard case .response(let response)? = await console.reply(to: request, from: connection) else {
      throw NoResponse()
    }
    return Reply(response: response)
  }

  struct NoResponse: Error {}

  struct Reply {
    let response: GatewayResponse
    var status: Int { response.status }
    var text: String { String(decoding: response.body, as: UTF8.self) }
    var json: JSONTree { (try? JSONTree(parsing: response.body)) ?? .null }
    /// The text of a string member; empty for other values.
    func text(_ path: String...) -> String {
      let found = path.reduce(Optional(json)) { tree, name in tree?[name] }
      if case .string(let text)? = found { return text }
      return found.map { String(decoding: $0.bytes(), as: UTF8.self) } ?? ""
    }
  }
}

/// Facts of a gateway without a program around it.
struct NoConsoleFacts: ConsoleFacts {
  var revocations: JSONTree { .members(["available": .boolean(false), "rows": .array([])]) }
}

/// What a test does not say is not known.
extension ConsoleFacts {
  func explanation(of _: [UInt8], by _: String, at _: Int64) -> DecisionExplanation? { nil }
  var scopes: [String] { [] }
  var ownedRoutes: [String] { [] }
  var rules: [JSONTree] { [] }
  var keySets: [JSONTree] { [] }
  var revocations: JSONTree { .null }
  var findings: [JSONTree] { [] }
  var version: String { "" }
  func save(test: JSONTree) throws(ConsoleProblem) -> JSONTree { throw .impossible("there is no project") }
}
