@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import GatewayModel
@testable import LambdaEmulator
@testable import Text
import JSON
import Testing

/// API keys and usage plans ("Usage plans and API keys for REST APIs").
@Suite struct APIKeyTests {
  static let value = "apikey1234abcdefghij0123456789"

  static func stage(
    source: APIKeySource = .header, access: RouteAccess = .open, throttle: UsagePlan.Throttle? = nil,
    quota: UsagePlan.Quota? = nil, methods: [String: UsagePlan.Throttle] = [:],
    function: @escaping (JSONTree) -> InvocationAnswer = { _ in GatewayStage.policy() }
  ) throws -> GatewayStage {
    var api = APIAccess()
    api.keySource = source
    api.keys = [
      APIKey(name: "Key", value: value, isEnabled: true),
      APIKey(name: "Second", value: "second", isEnabled: true),
      APIKey(name: "Off", value: "off", isEnabled: false),
      APIKey(name: "Lost", value: "lost", isEnabled: true),
      APIKey(name: "Unknown", value: nil, isEnabled: true),
    ]
    api.plans = [
      UsagePlan(
        name: "Plan", keys: ["Key", "Second", "Off", "Unknown"], throttle: throttle, quota: quota,
        methodThrottles: methods)
    ]
    return GatewayStage(
      [
        GatewayStage.api(
          [
            try GatewayStage.route("GET /pets", access: access, needsAPIKey: true),
            try GatewayStage.route("ANY /dogs", access: access, needsAPIKey: true),
            try GatewayStage.route("GET /free"),
          ], access: api)
      ], function: function)
  }

  static func headers(_ key: String?) -> [GatewayRequest.Header] {
    GatewayStage.bearer + (key.map { [.init("X-Api-Key", $0)] } ?? [])
  }

  @Test(
    arguments: [
      (value, 200), (nil, 403), ("", 403), ("other", 403), ("off", 403), ("lost", 403),
      (value.uppercased(), 403), (value + ",", 403),
    ] as [(String?, Int)]) func aKeyOfAPlanIsNeeded(_ key: String?, _ status: Int) throws
  {
    var stage = try Self.stage()
    let answer = stage.send("GET", "/prod/pets", headers: Self.headers(key))
    #expect(answer.response.status == status)
    if status == 403 {
      #expect(answer.text == #"{"message":"Forbidden"}"#)
      #expect(answer.response.header("x-amzn-ErrorType") == "ForbiddenException")
    }
    #expect(!answer.record.line.contains(Self.value))
    #expect(stage.send("GET", "/prod/free", headers: Self.headers(key)).response.status == 200)
  }

  @Test func aRepeatedKeyIsRefused() throws {
    var stage = try Self.stage()
    let headers = Self.headers(Self.value) + [.init("x-api-key", Self.value)]
    #expect(stage.send("GET", "/prod/pets", headers: headers).response.status == 403)
  }

  @Test func theEventHasTheKeyOnlyWhereItIsNeeded() throws {
    var stage = try Self.stage()
    let event = stage.send("GET", "/prod/pets", headers: Self.headers(Self.value)).json
    let identity = event?.at("event", "requestContext", "identity")
    #expect(identity?["apiKey"] == .string(Self.value))
    #expect(identity?["apiKeyId"] == .string(StableIdentifier.text(of: "Key")))
    let free = stage.send("GET", "/prod/free", headers: Self.headers(Self.value)).json
    #expect(free?.at("event", "requestContext", "identity")?["apiKey"] == nil)
  }

