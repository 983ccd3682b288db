import JSON
@testable import EmulatorTestSupport
@testable import AuthorizerContract
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
import Testing

/// The authorizer cache: entries, keys and TTL.
@Suite struct AuthorizerCacheTests {
  static let rest = TemplateSamples.rest(auth: TemplateSamples.tokenAuth)

  static func request(_ identity: String, ttl: Int = 300) -> String {
    TemplateSamples.rest(
      auth: TemplateSamples.requestAuth(
        "            FunctionPayloadType: REQUEST\n            Identity: { ReauthorizeEvery: \(ttl), \(identity) }"
      ))
  }

  @Test func cachesAnAllowUntilItsTTLExpires() throws {
    var stage = try GatewayStage(Self.rest)
    #expect(stage.send("GET", "/prod/pets").record.origin == .called(milliseconds: 7))
    stage.now += 299_999
    #expect(stage.send("GET", "/prod/pets").record.origin == .fromCache)
    #expect(stage.calls == 1)
    stage.now += 1
    #expect(stage.send("GET", "/prod/pets").record.origin == .called(milliseconds: 7))
    #expect(stage.calls == 2)
  }

  @Test(arguments: ByteStringTests.twins)
  func anotherCompositionIsAnotherToken(_ one: String, _ other: String) throws {
    var stage = try GatewayStage(Self.rest)
    for token in [one, other] {
      _ = stage.send("GET", "/prod/pets", headers: [.init("Authorization", token)])
    }
    #expect(stage.calls == 2)
  }

  @Test func authorizersOfOneNameShareNothing() throws {
    let authorizers = ["Lax", "Strict"].map {
      GatewayAuthorizer(
        name: "same", function: $0, form: .token(header: "Authorization", nil), timeToLiveSeconds: 300)
    }
    let routes = try zip(["GET /lax", "GET /strict"], authorizers).map {
      try GatewayStage.route($0, access: .lambda($1))
    }
    var stage = GatewayStage([GatewayStage.api(routes)])
    for path in ["/prod/lax", "/prod/strict"] { _ = stage.send("GET", path) }
    #expect(stage.calls == 2)
  }

  @Test func cachesADeny() throws {
    var stage = try GatewayStage(Self.rest) { _ in GatewayStage.policy("Deny") }
    #expect(stage.send("GET", "/prod/pets").response.status == 403)
    stage.function = { _ in GatewayStage.policy() }
    #expect(stage.send("GET", "/prod/pets").response.status == 403)
    #expect(stage.calls == 1)
  }

