@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import AuthorizerContract
@testable import GatewayModel
@testable import LambdaEmulator
import Foundation
import JSON
import TestSupport
import Testing

/// The events of authorizers and backends, compared with recorded events.
@Suite struct GatewayEventTests {
  static let events = TemplateSamples.packageRoot.appendingPathComponent("../shared/events")
  static let hasEvents = FileManager.default.fileExists(atPath: events.path)
  static let powertools = "powertools-lambda-typescript/packages/parser/tests/events/"

  static func recorded(_ path: String) throws -> JSONTree {
    try JSONTree(parsing: Array(Data(contentsOf: events.appendingPathComponent(path))))
  }

  static let restRequest = AuthorizerCacheTests.request("Headers: [Authorization]")
  static let headers: [GatewayRequest.Header] = [
    .init("Host", "127.0.0.1:8080"), .init("Authorization", "Bearer foo"),
    .init("User-Agent", "HTTPie/3.2.2"),
    .init("Accept", "*/*"), .init("Connection", "keep-alive"),
  ]

  @Test(.enabled(if: hasEvents, "the recorded events are in ../shared/events"))
  func aRESTRequestEventHasTheMembersOfARecordedOne() throws {
    let recorded = try Self.recorded(Self.powertools + "apigw-rest/authorizer-request.json")
    var stage = try GatewayStage(Self.restRequest)
    _ = stage.send("GET", "/prod/pets", headers: Self.headers)
    let event = stage.events[0]
    #expect(event.names == recorded.names)
    let contexts = [event, recorded].map { $0["requestContext"]?.names ?? [] }
    #expect(contexts[0] == contexts[1])
    let identities = [event, recorded].map { Set($0.at("requestContext", "identity")?.names ?? []) }
    #expect(identities[0] == identities[1])
    #expect(event.at("requestContext", "requestTime") == recorded.at("requestContext", "requestTime"))
    #expect(event["queryStringParameters"] == recorded["queryStringParameters"])
  }

  @Test(.enabled(if: hasEvents, "the recorded events are in ../shared/events"))
  func anHTTP2EventHasTheMembersOfARecordedOne() throws {
    let recorded = try Self.recorded(Self.powertools + "apigw-http/authorizer-request.json")
    var stage = try GatewayStage(StatusTemplates.http())
    _ = stage.send("GET", "/pets", headers: Self.headers)
    let event = stage.events[0]
    #expect(event.names == recorded.names)
    #expect(event["requestContext"]?.names == recorded["requestContext"]?.names)
    #expect(event.at("requestContext", "http")?.names == recorded.at("requestContext", "http")?.names)
    #expect(event["identitySource"] == recorded["identitySource"])
  }