  /// "Choose an API key source": the authorizer returns the key; the header counts no more.
  @Test(arguments: [
    (#","usageIdentifierKey":"\#(value)""#, 200), (#","usageIdentifierKey":"other""#, 403), ("", 403),
  ]) func theAuthorizerIsTheSourceOfTheKey(_ more: String, _ status: Int) throws {
    var stage = try Self.stage(source: .authorizer, access: .lambda(GatewayStage.tokenAuthorizer)) { _ in
      GatewayStage.policy(more: more)
    }
    #expect(stage.send("GET", "/prod/pets", headers: Self.headers(Self.value)).response.status == status)
  }

  @Test func withoutAnAuthorizerASourceAuthorizerHasNoKey() throws {
    var stage = try Self.stage(source: .authorizer)
    #expect(stage.send("GET", "/prod/pets", headers: Self.headers(Self.value)).response.status == 403)
  }

  /// The authorizer is first: its refusal is the answer, and the request uses nothing of the plan.
  @Test func theAuthorizerDecidesBeforeTheKey() throws {
    var stage = try Self.stage(
      access: .lambda(GatewayStage.tokenAuthorizer), quota: .init(limit: 1, period: .day))
    stage.function = { _ in GatewayStage.policy("Deny") }
    let denied = stage.send("GET", "/prod/pets", headers: Self.headers(nil))
    #expect(denied.text.contains("with an explicit deny"))
    #expect(stage.send("GET", "/prod/pets", headers: Self.headers(Self.value)).response.status == 403)
    #expect(stage.calls == 2)
    stage.function = { _ in GatewayStage.policy() }
    #expect(stage.send("GET", "/prod/pets", headers: Self.headers(nil)).text == #"{"message":"Forbidden"}"#)
    #expect(stage.send("GET", "/prod/pets", headers: Self.headers(Self.value)).response.status == 200)
    #expect(stage.send("GET", "/prod/pets", headers: Self.headers(Self.value)).response.status == 429)
  }

  @Test func aThrottleAndAQuotaHaveTheirOwn429() throws {
    var stage = try Self.stage(throttle: .init(rate: 1, burst: 1), quota: .init(limit: 2, period: .day))
    let headers = Self.headers(Self.value)
    #expect(stage.send("GET", "/prod/pets", headers: headers).response.status == 200)
    let throttled = stage.send("GET", "/prod/pets", headers: headers)
    #expect(throttled.response.status == 429)
    #expect(throttled.text == #"{"message":"Too Many Requests"}"#)
    #expect(throttled.response.header("x-amzn-ErrorType") == "TooManyRequestsException")
    #expect(stage.send("GET", "/prod/pets", headers: Self.headers("second")).response.status == 200)
    stage.now += 1000
    #expect(stage.send("GET", "/prod/pets", headers: headers).response.status == 200)
    stage.now += 1000
    let exceeded = stage.send("GET", "/prod/pets", headers: headers)
    #expect(exceeded.response.status == 429)
    #expect(exceeded.text == #"{"message":"Limit Exceeded"}"#)
    #expect(exceeded.response.header("x-amzn-ErrorType") == "LimitExceededException")
    stage.now += 86_400_000
    #expect(stage.send("GET", "/prod/pets", headers: headers).response.status == 200)
  }

  @Test func aMethodHasALimitOfItsOwn() throws {
    let one = UsagePlan.Throttle(rate: 0, burst: 1)
    var stage = try Self.stage(methods: ["/pets/GET": one, "/dogs/ANY": one])
    let headers = Self.headers(Self.value)
    for status in [200, 429] {
      #expect(stage.send("GET", "/prod/pets", headers: headers).response.status == status)
      #expect(stage.send("PUT", "/prod/dogs", headers: headers).response.status == status)
    }
    #expect(stage.send("GET", "/prod/pets", headers: Self.headers("second")).response.status == 200)
  }

  @Test func aHandshakeNeedsAKeyToo() throws {
    let selection = try #require(RouteSelection("$request.body.action"))
    var access = APIAccess()
    access.keys = [APIKey(name: "Key", value: Self.value, isEnabled: true)]
    access.plans = [UsagePlan(name: "Plan", keys: ["Key"], throttle: nil, quota: nil)]
    let connect = GatewayRoute(match: .connect, access: .open, needsAPIKey: true, integration: .webSocketMock)
    var stage = GatewayStage([
      GatewayAPI(
        name: "S", identifier: "s", kind: .webSocket(selection), stage: .init(name: "live", variables: [:]),
        routes: [connect], access: access)
    ])
    let refused = stage.send("GET", "/live", headers: [], connectionID: "c")
    #expect(refused.response.status == 403)
    #expect(refused.text == #"{"message":"Forbidden"}"#)
    #expect(
      stage.send("GET", "/live", headers: Self.headers(Self.value), connectionID: "c").response.status == 200)
  }
}
