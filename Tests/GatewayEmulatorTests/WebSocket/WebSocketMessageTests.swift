@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
import JSON
import Testing

/// Messages of WebSocket APIs, compared with recorded events and with the Developer Guide.
@Suite struct WebSocketMessageTests {
  typealias Stage = WebSocketStage

  private static func event(
    of event: WebSocketEvent, _ message: String = "", key: String, authorizer: AuthorizerContext? = nil,
    variables: [String: String] = [:]
  ) throws -> JSONTree {
    let api = try Stage.api([Stage.route(key)], variables: variables)
    var seen: JSONTree?
    _ = Stage.send(message, to: api, event, authorizer: authorizer) { call in
      if case .function("F", let tree, .webSocket) = call.target { seen = tree }
      return .response(GatewayResponse(status: 200))
    }
    return try #require(seen)
  }

  // MARK: Events

  @Test func aMessageEventHasTheMembersOfRecordedOnes() throws {
    let message = #"{"action":"send","text":"é"}"#
    let event = try Self.event(of: .message(identifier: "Kf2dGd9lywMCEng="), message, key: "send")
    #expect(event.names == ["requestContext", "body", "isBase64Encoded"])
    #expect(event["body"] == .string(message))
    #expect(event["isBase64Encoded"] == .boolean(false))
    let context = try #require(event["requestContext"])
    #expect(
      context.names == [
        "routeKey", "messageId", "eventType", "extendedRequestId", "requestTime", "messageDirection", "stage",
        "connectedAt", "requestTimeEpoch", "identity", "requestId", "domainName", "connectionId", "apiId",
      ])
    #expect(context["routeKey"] == .string("send"))
    #expect(context["messageId"] == .string("Kf2dGd9lywMCEng="))
    #expect(context["eventType"] == .string("MESSAGE"))
    #expect(context["connectedAt"] == .number("1718636522535"))
    #expect(context["requestTimeEpoch"] == .number("1718636523035"))
    #expect(context["connectionId"] == .string(Stage.identifier))
    #expect(context["requestId"] == context["extendedRequestId"])
    #expect(
      context["identity"] == .members(["userAgent": .string("wscat"), "sourceIp": .string("192.0.2.1")]))
  }

  @Test func aDisconnectEventHasTheMembersOfRecordedOnes() throws {
    let event = try Self.event(of: .disconnect(.withoutCode), key: "$disconnect")
    #expect(event.names == ["headers", "multiValueHeaders", "requestContext", "isBase64Encoded"])
    #expect(event["headers"]?.names == ["Host", "x-api-key", "X-Forwarded-For", "x-restapi"])
    let context = try #require(event["requestContext"])
    #expect(
      context.names == [
        "routeKey", "disconnectStatusCode", "eventType", "extendedRequestId", "requestTime",
        "messageDirection",
        "disconnectReason", "stage", "connectedAt", "requestTimeEpoch", "identity", "requestId", "domainName",
        "connectionId", "apiId",
      ])
    #expect(context["disconnectStatusCode"] == .number("1005"))
    #expect(context["disconnectReason"] == .string("Client-side close frame status not set"))
    #expect(context["eventType"] == .string("DISCONNECT"))
  }

  @Test func laterEventsHaveTheAuthorizersContextAndNotTheHandshake() throws {
    let authorizer = AuthorizerContext(
      members: .members(["sub": .string("alice"), "principalId": .string("user-1")]),
      variables: ["sub": "alice"])
    for (event, key) in [
      (WebSocketEvent.message(identifier: "m"), "send"), (.disconnect(.lost), "$disconnect"),
    ] {
      let tree = try Self.event(
        of: event, #"{"action":"send"}"#, key: key, authorizer: authorizer, variables: ["table": "t"])
      #expect(tree.at("requestContext", "authorizer", "sub") == .string("alice"))
      #expect(tree.at("stageVariables", "table") == .string("t"))
      #expect(!String(decoding: tree.bytes(), as: UTF8.self).contains("secret"))
    }
  }

  // MARK: Routes

  @Test(arguments: [
    (#"{"action":"send"}"#, "send"), (#"{"action":"other"}"#, "$default"), ("not JSON", "$default"),
    (#"{"action":"$connect"}"#, "$default"), (#"{"action":"$disconnect"}"#, "$default"),
  ]) func aMessageGoesToItsRouteOrToTheDefault(_ message: String, _ key: String) throws {
    let routes = ["$connect", "$disconnect", "send", "$default"]
    var seen: String?
    _ = Stage.send(message, to: try Stage.api(routes.map { Stage.route($0) })) { call in
      seen = call.exchange.route.key
      return .response(GatewayResponse(status: 200))
    }
    #expect(seen == key)
    let answer = Stage.send(
      message, to: try Stage.api([Stage.route("$connect"), Stage.route("$disconnect")]))
    #expect(
      answer?.words
        == #"{"message": "Forbidden", "connectionId":"CqT7gcXzDoECJuw=", "requestId":"ZhFsxGQDDoEEMig="}"#)
    #expect(answer?.record.status == 403)
  }

  @Test func theEndOfAConnectionGoesToNoOtherRoute() throws {
    let api = try Stage.api([Stage.route("$connect"), Stage.route("$default")])
    #expect(Stage.send("", to: api, .disconnect(.lost)) == nil)
  }

  /// Only `$connect` can be guarded, so a guarded route must not be reached from an open connection.
  @Test(arguments: [
    Stage.route("send", access: .signature), Stage.route("send", needsAPIKey: true),
    Stage.route("send", access: .closed([])),
    Stage.route(
      "send",
      access: .closed([Diagnostic(line: 7, path: "Resources.R", problem: "is not known", cure: "x")])),
    Stage.route(
      "send", .unavailable(Diagnostic(line: 7, path: "Resources.I", problem: "is AWS", cure: "x"))),
  ]) func aRouteThatIsNotEmulatedCallsNothing(_ route: GatewayRoute) throws {
    var calls = 0
    let answer = Stage.send(#"{"action":"send"}"#, to: try Stage.api([route, Stage.route("$default")])) { _ in
      calls += 1
      return .response(GatewayResponse(status: 200))
    }
    #expect(calls == 0)
    #expect(answer?.record.status == 403 || answer?.record.status == 501)
    #expect(answer?.words?.contains(#""connectionId":"CqT7gcXzDoECJuw=""#) == true)
  }

  // MARK: Answers

  private static let replies: [(GatewayRoute.Reply, String, Bool)] = [
    (.none, "either", false), (.none, "both", false), (.oneOfBoth, "either", true),
    (.oneOfBoth, "both", false), (.both, "both", true),
  ]

  @Test(arguments: replies) func theClientReceivesAnAnswerOnTwoWayRoutesOnly(
    _ reply: GatewayRoute.Reply, _ setting: String, _ isSent: Bool
  ) throws {
    var settings = Assumptions()
    #expect(settings.assume("websocket-reply=" + setting) == nil)
    let api = try Stage.api([Stage.route("send", reply: reply)])
    // The status makes no difference.
    for status in [200, 500] {
      let answer = Stage.send(#"{"action":"send"}"#, to: api, settings: settings) { _ in
        .response(GatewayResponse(status: status, body: Array("hello".utf8)))
      }
      #expect(answer?.words == (isSent ? "hello" : nil))
      #expect(answer?.record.status == status)
    }
  }

  @Test func anEchoIsSentOnEveryRoute() throws {
    let api = try Stage.api([Stage.route("send")])
    #expect(Stage.send(#"{"action":"send"}"#, to: api) { .echo($0.echo) }?.text != nil)
    let end = try Stage.api([Stage.route("$disconnect")])
    #expect(Stage.send("", to: end, .disconnect(.lost)) { .echo($0.echo) }?.words == nil)
  }

  @Test(arguments: [
    (BackendAnswer.functionFailed(why: "x"), "Internal server error"),
    (.unreachable, "Internal server error"),
    (.timedOut, "Endpoint request timed out"),
  ]) func anErrorIsSentOnEveryRouteButNotAfterTheEnd(_ failure: BackendAnswer, _ words: String) throws {
    let api = try Stage.api([Stage.route("send"), Stage.route("$disconnect")])
    #expect(
      Stage.send(#"{"action":"send"}"#, to: api, backend: { _ in failure })?.words
        == #"{"message": "\#(words)", "connectionId":"CqT7gcXzDoECJuw=", "requestId":"ZhFsxGQDDoEEMig="}"#)
    #expect(Stage.send("", to: api, .disconnect(.lost), backend: { _ in failure })?.text == nil)
  }

  // MARK: HTTP

  @Test func anHTTPBackendReceivesTheMessageAndMappedParameters() throws {
    let changes = [
      ("X-Connection", ParameterValue.context("connectionId")), ("X-Sub", .context("authorizer.sub")),
    ]
    .map { HTTPIntegration.Change(place: .header($0.0), action: .overwrite, value: $0.1) }
    let integration = HTTPIntegration(method: nil, address: "https://backend.example/in", changes: changes)
    var seen: BackendRequest?
    _ = Stage.send(
      #"{"action":"send"}"#, to: try Stage.api([Stage.route("send", .http(integration))]),
      authorizer: AuthorizerContext(members: .object([]), variables: ["sub": "alice"])
    ) { call in
      if case .http(let request) = call.target { seen = request }
      return .response(GatewayResponse(status: 200))
    }
    let request = try #require(seen)
    #expect(request.method == "POST")
    #expect(request.address == "https://backend.example/in")
    #expect(String(decoding: request.body, as: UTF8.self) == #"{"action":"send"}"#)
    func values(_ name: String) -> [String] { request.headers.filter { $0.name == name }.map(\.value) }
    #expect(values("X-Connection") == [Stage.identifier])
    #expect(values("X-Sub") == ["alice"])
    #expect(values("User-Agent") == ["AmazonAPIGateway_a1b2c3d4e5"])
    #expect(values("Cookie") == [])
  }
}