  @Test(.enabled(if: hasEvents, "the recorded events are in ../shared/events"))
  func aBackendsEventHasTheMembersOfARecordedOne() throws {
    let recorded = try Self.recorded(Self.powertools + "apigw-rest/lambda-authorizer-auth.json")
    var stage = try GatewayStage(StatusTemplates.rest)
    let event = try #require(stage.send("GET", "/prod/pets", headers: Self.headers).json?["event"])
    #expect(event.names == recorded.names)
    #expect(event["requestContext"]?.names == recorded["requestContext"]?.names)
    #expect(
      event.at("requestContext", "authorizer")
        == (try JSONTree(parsing: Array(#"{"principalId":"user-1","integrationLatency":7}"#.utf8))))
    for name in ["queryStringParameters", "pathParameters", "stageVariables", "body"] {
      #expect(event[name] == recorded[name])
    }
  }

  @Test func aTokenEventHasThreeMembers() throws {
    var stage = try GatewayStage(StatusTemplates.rest)
    _ = stage.send("GET", "/prod/pets", headers: [.init("authorization", "Bearer x")])
    #expect(stage.events[0].names == ["type", "methodArn", "authorizationToken"])
    #expect(stage.events[0]["authorizationToken"] == .string("Bearer x"))
    #expect(AuthorizerEvent(stage.events[0].bytes())?.kind == .restToken)
  }

  @Test func namesAndRepeatedValuesFollowEachKind() throws {
    let headers = Self.headers + [.init("X-One", "a"), .init("x-one", "b"), .init("Cookie", "k=1; l=2")]
    var rest = try GatewayStage(Self.restRequest)
    _ = rest.send("GET", "/prod/pets/a%20b", query: "q=1&q=2&r=x%26y+z", headers: headers)
    let event = rest.events[0]
    #expect(event.at("headers", "X-One") == .string("b"))
    #expect(event.at("multiValueHeaders", "X-One") == .array([.string("a"), .string("b")]))
    #expect(event.at("headers", "Connection") == nil)
    #expect(event.at("headers", "X-Forwarded-For") == .string("192.0.2.1"))
    #expect(event.at("queryStringParameters", "q") == .string("2"))
    #expect(event.at("multiValueQueryStringParameters", "q") == .array([.string("1"), .string("2")]))
    #expect(event.at("queryStringParameters", "r") == .string("x&y z"))
    #expect(event.at("pathParameters", "id") == .string("a%20b"))
    #expect(event["resource"] == .string("/pets/{id}"))

    var http = try GatewayStage(StatusTemplates.http())
    _ = http.send("GET", "/pets", query: "q=1&q=2", headers: headers)
    let other = http.events[0]
    #expect(other.at("headers", "x-one") == .string("a,b"))
    #expect(other.at("headers", "cookie") == nil)
    #expect(other["cookies"] == .array([.string("k=1"), .string("l=2")]))
    #expect(other.at("queryStringParameters", "q") == .string("1,2"))
    #expect(other["rawQueryString"] == .string("q=1&q=2"))
    #expect(other["routeKey"] == .string("GET /pets"))
  }

  @Test func anHTTP1EventJoinsItsIdentitySources() throws {
    let template = TemplateSamples.http(
      auth: TemplateSamples.requestAuth(
        "            AuthorizerPayloadFormatVersion: '1.0'\n            Identity: { Headers: [X-A, X-B] }"))
    var stage = try GatewayStage(template)
    _ = stage.send("GET", "/pets", headers: [.init("x-a", "user1"), .init("X-B", "123")])
    let event = stage.events[0]
    #expect(event["version"] == .string("1.0"))
    #expect(event["identitySource"] == .string("user1,123"))
    #expect(event["authorizationToken"] == .string("user1,123"))
    #expect(event["multiValueHeaders"] == nil)
    #expect(AuthorizerEvent(event.bytes())?.kind == .http1)
  }

  @Test(arguments: [
    ("http1-multi-value-headers=no", nil),
    ("http1-multi-value-headers=yes", JSONTree.array([.string("a"), .string("b")])),
  ]) func repeatedHeadersOfAnHTTP1EventAreASetting(_ setting: String, _ all: JSONTree?) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let template = TemplateSamples.http(
      auth: TemplateSamples.requestAuth("            AuthorizerPayloadFormatVersion: '1.0'"))
    var stage = try GatewayStage(template, settings: settings)
    let headers = Self.headers + [.init("DPoP", "a"), .init("dpop", "b")]
    _ = stage.send("GET", "/pets", headers: headers)
    #expect(stage.events[0].at("headers", "dpop") == .string("b"))
    #expect(stage.events[0].at("multiValueHeaders", "dpop") == all)
  }

  @Test(arguments: [("http-route-arn=concrete", "GET/pets/7"), ("http-route-arn=template", "GET/pets/{id}")])
  func theValueOfRouteArnIsASetting(_ setting: String, _ end: String) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    var stage = try GatewayStage(StatusTemplates.http(), settings: settings)
    _ = stage.send("GET", "/pets/7")
    let arn = try #require(stage.events[0]["routeArn"]?.plain)
    #expect(arn.hasSuffix("/$default/\(end)"))
  }

  @Test(arguments: [("rest-header-names=any-case", 200), ("rest-header-names=exact", 401)])
  func theSpellingOfRESTHeadersIsASetting(_ setting: String, _ status: Int) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    var stage = try GatewayStage(StatusTemplates.rest, settings: settings)
    #expect(stage.send("GET", "/prod/pets", headers: [.init("authorization", "x")]).response.status == status)
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
  }

