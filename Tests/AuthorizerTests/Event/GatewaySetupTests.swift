import Testing

@testable import Authorizer

/// What an event of an HTTP API shows about the configuration of its API. A wrong configuration is a failure, not a
/// verdict.
@Suite("Configuration of an HTTP API")
struct GatewaySetupTests {
  static let rules = #""default":"deny","rules":[{"routes":["GET /public/*","GET /me"],"allow":true}]"#
  static let members = ["", #""routeArnIsConcrete":false,"#, #""routeArnIsConcrete":true,"#]

  struct Route: CustomTestStringConvertible, Sendable {
    let kind: EventKind
    let arn: String
    let template: String
    let path: String?
    let reason: ReasonCode?
    var testDescription: String { "\(kind) \(arn) \(template) \(path ?? "")" }

    init(
      kind: EventKind = .http2, _ arn: String, _ template: String, _ path: String?,
      _ reason: ReasonCode? = nil
    ) {
      (self.kind, self.arn, self.template, self.path, self.reason) = (kind, arn, template, path, reason)
    }
  }

  static let routes = [
    // The ARN contains the template although the configuration denies it: the policy could not refuse `..`.
    Route("GET/public/{proxy+}", "GET /public/{proxy+}", "/dev/public/../admin", .invalidConfiguration),
    Route("GET/public/{proxy+}", "ANY /public/{proxy+}", "/dev/public/x", .invalidConfiguration),
    Route("$default", "$default", "/dev/x", .invalidConfiguration),
    Route(kind: .http1, "GET/public/{proxy+}", "/public/{proxy+}", "/public/x", .invalidConfiguration),
    // The ARN contains the path.
    Route("GET/public/x", "GET /public/{proxy+}", "/dev/public/x"),
    Route("GET/public/../admin", "GET /public/{proxy+}", "/dev/public/../admin", .noRule),
    Route("GET/me", "GET /me", "/dev/me"),
    Route(kind: .http1, "GET/public/x", "/public/{proxy+}", "/public/x"),
    Route("GET/other", "$default", "/dev/other", .noRule),
    // A caller may write a path equal to the template. It must not look like a fault of the API and must not open
    // other paths.
    Route("GET/public/{proxy+}", "GET /public/{proxy+}", "/dev/public/{proxy+}", .noRule),
    Route("GET/public/{proxy+}", "GET /public/{proxy+}", "/dev/public/%7Bproxy+%7D", .noRule),
    Route("GET/public/{proxy+}", "GET /public/{proxy+}", "/prod/public/%2e%2e/admin", .noRule),
    Route("GET/public/{proxy+}", "GET /public/{proxy+}", "/prod/public/../admin/%41", .noRule),
    Route(kind: .http1, "GET/public/{proxy+}", "/public/{proxy+}", "/public/../{admin}", .noRule),
    Route("GET/public/{proxy+}", "GET /public/{proxy+}", nil, .noRule),
  ]

  @Test("a template in the ARN is a failure if rules need the path", arguments: routes, members)
  func template(_ row: Route, member: String) throws {
    var authorizer = try TestRules.authorizer(member + Self.rules)
    let decision = authorizer.decide(on: try Self.event(row), at: TestIssuers.now)
    #expect(decision.reason == row.reason)
    if row.reason == .invalidConfiguration {
      guard case .failure(let failure) = decision.answer else { throw PolicyReading.Unreadable() }
      #expect(failure.detail.contains("contains the template of the route"))
      #expect(failure.detail.contains("both without variables"))
      #expect(failure.detail.contains("remove \"routeArnIsConcrete\"") == member.contains("true"))
    }
  }

  /// API Gateway caches the policy for all routes of the token, so a caller could otherwise close them all.
  @Test(
    "a path that looks like the template is refused alone: the policy still grants the other routes",
    arguments: members)
  func otherRoutes(member: String) throws {
    var authorizer = try TestRules.authorizer(member + Self.rules)
    let row = Route("GET/public/{proxy+}", "GET /public/{proxy+}", "/dev/public/%7Bproxy+%7D")
    guard case .response(let bytes) = authorizer.decide(on: try Self.event(row), at: TestIssuers.now).answer
    else { throw PolicyReading.Unreadable() }
    let policy = try PolicyReading(bytes)
    for (route, isAllowed) in [
      ("GET/public/x", true), ("GET/me", true), ("GET/public/{proxy+}", false), ("GET/other", false),
    ] {
      #expect(try policy.allows(TestEvent.stage + route) == isAllowed, "\(route)")
    }
  }

  @Test("without rules that need the path, a template in the ARN is not a failure")
  func templateWithoutNeed() throws {
    for rules in ["", #""default":"deny","rules":[{"routes":["GET /me"],"allow":true}]"#] {
      var authorizer = try TestRules.authorizer(rules)
      let event = try Self.event(Self.routes[0])
      #expect(
        authorizer.decide(on: event, at: TestIssuers.now).outcome == (rules.isEmpty ? .allowed : .forbidden))
    }
  }

