@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
import JSON
import Testing

/// `X-Forwarded-For`, `-Port` and `-Proto`, which API Gateway adds to each request.
@Suite struct ForwardedHeaderTests {
  enum Kind: CaseIterable, Sendable { case rest, http1, http2, webSocket }

  struct Fact: Sendable {
    let name: String
    /// What the client sends.
    var sent: [String] = []
    let value: String
  }

  /// `X-Forwarded-For` is appended to, the others are replaced.
  static let facts = [
    Fact(name: "X-Forwarded-For", value: "192.0.2.1"),
    Fact(name: "x-forwarded-for", sent: ["203.0.113.7"], value: "203.0.113.7, 192.0.2.1"),
    Fact(
      name: "X-Forwarded-For", sent: ["203.0.113.7, 198.51.100.1", "10.0.0.1"],
      value: "203.0.113.7, 198.51.100.1, 10.0.0.1, 192.0.2.1"),
    Fact(name: "X-Forwarded-Proto", value: "https"),
    Fact(name: "X-Forwarded-Proto", sent: ["http"], value: "https"),
    Fact(name: "X-Forwarded-Port", sent: ["80", "8080"], value: "443"),
  ]

  private static func stage(
    _ kind: Kind, source: String, _ settings: Assumptions = Assumptions()
  ) throws -> GatewayStage {
    let sources = [IdentitySource.header(source)]
    let form: GatewayAuthorizer.Form =
      switch kind {
      case .rest: .restRequest(sources)
      case .http1: .http1(sources)
      case .http2: .http2(sources, simpleAnswers: false)
      case .webSocket: .webSocket(sources)
      }
    let authorizer = GatewayAuthorizer(
      name: "Own", function: "F", form: form, timeToLiveSeconds: kind == .webSocket ? 0 : 60)
    let route =
      kind == .webSocket
      ? WebSocketStage.route("$connect", .webSocketMock, access: .lambda(authorizer))
      : try GatewayStage.route("GET /pets", access: .lambda(authorizer))
    let api =
      kind == .webSocket
      ? try WebSocketStage.api([route], stage: "prod")
      : GatewayStage.api([route], isREST: kind == .rest)
    return GatewayStage([api], settings: settings)
  }

  private static func send(
    _ stage: inout GatewayStage, _ kind: Kind, _ headers: [GatewayRequest.Header]
  ) -> GatewayAnswer {
    let path = ["/prod/pets", "/pets", "/pets", "/prod"][Kind.allCases.firstIndex(of: kind) ?? 0]
    return stage.send(
      "GET", path, headers: headers, connectionID: kind == .webSocket ? WebSocketStage.identifier : nil)
  }

  @Test(arguments: facts, Kind.allCases)
  func identitySourcesSeeWhatTheEventHas(_ fact: Fact, _ kind: Kind) throws {
    var stage = try Self.stage(kind, source: fact.name)
    let headers = fact.sent.map { GatewayRequest.Header(fact.name, $0) }
    #expect(Self.send(&stage, kind, headers).response.status == 200)
    let event = try #require(stage.events.first)
    let shown = kind == .rest || kind == .webSocket ? Self.canonical(fact.name) : fact.name.lowercased()
    #expect(event.at("headers", shown) == .string(fact.value))
    switch kind {
    case .http1: #expect(event["identitySource"] == .string(fact.value))
    case .http2: #expect(event["identitySource"] == .array([.string(fact.value)]))
    case .rest, .webSocket: break
    }
  }

  private static func canonical(_ name: String) -> String {
    ["X-Forwarded-For", "X-Forwarded-Port", "X-Forwarded-Proto"].first {
      $0.lowercased() == name.lowercased()
    } ?? name
  }

  /// Two clients never share an answer because one of them sends the address of the other.
  @Test(arguments: [Kind.rest, .http1, .http2])
  func theAddressOfTheConnectionIsInTheCacheKey(_ kind: Kind) throws {
    var stage = try Self.stage(kind, source: "X-Forwarded-For")
    let path = kind == .rest ? "/prod/pets" : "/pets"
    _ = stage.send("GET", path, headers: [], from: "192.0.2.1")
    _ = stage.send("GET", path, headers: [.init("X-Forwarded-For", "192.0.2.1")], from: "192.0.2.2")
    _ = stage.send("GET", path, headers: [], from: "192.0.2.1")
    #expect(stage.calls == 2)
  }

  /// A recorded event settles the question for WebSocket APIs (localstack#7191).
  @Test(arguments: Kind.allCases, ["added", "as-sent"])
  func forOtherKindsItIsASetting(_ kind: Kind, _ word: String) throws {
    var settings = Assumptions()
    #expect(settings.assume("forwarded-headers=\(word)") == nil)
    var stage = try Self.stage(kind, source: "X-Forwarded-Proto", settings)
    let isMissing = word == "as-sent" && kind != .webSocket
    #expect(Self.send(&stage, kind, []).response.status == (isMissing ? 401 : 200))
    #expect(stage.calls == (isMissing ? 0 : 1))
  }

  @Test func anotherMissingSourceIsStillA401() throws {
    let authorizer = GatewayAuthorizer(
      name: "Own", function: "F",
      form: .http2([.header("Authorization"), .header("X-Forwarded-For")], simpleAnswers: false),
      timeToLiveSeconds: 0)
    let api = GatewayStage.api(
      [try GatewayStage.route("GET /pets", access: .lambda(authorizer))], isREST: false)
    var stage = GatewayStage([api])
    #expect(stage.send("GET", "/pets", headers: []).response.status == 401)
    #expect(stage.calls == 0)
  }

  /// Parameters of mappings and of validators see the same as identity sources.
  @Test(arguments: [
    ("forwarded-headers=added", 200, "10.0.0.1, 192.0.2.1"), ("forwarded-headers=as-sent", 200, "10.0.0.1"),
  ]) func parametersSeeThem(_ setting: String, _ status: Int, _ value: String) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let integration = HTTPIntegration(
      method: nil, address: "https://b.example/",
      changes: [
        .init(place: .header("X-Client"), action: .overwrite, value: .header("X-Forwarded-For"))
      ])
    var route = try GatewayStage.route("GET /pets", integration: .http(integration))
    route.validation.require("X-Forwarded-For", in: "header")
    var stage = GatewayStage([GatewayStage.api([route])], settings: settings)
    let answer = stage.send("GET", "/prod/pets", headers: [.init("X-Forwarded-For", "10.0.0.1")])
    #expect(answer.response.status == status)
    #expect(answer.json?.at("headers", "X-Client") == .string(value), "\(answer.text)")
    let bare = stage.send("GET", "/prod/pets", headers: [])
    #expect(bare.response.status == (setting.hasSuffix("added") ? 200 : 400))
  }
}