  @Test(arguments: [
    GatewayStage.error("Unauthorized"), GatewayStage.error("other"), .response(Array("{}".utf8)),
    .timedOut(milliseconds: 1), .died(.status(1)), .response(Array(#"{"errorMessage":"Unauthorized"}"#.utf8)),
  ]) func neverCachesErrors(_ answer: InvocationAnswer) throws {
    var stage = try GatewayStage(Self.rest) { _ in answer }
    #expect(stage.send("GET", "/prod/pets").response.status >= 400)
    stage.function = { _ in GatewayStage.policy() }
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
    #expect(stage.calls == 2)
  }

  @Test func cachesAReturnedUnauthorizedOnlyIfTheSettingEnablesIt() throws {
    var settings = Assumptions()
    #expect(settings.assume("returned-unauthorized-cached=yes") == nil)
    var stage = try GatewayStage(Self.rest, settings: settings) { _ in
      .response(Array(#"{"errorMessage":"Unauthorized"}"#.utf8))
    }
    #expect(stage.send("GET", "/prod/pets").response.status == 401)
    #expect(stage.send("GET", "/prod/pets").record.origin == .fromCache)
    #expect(stage.calls == 1)
  }

  @Test func allIdentityValuesAreTheKey() throws {
    var stage = try GatewayStage(Self.request("Headers: [Authorization], QueryStrings: [tenant]"))
    #expect(stage.send("GET", "/prod/pets", query: "tenant=a").response.status == 200)
    #expect(stage.send("GET", "/prod/pets", query: "tenant=b").response.status == 200)
    #expect(stage.send("GET", "/prod/pets", query: "tenant=a&x=1").record.origin == .fromCache)
    #expect(
      stage.send("GET", "/prod/pets", query: "tenant=a", headers: [.init("Authorization", "Bearer other")])
        .record.origin == .called(milliseconds: 7))
    #expect(stage.calls == 3)
  }

  /// Values are not concatenated: `a,b` and `c` differs from `a` and `b,c`.
  @Test func valuesOfTwoSourcesAreNotMixedUp() throws {
    var stage = try GatewayStage(Self.request("QueryStrings: [one, two]"))
    _ = stage.send("GET", "/prod/pets", query: "one=a,b&two=c")
    _ = stage.send("GET", "/prod/pets", query: "one=a&two=b,c")
    #expect(stage.calls == 2)
  }

  @Test func aTTLOfZeroDisablesCaching() throws {
    var stage = try GatewayStage(Self.request("Headers: [Authorization]", ttl: 0))
    for _ in 0..<3 { #expect(stage.send("GET", "/prod/pets").response.status == 200) }
    #expect(stage.calls == 3)
    #expect(stage.state.keptAnswers == 0)
  }

  @Test func aFlushClearsTheCache() throws {
    var stage = try GatewayStage(Self.rest)
    _ = stage.send("GET", "/prod/pets")
    #expect(stage.state.flush() == 1)
    #expect(stage.send("GET", "/prod/pets").record.origin == .called(milliseconds: 7))
  }

  /// The authorizer of the first route, and a request to it.
  private static func firstExchange() throws -> (GatewayAuthorizer, RequestContext) {
    let gateway = try GatewayStage(rest).gateway
    let exchange = RequestContext(
      api: gateway.apis[0], location: .init(), request: GatewayRequest(method: "GET", path: "/", headers: []),
      path: "/", route: gateway.apis[0].routes[0], pathParameters: [],
      identity: RequestIdentity(requestID: "", extendedRequestID: "", traceID: "", unixMilliseconds: 0),
      connectionID: nil)
    return (try #require(gateway.apis[0].routes[0].authorizer), exchange)
  }

  private static func grant(bytes: Int = 0) -> AuthorizerGrant {
    var grant = AuthorizerGrant(answer: AuthorizerAnswer(form: .unauthorized), grantedAt: 0)
    grant.bytes = [UInt8](repeating: 0, count: bytes)
    return grant
  }

  /// ministack#1367: the cache grew without a limit.
  @Test func removesTheOldestEntryWhenFull() throws {
    let (authorizer, exchange) = try Self.firstExchange()
    var cache = AuthorizerCache(capacity: 3)
    let keys = try (0..<5).map {
      try #require(AuthorizerCache.Key(authorizer, of: exchange, identityValues: [[String($0)]]))
    }
    for key in keys { cache.store(Self.grant(), for: key, seconds: 1, at: 0) }
    #expect(cache.count == 3)
    #expect(keys.map { cache.entry(for: $0, at: 0) != nil } == [false, false, true, true, true])
    // A key that is stored again becomes the newest.
    cache.store(Self.grant(), for: keys[2], seconds: 1, at: 0)
    cache.store(Self.grant(), for: keys[0], seconds: 1, at: 0)
    #expect(keys.map { cache.entry(for: $0, at: 0) != nil } == [true, false, true, false, true])
    #expect(cache.entry(for: keys[0], at: 1000) == nil)
    #expect(cache.count == 2)
  }

  /// Answers are chosen by functions, and tokens by callers.
  @Test func isLimitedInBytes() throws {
    let (authorizer, exchange) = try Self.firstExchange()
    func key(_ name: String) throws -> AuthorizerCache.Key {
      try #require(AuthorizerCache.Key(authorizer, of: exchange, identityValues: [[name]]))
    }
    var cache = AuthorizerCache()
    let grant = Self.grant(bytes: AuthorizerCache.maximumBytes / 2)
    // Replaced and expired answers do not count.
    for name in ["a", "a", "b"] {
      cache.store(grant, for: try key(name), seconds: 1, at: 0)
    }
    #expect(cache.count == 2)
    cache.store(grant, for: try key("c"), seconds: 1, at: 0)
    #expect(cache.count == 2)
    #expect(cache.entry(for: try key("a"), at: 0) == nil)
    #expect(cache.entry(for: try key("b"), at: 1000) == nil)
    cache.store(grant, for: try key("d"), seconds: 1, at: 0)
    #expect(cache.count == 2)
  }

  @Test func severalValuesAreNotOneValueWithACommaInTheKey() throws {
    var stage = try GatewayStage(Self.request("QueryStrings: [tenant]"))
    for query in ["tenant=a&tenant=b", "tenant=a,b", "tenant=a%2Cb"] {
      _ = stage.send("GET", "/prod/pets", query: query)
    }
    #expect(stage.calls == 2)
  }

  @Test(arguments: [("conditions-on-cache-hit=again", 403), ("conditions-on-cache-hit=first", 200)])
  func timeConditionsInACachedPolicyAreASetting(_ setting: String, _ status: Int) throws {
    var settings = Assumptions()
    #expect(settings.assume(setting) == nil)
    let policy =
      #"{"principalId":"u","policyDocument":{"Version":"2012-10-17","Statement":[{"Action":"execute-api:Invoke","#
      + #""Effect":"Allow","Resource":"*","Condition":{"NumericLessThan":{"aws:EpochTime":"1718636600"}}}]}}"#
    var stage = try GatewayStage(Self.rest, settings: settings) { _ in .response(Array(policy.utf8)) }
    #expect(stage.send("GET", "/prod/pets").response.status == 200)
    stage.now += 100_000
    let later = stage.send("GET", "/prod/pets")
    #expect(later.record.origin == .fromCache)
    #expect(later.response.status == status)
  }
}