  @Test func aConnectEventHasNoPathAndNoVerb() throws {
    var stage = try GatewayStage(TemplateSamples.deployed())
    let answer = stage.send("GET", "/live", api: "WebSocketApi", connectionID: "CqT7gcXzDoECJuw=")
    #expect(answer.response.status == 200)
    let event = stage.events[0]
    #expect(AuthorizerEvent(event.bytes())?.kind == .webSocket)
    #expect(
      Set(event.names).isDisjoint(with: ["path", "resource", "httpMethod", "pathParameters", "version"]))
    let arn = try #require(event["methodArn"]?.plain)
    #expect(arn.hasSuffix("/live/$connect"))
    let sample = try JSONTree(
      parsing: Array(
        Data(contentsOf: TemplateSamples.packageRoot.appendingPathComponent("events/websocket-good.json"))))
    #expect(event.names == sample.names)
    #expect(event["requestContext"]?.names == sample["requestContext"]?.names.filter { $0 != "" })
  }

  @Test(arguments: [
    (GatewayStage.policy("Deny"), 403, #"{"message":"Forbidden"}"#),
    (GatewayStage.error("Unauthorized"), 401, #"{"message":"Unauthorized"}"#),
    (GatewayStage.error("x"), 500, #"{"message":"Internal Server Error"}"#),
  ]) func aHandshakeIsRefused(_ answer: InvocationAnswer, _ status: Int, _ body: String) throws {
    var stage = try GatewayStage(TemplateSamples.deployed()) { _ in answer }
    let refused = stage.send("GET", "/live", api: "WebSocketApi", connectionID: "c")
    #expect(refused.response.status == status)
    #expect(refused.text == body)
    #expect(
      stage.send("GET", "/live", headers: [], api: "WebSocketApi", connectionID: "c").response.status == 401)
    #expect(stage.calls == 1)
  }

  @Test func contextReachesBackendsAsTextOrTyped() throws {
    let context = #"{"n":7,"b":true,"s":"x"}"#
    var rest = try GatewayStage(StatusTemplates.rest) { _ in GatewayStage.policy(context: context) }
    let authorizer = rest.send("GET", "/prod/pets").json?.at("event", "requestContext", "authorizer")
    #expect(authorizer?["n"] == .string("7"))
    #expect(authorizer?["b"] == .string("true"))
    #expect(authorizer?["integrationLatency"] == .number("7"))
    #expect(
      rest.send("GET", "/prod/pets").json?.at("event", "requestContext", "authorizer", "n") == .string("7"))

    let typed = #"{"n":7,"b":true,"s":"x","l":[1,{"m":null}]}"#
    var http = try GatewayStage(StatusTemplates.http()) { _ in GatewayStage.policy(context: typed) }
    let lambda = http.send("GET", "/pets").json?.at("event", "requestContext", "authorizer", "lambda")
    #expect(lambda == (try JSONTree(parsing: Array(typed.utf8))))
    http.function = { _ in GatewayStage.policy() }
    #expect(http.send("GET", "/pets").json?.at("event", "requestContext", "authorizer", "lambda") == .null)
  }

  @Test func theLogLineContainsNoSecrets() throws {
    var stage = try GatewayStage(StatusTemplates.rest)
    let answer = stage.send(
      "GET", "/prod/pets", query: "token=geheim", headers: [.init("Authorization", "Bearer geheim")])
    #expect(
      answer.record.line
        == "2024-06-17T15:02:03.035Z r-1 Api GET /prod/pets?… route=\"GET /pets\" status=200 authorizer=Bearer "
        + "answer=called(7ms) decision=\"allowed by Statement[0]\"")
    #expect(!answer.record.line.contains("geheim"))
    #expect(stage.send("GET", "/prod/x\u{1B}[31m").record.line.contains("/prod/x [31m"))
  }
}