  private static func event(_ row: Route) throws -> [UInt8] {
    let isHTTP2 = row.kind == .http2
    return TestEvent.bytes(
      row.kind, arn: TestEvent.stage + row.arn,
      [
        TestEvent.object(
          "headers", [TestEvent.text("authorization", "Bearer " + (try TestRules.partnerToken()))]),
        TestEvent.text(isHTTP2 ? "routeKey" : "resource", row.template),
      ] + (row.path.map { [TestEvent.text(isHTTP2 ? "rawPath" : "path", $0)] } ?? []))
  }

  struct Sources: CustomTestStringConvertible, Sendable {
    var kind = EventKind.http2
    var settings = ""
    /// JSON; `TOKEN` is replaced by the token.
    let identity: String
    /// Members that carry the token; `TOKEN` is replaced by it.
    var carrier = #""headers":{"authorization":"Bearer TOKEN"}"#
    let isFailure: Bool
    var testDescription: String { "\(kind) \(settings) \(identity)" }
  }

  static let cookie = #""cookies":["a=b","session=TOKEN"]"#
  static let query = #""queryStringParameters":{"token":"TOKEN"}"#
  static let sources = [
    // A cache with another key would give one caller's answer to another.
    Sources(identity: #"["client-1"]"#, isFailure: true),
    Sources(identity: #"["client-1","Bearer x"]"#, isFailure: true),
    Sources(identity: #"["Bearer TOKENx"]"#, isFailure: true),
    Sources(identity: #"["xTOKEN"]"#, isFailure: true),
    Sources(kind: .http1, identity: #""client-1""#, isFailure: true),
    Sources(
      settings: #""tokenSources":["cookie:session"]"#, identity: #"["Bearer x"]"#, carrier: cookie,
      isFailure: true),
    Sources(settings: #""gatewayCache":"tokenAndRoute""#, identity: #"["GET /pets"]"#, isFailure: true),
    // The cache key contains the token, alone or beside other values.
    Sources(identity: #"["Bearer TOKEN"]"#, isFailure: false),
    Sources(identity: #"["client-1","Bearer TOKEN"]"#, isFailure: false),
    Sources(kind: .http1, identity: #""client-1,Bearer TOKEN""#, isFailure: false),
    Sources(
      settings: #""tokenSources":["cookie:session"]"#, identity: #"["a=b; session=TOKEN"]"#, carrier: cookie,
      isFailure: false),
    Sources(
      settings: #""tokenSources":["query:token"],"allowQueryTokens":true"#, identity: #"["TOKEN"]"#,
      carrier: query, isFailure: false),
    // The API caches nothing.
    Sources(settings: #""gatewayCache":"off""#, identity: #"["client-1"]"#, isFailure: false),
    Sources(identity: "[]", isFailure: false), Sources(identity: "null", isFailure: false),
    // Without identity sources the joined values of payload 1.0 are an empty text.
    Sources(kind: .http1, identity: #""""#, isFailure: false),
    // Events of other APIs do not name their identity sources.
    Sources(kind: .restRequest, identity: #"["client-1"]"#, isFailure: false),
    Sources(kind: .webSocket, identity: #"["client-1"]"#, isFailure: false),
  ]

  @Test("identity sources without the token are a failure if answers may be cached", arguments: sources)
  func identitySources(_ row: Sources) throws {
    let decision = try Self.decision(row, token: try TestRules.partnerToken(#""sub":"u1""#))
    #expect(decision.reason == (row.isFailure ? .invalidConfiguration : nil))
    #expect(decision.outcome == (row.isFailure ? .failure : .allowed))
  }

  /// An identity source may contain the query as the caller wrote it, still encoded.
  @Test("a percent-encoded token equals the token")
  func encoded() throws {
    let token = try TestRules.partnerToken()
    let encoded = "%65" + token.dropFirst()
    let row = Sources(
      settings: #""tokenSources":["query:token"],"allowQueryTokens":true"#, identity: #"["\#(encoded)"]"#,
      carrier: Self.query, isFailure: false)
    #expect(token.first == "e")
    #expect(try Self.decision(row, token: token).outcome == .allowed)
  }

  @Test("a rejected token causes no failure of the configuration", arguments: ["x", "a=b;c", "a.b.c"])
  func stranger(token: String) throws {
    #expect(try Self.decision(Self.sources[0], token: token).outcome == .unauthorized)
  }

  private static func decision(_ row: Sources, token: String) throws -> Decision {
    var authorizer = try TestRules.authorizer(row.settings)
    let members = (row.carrier + #","identitySource":"# + row.identity)
      .split(separator: "TOKEN", omittingEmptySubsequences: false).joined(separator: token)
    return authorizer.decide(on: try TestEvent.bytes(row.kind, parsing: members), at: TestIssuers.now)
  }
}
