@testable import EmulatorTestSupport
@testable import LambdaEmulator
@testable import GatewayEmulator
@testable import GatewayModel
@testable import Templates
import Testing

/// Compares what guards the routes of a template before and after a mutation.
struct TemplateComparison {
  let before: GatewayTemplate
  /// For each API of `before` the requests to its routes, and whether a stranger's is let in.
  private let requests: [[(request: StrangerRequest, isLet: Bool)]]
  /// For each API of `before` the number of routes that get a request themselves.
  private let reachable: [Int]
  private let lines: TemplateMutation.Lines
  private let parameters: [String: String]
  /// The template whose nested stack is compared; `nil` for the template itself.
  private let parent: String?
  /// The number of routes that were compared with themselves after a mutation.
  private(set) var compared = 0

  /// - Parameters:
  ///   - values: values of parameters, of which those are used that the template has.
  ///   - parent: the template in which the text is the nested stack `nested.yaml`.
  /// - Throws: `TemplateError` if the template is refused without a mutation.
  init(_ text: String, _ values: [String: String] = [:], in parent: String? = nil) throws {
    parameters = Self.used(values, in: text)
    self.parent = parent
    before = try Self.read(text, in: parent, parameters)
    let gateway = Gateway(before.served, settings: Assumptions())
    requests = before.apis.map { api in
      api.routes.map { route in
        let request = StrangerRequest(route, api)
        return (request, request.isLet(in: gateway))
      }
    }
    reachable = before.apis.map { api in
      let table = RouteTable(api)
      return api.routes.count { Self.route(for: $0, of: api, table) != nil }
    }
    lines = TemplateMutation.Lines(text)
  }

  /// The values of the template's own parameters, and of outputs that it refers to.
  private static func used(_ values: [String: String], in text: String) -> [String: String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let section = lines.drop { !$0.hasPrefix("Parameters:") }.dropFirst().prefix {
      $0.isEmpty || " #".contains($0.prefix(1))
    }
    return values.filter { name, _ in
      name.contains(".") ? text.contains(name) : section.contains { $0.hasPrefix("  \(name):") }
    }
  }

  private static func read(
    _ text: String, in parent: String?, _ parameters: [String: String]
  ) throws -> GatewayTemplate {
    try GatewayTemplate(
      parsing: parent ?? text, parameters: parameters,
      files: parent == nil ? MutationSamples.files : MutationSamples.files(nested: text))
  }

  /// Every line of the template.
  var allLines: Range<Int> { lines.indices }

  /// Checks all mutations of one line.
  mutating func check(_ line: Int) {
    for mutation in TemplateMutation.all(of: lines, at: line) where !mutation.opensOnAWS {
      guard let after = try? Self.read(mutation.text, in: parent, parameters) else { continue }
      let changed = Gateway(after.served, settings: Assumptions())
      for (index, api) in before.apis.enumerated() {
        let same = after.apis.first { $0.name == api.name && $0.stage.name == api.stage.name }
        guard let same else { continue }
        // An equal API decides alike: beside it only the tenancy of functions counts, which is equal too.
        if same == api, after.served.tenancy == before.served.tenancy {
          compared += reachable[index]
        } else {
          check(mutation, api, requests[index], same, in: changed)
        }
      }
    }
  }

  private mutating func check(
    _ mutation: TemplateMutation, _ api: GatewayAPI, _ requests: [(request: StrangerRequest, isLet: Bool)],
    _ changed: GatewayAPI, in after: Gateway
  ) {
    let lost = Strictness(api).lost(in: changed, mutation)
    #expect(lost == nil, "\(mutation): \(api.name): \(lost ?? "")")
    let table = RouteTable(changed)
    for (route, stranger) in zip(api.routes, requests) {
      guard let now = Self.route(for: route, of: changed, table) else { continue }
      compared += 1
      let lost = Strictness(api).lost(from: route, in: now, mutation)
      #expect(lost == nil, "\(mutation): \(api.name) \(route.key): \(lost ?? "")")
      // What counts in the end: the request of a stranger.
      if !stranger.isLet, stranger.request.isLet(in: after) {
        Issue.record("\(mutation): \(api.name) \(route.key) lets a stranger in")
      }
    }
  }

  /// The route that gets a request of another route, after the template has changed.
  private static func route(
    for route: GatewayRoute, of api: GatewayAPI, _ table: RouteTable
  ) -> GatewayRoute? {
    switch route.match {
    case .default: api.routes.first { $0.match == .default }
    case .connect: table.route(key: "$connect")
    case .message(let key): table.route(key: key)
    case .path(let method, let pattern):
      table.route(method: method ?? "PATCH", path: pattern.examplePath)?.route
    }
  }
}

/// A request without a credential that anything accepts.
struct StrangerRequest {
  private let request: GatewayRequest
  private let api: GatewayAPI
  /// Messages need a connection, for which `$connect` decides.
  private let isMessage: Bool

  /// The request to a route.
  init(_ route: GatewayRoute, _ api: GatewayAPI) {
    let (method, path): (String, String)
    switch route.match {
    case .path(let verb, let pattern): (method, path) = (verb ?? "PATCH", pattern.examplePath)
    case .default: (method, path) = ("PATCH", "/no/other/route")
    case .connect, .message: (method, path) = ("GET", "/")
    }
    let isSocket = if case .webSocket = api.kind { true } else { false }
    isMessage = isSocket && route.match != .connect
    self.api = api
    request = GatewayRequest(
      method: method, path: (api.stage.isInPath ? "/" + api.stage.name : "") + path,
      query: "two=2",
      // So that every authorizer is asked.
      headers: ["Authorization", "X-Token", "X-One"].map { .init($0, "a b.c.d") },
      sourceAddress: "192.0.2.1")
  }

  /// Whether the request reaches the integration, if authorizers refuse it.
  func isLet(in gateway: Gateway) -> Bool {
    let own = gateway.apis.first { $0.name == api.name && $0.stage.name == api.stage.name }
    guard !isMessage, let own else { return false }
    let isSocket = if case .webSocket = own.kind { true } else { false }
    let ids = RequestIdentity(requestID: "r", extendedRequestID: "e", traceID: "t", unixMilliseconds: 0)
    let state = Gateway.State()
    let step = gateway.begin(
      ReceivedRequest(request, to: own, ids, connectionID: isSocket ? "c" : nil), state: state)
    switch step {
    case .answer(let answer): return answer.response.status < 400
    case .integrate: return true
    case .authorize(let authorization):
      let refused = gateway.resume(
        authorization, with: FunctionOutcome(answer: .response(Array("{}".utf8))), milliseconds: 1, at: 0,
        state: state)
      if case .integrate = refused { return true }
      return false
    }
  }
}

extension PathPattern {
  /// A path that the pattern matches.
  fileprivate var examplePath: String {
    "/" + segments.map { if case .literal(let text) = $0 { text } else { "value" } }.joined(separator: "/")
  }
}
