@testable import DeploymentSmoke
@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Templates
import LibcurlTransfer
import Synchronization

/// A deployed API, which is another gateway, and what `serve` predicts of the template. Neither has a port.
struct SmokeStage {
  var template: String
  var deployed: String
  var behaviors = Assumptions()
  var predicted: @Sendable (String) -> InvocationAnswer = Self.authorizer
  var authorizer: @Sendable (String) -> InvocationAnswer = Self.authorizer
  var roles = ["good", "reader"]
  var methods: [String]?
  var wait = 0
  /// The clock of both gateways.
  var serviceClock = LambdaClock.longTimeouts
  /// The clock of the run; `nil` for one that does not wait.
  var runClock: LambdaClock?
  /// Changes an answer by the title of its request.
  var proxy: @Sendable (String, GatewayResponse) -> Result<DeployedAnswer, TransferFailure> = { _, response in
    .success(DeployedAnswer(response: response, milliseconds: 5))
  }

  init(_ template: String, deployed: String? = nil) {
    (self.template, self.deployed) = (template, deployed ?? template)
  }

  static let rest = Self.rest()
  static let http = Self.http()

  static func rest(
    auth: String = TemplateSamples.tokenAuth, cors: String = "AddDefaultAuthorizerToCorsPreflight: false",
    more: String = "", open: String = "Auth: { Authorizer: NONE }, ", events: String = ""
  ) -> String {
    TemplateSamples.rest(
      auth: auth + "\n        " + cors, extra: "      Cors: \"'*'\"\n" + more,
      events: """
                Open: { Type: Api, Properties: { \(open)RestApiId: !Ref Api, Path: /open, Method: get } }
        \(events)
        """)
  }

  static func http(
    auth: String = Self.httpAuth,
    cors: String = "CorsConfiguration: { AllowOrigins: ['https://app.example'], MaxAge: 60 }"
  ) -> String {
    // A route for everything else would get preflight requests too.
    TemplateSamples.http(auth: auth, extra: "      " + cors)
      .replacing("        Rest: { Type: HttpApi, Properties: { ApiId: !Ref Api } }\n", with: "")
  }

  static let httpAuth = TemplateSamples.requestAuth(
    """
                AuthorizerPayloadFormatVersion: '2.0'
                EnableSimpleResponses: false
                EnableFunctionDefaultPermissions: true
                Identity: { Headers: [Authorization] }
    """)

  /// Allows `good`, forbids `reader`, and knows no other token.
  @Sendable static func authorizer(_ event: String) -> InvocationAnswer {
    if event.contains("Bearer good") { return GatewayStage.policy() }
    return event.contains("Bearer reader") ? GatewayStage.policy("Deny") : GatewayStage.error("Unauthorized")
  }

  struct Scripted: FunctionInvoking {
    let answer: @Sendable (String) -> InvocationAnswer
    func outcome(of event: [UInt8]) async -> FunctionOutcome {
      FunctionOutcome(answer: answer(String(decoding: event, as: UTF8.self)))
    }
  }

  static let backend = Scripted { _ in
    .response(Array(#"{"statusCode":200,"headers":{"Content-Type":"text/plain"},"body":"hello"}"#.utf8))
  }

  var tokens: [RoleToken] {
    get throws { try roles.map { try RoleToken(role: $0, Array($0.utf8)) } }
  }

  var served: ServedAPIs { get throws { try GatewayTemplate(parsing: template).served } }

  func plan(except: [String] = [], values: [String: String] = ["id": "7"]) throws -> SmokePlan {
    let target = try SmokeTarget(
      try DeployedAddress(parsing: "Api=https://api.example.com/prod"), in: try served,
      hosts: ["api.example.com"])
    return try SmokePlan(
      [target], try .init(methods: methods, values: values, exceptions: except, roles: roles, wait: wait))
  }

  func predictor(_ base: Assumptions = Assumptions(), functions: Set<String> = ["Authorizer"]) throws
    -> Predictor
  {
    let (served, predicted, clock) = (try served, predicted, serviceClock)
    return Predictor(base, functions: functions) { assumptions in
      GatewayService(
        gateway: Gateway(served, settings: assumptions),
        functions: functions.isEmpty ? [:] : ["Authorizer": Scripted(answer: predicted)], clock: clock
      )
    }
  }

  /// The deployed API.
  func aws() throws -> GatewayService {
    GatewayService(
      gateway: Gateway(try GatewayTemplate(parsing: deployed).served, settings: behaviors),
      functions: ["Authorizer": Scripted(answer: authorizer), "Backend": Self.backend], clock: serviceClock)
  }

  /// What the deployed API was asked.
  final class Asked: Sendable {
    private let all = Mutex<[(url: String, request: GatewayRequest)]>([])
    var requests: [(url: String, request: GatewayRequest)] { all.withLock { $0 } }
    func add(_ url: String, _ request: GatewayRequest) { all.withLock { $0.append((url, request)) } }
  }

  func report(
    _ base: Assumptions = Assumptions(), asked: Asked = Asked(), except: [String] = [],
    waits: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> SmokeReport {
    let (aws, plan, tokens, proxy) = (try aws(), try plan(except: except), try tokens, proxy)
    let titles = Dictionary(
      plan.requests.map { (Self.key($0.exchange(tokens).request, $0.exchange(tokens).url), $0.title) }
    ) { first, _ in first }
    return try await plan.report(
      by: try predictor(base), tokens: tokens, rate: 2,
      clock: runClock ?? LambdaClock(now: LambdaClock.system.now, wait: { waits($0) })
    ) { request, url in
      asked.add(url, request)
      let answer = await aws.answer(request, to: aws.gateway.apis[0]).response
      return proxy(titles[Self.key(request, url)] ?? "", answer)
    }
  }

  private static func key(_ request: GatewayRequest, _ url: String) -> String {
    "\(request.method) \(url) \(request.values(ofHeader: "authorization")) \(request.values(ofHeader: "origin"))"
  }
}

extension SmokeReport {
  /// The codes of the differences and failures, with their requests.
  var found: [String: [String]] {
    var found: [String: [String]] = [:]
    for result in results {
      switch result.verdict {
      case .same: break
      case .differs(let difference, _): found[difference.code, default: []].append(result.request.title)
      case .failed(let failure): found["\(failure)", default: []].append(result.request.title)
      case .notSent: found["notSent", default: []].append(result.request.title)
      }
    }
    return found
  }

  var text: String { lines.joined(separator: "\n") }
}
