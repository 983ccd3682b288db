@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import Templates
import Testing

/// Limits of a stage: each route has a bucket, for all clients together.
@Suite struct StageThrottleTests {
  private static let one = "ThrottlingRateLimit: 0.5, ThrottlingBurstLimit: 1"

  private static func rest(_ settings: String) -> String {
    SAMTemplate.text(
      events: ["get", "put"].map { SAMTemplate.event($0, "/a") }.joined(separator: ", ") + ", "
        + SAMTemplate.event("any", "/b/{id}"),
      resources: SAMTemplate.rest("MethodSettings: [\(settings)]"))
  }

  private static func http(_ settings: String) -> String {
    SAMTemplate.text(
      events: ["get", "put"].map { SAMTemplate.httpEvent($0, "/a") }.joined(separator: ", "),
      resources: SAMTemplate.http(settings))
  }

  private static func plain(_ settings: String) -> String {
    """
    Resources:
      Api: { Type: AWS::ApiGateway::RestApi, Properties: { Name: a } }
      Method: { Type: AWS::ApiGateway::Method, Properties: { RestApiId: !Ref Api, ResourceId: !GetAtt Api.RootResourceId, HttpMethod: GET, AuthorizationType: NONE, Integration: { Type: HTTP_PROXY, IntegrationHttpMethod: GET, Uri: "https://example.com/" } } }
      Deployment: { Type: AWS::ApiGateway::Deployment, Properties: { RestApiId: !Ref Api, \(settings) } }
    """
  }

  private static func statuses(
    _ template: String, _ requests: [String], behaviors: Assumptions = .init()
  ) throws -> [Int] {
    var stage = try GatewayStage(template, settings: behaviors)
    return requests.map { request in
      let parts = request.split(separator: " ").map(String.init)
      return stage.send(parts[0], parts[1]).response.status
    }
  }

  /// The settings of a REST API, requests, and their statuses.
  @Test(arguments: [
    "{ HttpMethod: '*', ResourcePath: '/*', \(one) }": [200, 429, 200, 200, 429],
    "{ \(one) }": [200, 429, 200, 200, 429],
    "{ HttpMethod: GET, ResourcePath: /a, \(one) }": [200, 429, 200, 200, 200],
    "{ HttpMethod: GET, ResourcePath: /~1a, \(one) }": [200, 429, 200, 200, 200],
    "{ HttpMethod: '*', ResourcePath: '/b/{id}', \(one) }": [200, 200, 200, 200, 429],
    "{ HttpMethod: GET, ResourcePath: /a, ThrottlingRateLimit: 9, ThrottlingBurstLimit: 9 }, "
      + "{ HttpMethod: '*', ResourcePath: '/*', \(one) }": [200, 200, 200, 200, 429],
    "{ HttpMethod: '*', ResourcePath: '/*', LoggingLevel: INFO, MetricsEnabled: true }":
      [200, 200, 200, 200, 200],
  ]) func methodsOfARESTAPI(_ settings: String, _ statuses: [Int]) throws {
    let requests = ["GET /prod/a", "GET /prod/a", "PUT /prod/a", "GET /prod/b/1", "GET /prod/b/2"]
    #expect(try Self.statuses(Self.rest(settings), requests) == statuses)
  }

  @Test(arguments: [
    ("DefaultRouteSettings: { \(one) }", [200, 429, 200]),
    ("RouteSettings: { 'GET /a': { \(one) } }", [200, 429, 200]),
    ("RouteSettings: { 'PUT /a': { ThrottlingRateLimit: 0, ThrottlingBurstLimit: 0 } }", [200, 200, 429]),
    ("DefaultRouteSettings: { DetailedMetricsEnabled: true }", [200, 200, 200]),
  ]) func routesOfAnHTTPAPI(_ settings: String, _ statuses: [Int]) throws {
    #expect(try Self.statuses(Self.http(settings), ["GET /a", "GET /a", "PUT /a"]) == statuses)
  }

  @Test(arguments: [
    "StageName: prod, StageDescription: { \(one) }",
    "StageName: prod, StageDescription: { MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', \(one) }] }",
    "StageName: prod, StageDescription: { MethodSettings: [{ HttpMethod: GET, ResourcePath: /, \(one) }] }",
  ]) func aStageOfADeployment(_ settings: String) throws {
    #expect(try Self.statuses(Self.plain(settings), ["GET /prod/", "GET /prod/"]) == [200, 429])
  }

  /// The answers, the log, and the bucket that fills by the gateway's clock. The limit is for all clients together.
  @Test func aBucketFills() throws {
    var stage = try GatewayStage(Self.rest("{ \(Self.one) }"))
    #expect(stage.send("GET", "/prod/a").response.status == 200)
    let refused = stage.send("GET", "/prod/a", from: "192.0.2.9")
    #expect(refused.response.status == 429)
    #expect(refused.text == #"{"message":"Too Many Requests"}"#)
    #expect(refused.response.header("x-amzn-ErrorType") == "TooManyRequestsException")
    #expect(refused.record.line.contains("the stage throttles the route"))
    stage.now += 2000
    #expect(stage.send("GET", "/prod/a").response.status == 200)
  }

  // MARK: A limit that is missing

  /// Reports say that API Gateway takes 0 for a missing burst, which refuses every request.
  @Test(arguments: ["ThrottlingRateLimit: 5", "ThrottlingBurstLimit: 1"])
  func halfALimitIsNoted(_ half: String) throws {
    let text = Self.rest("{ \(half) }")
    let notes = try GatewayTemplate(parsing: text).notes
    #expect(notes.contains { $0.text().contains("--assume missing-throttle-limit=none") }, "\(notes)")
    let isBurst = half.contains("Burst")
    #expect(try Self.statuses(text, ["GET /prod/a", "GET /prod/a"]) == (isBurst ? [200, 429] : [429, 429]))
    var behaviors = Assumptions()
    #expect(behaviors.assume("missing-throttle-limit=none") == nil)
    #expect(try Self.statuses(text, ["GET /prod/a", "GET /prod/a"], behaviors: behaviors) == [200, 200])
  }

  @Test func halfALimitOfAPlanIsTheSame() throws {
    let key = [GatewayRequest.Header("x-api-key", APIKeyTests.value)]
    for (limit, missing, status) in [
      (UsagePlan.Throttle(rate: 5, burst: nil), Assumptions.MissingLimit.zero, 429),
      (.init(rate: 5, burst: nil), .none, 200), (.init(rate: nil, burst: 1), .zero, 200),
    ] as [(UsagePlan.Throttle, Assumptions.MissingLimit, Int)] {
      var settings = Assumptions()
      settings.missingThrottleLimit = missing
      var access = APIAccess()
      access.keys = [APIKey(name: "Key", value: APIKeyTests.value, isEnabled: true)]
      access.plans = [UsagePlan(name: "Plan", keys: ["Key"], throttle: limit, quota: nil)]
      var stage = GatewayStage(
        [GatewayStage.api([try GatewayStage.route("GET /a", needsAPIKey: true)], access: access)],
        settings: settings)
      #expect(stage.send("GET", "/prod/a", headers: key).response.status == status)
    }
  }

  /// A limit that cannot be read lets nothing pass: without it, more would pass than on AWS.
  @Test(arguments: [
    "{ ThrottlingRateLimit: fast, ThrottlingBurstLimit: 1 }",
    "{ ThrottlingRateLimit: -1, ThrottlingBurstLimit: 1 }",
    "{ ThrottlingRateLimit: 1, ThrottlingBurstLimit: 1.5 }",
    "{ ThrottlingRateLimit: inf, ThrottlingBurstLimit: 1 }",
    "seven", "{ ThrottlingRateLimits: 1, ThrottlingBurstLimit: 1 }",
    "{ HttpMethod: GETT, ResourcePath: /a, \(one) }", "{ HttpMethod: GET, ResourcePath: a, \(one) }",
    "{ HttpMethod: [GET], ResourcePath: /a, \(one) }",
    "{ HttpMethod: GET, ResourcePath: /a, ThrottlingRateLimit: [1], ThrottlingBurstLimit: 1 }",
    "{ ThrottlingRateLimit: !ImportValue Rate, ThrottlingBurstLimit: 1 }",
    "{ HttpMethod: GET, ResourcePath: /a, ThrottlingRateLimit: 100, ThrottlingBurstLimit: 100 }, { \(one), Limit: 1 }",
  ]) func aLimitThatCannotBeRead(_ setting: String) throws {
    let text = Self.rest(setting)
    var behaviors = Assumptions()
    #expect(behaviors.assume("missing-throttle-limit=none") == nil)
    for behaviors in [Assumptions(), behaviors] {
      #expect(try Self.statuses(text, ["GET /prod/a", "PUT /prod/a"], behaviors: behaviors) == [429, 429])
    }
    #expect(try GatewayTemplate(parsing: text).notes.contains { $0.text().contains("may limit is a 429") })
  }

  @Test(arguments: [
    ("DefaultRouteSettings: seven", [429, 429]), ("RouteSettings: []", [429, 429]),
    ("DefaultRouteSettings: { ThrottlingRateLimit: fast }", [429, 429]),
    ("RouteSettings: { 'GET /a': { ThrottlingRateLimit: fast, ThrottlingBurstLimit: 1 } }", [429, 200]),
    ("RouteSettings: { 'GET /a': { ThrottlingRate: 1, ThrottlingBurstLimit: 1 } }", [429, 200]),
    ("RouteSettings: { 'GET /a': 1 }", [429, 200]),
  ]) func aLimitOfAnHTTPAPIThatCannotBeRead(_ settings: String, _ statuses: [Int]) throws {
    #expect(try Self.statuses(Self.http(settings), ["GET /a", "PUT /a"]) == statuses)
  }

  /// API Gateway finds no route for these.
  @Test(arguments: ["'GET /b'", "'get /a'", "'GET /a/'", "$default", "'/a'"])
  func aLimitOfARouteThatDoesNotExistClosesTheAPI(_ key: String) {
    let error = #expect(throws: TemplateError.self) {
      try GatewayTemplate(parsing: Self.http("RouteSettings: { \(key): { \(Self.one) } }"))
    }
    #expect(
      error?.findings.contains { $0.problem.contains("limits a route that the API does not have") } == true)
  }

  /// SAM writes the `RouteSettings` of an event into the stage.
  @Test(arguments: [
    (one, [200, 429, 200]), ("ThrottlingRateLimit: fast", [429, 429, 200]), ("", [200, 200, 200]),
  ]) func anEventHasALimit(_ limit: String, _ statuses: [Int]) throws {
    let events = [
      SAMTemplate.httpEvent("get", "/a", "RouteSettings: { \(limit) }"), SAMTemplate.httpEvent("put", "/a"),
    ]
    let text = SAMTemplate.text(events: events.joined(separator: ", "), resources: SAMTemplate.http(""))
    #expect(try Self.statuses(text, ["GET /a", "GET /a", "PUT /a"]) == statuses)
  }
}
