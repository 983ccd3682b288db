@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import Templates
import JSON
import TestSupport
import TestTokens
import Testing

/// The requests and responses of the development issuer and the control endpoint.
@Suite struct DevelopmentEndpointTests {
  /// The header of programs of the gateway's user.
  static func proof() throws -> GatewayRequest.Header {
    .init(DevelopmentSecret.header, try SampleSecrets.secret.get().value)
  }

  private static func endpoint(
    _ defaults: DevelopmentIssuer.Defaults = .init()
  ) throws -> DevelopmentEndpoint {
    let template = try GatewayTemplate(parsing: StatusTemplates.rest)
    let service = GatewayService(
      gateway: Gateway(template.served, settings: Assumptions()), functions: [:])
    return DevelopmentEndpoint(
      service: service, issuer: DevelopmentIssuer(keys: try SharedKeys.all(), defaults: defaults),
      secret: try SampleSecrets.secret.get())
  }

  private static func post(
    _ path: String, _ body: String, headers: [GatewayRequest.Header] = []
  ) -> GatewayRequest {
    GatewayRequest(
      method: "POST", path: path, headers: [.init("Host", "127.0.0.1:8080")] + headers, body: Array(body.utf8)
    )
  }

  private static func claims(
    _ response: GatewayResponse?, of member: String = "access_token"
  ) throws -> (header: JSONTree, payload: JSONTree) {
    let tree = try JSONTree(parsing: try #require(response).body)
    let token = try #require(
      tree[member]?.plain, "no token: \(String(decoding: response?.body ?? [], as: UTF8.self))")
    let parts = DissectedToken(token)
    return (try parts.header(), try parts.payload())
  }

  struct Order: Sendable {
    let body: String
    let claim: String
    let value: JSONTree

    init(_ body: String, _ claim: String, _ value: JSONTree) {
      self.body = body
      self.claim = claim
      self.value = value
    }
  }

  /// RFC 9110 section 12.5.1: the most specific range counts, and a quality of 0 refuses.
  @Test(arguments: [
    ("text/plain", true), ("TEXT/Plain; charset=utf-8", true), ("text/*", true),
    ("application/json;q=0.5, text/plain", true), ("*/*;q=0.1, text/plain", true),
    ("text/plain;q=0.5, application/json", false), ("text/plain;q=0, */*", false), ("*/*", false),
    ("application/json", false), ("text/plain, */*", false), ("text/html", false), ("", false),
    ("text/plain;q=x, application/json", false),
  ]) func theTokenIsTextIfThatIsPreferred(_ accept: String, _ isText: Bool) throws {
    let request = Self.post("/dev/token", "user=alice", headers: [.init("Accept", accept)])
    let response = try #require(try Self.endpoint().answer(request))
    #expect(response.header("Content-Type") == (isText ? "text/plain" : "application/json"))
    #expect(response.header("Cache-Control") == "no-store")
    guard isText else { return }
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(
      text.hasSuffix("\n") && text.split(separator: ".").count == 3 && text.split(separator: "\n").count == 1)
  }

  @Test(arguments: [
    Order("user=alice", "sub", .string("alice")), Order(#"{"user":"alice"}"#, "sub", .string("alice")),
    Order("preset=apple&user=alice", "email", .string("alice@example.com")),
    Order("preset=apple&user=bob", "email", .string("bob@example.com")),
    Order("preset=apple&user=%E5%A4%AA%E9%83%8E", "email", .string("user-078a0bf4@example.com")),
    Order("preset=google&user=%E5%A4%AA%E9%83%8E", "name", .string("太郎 Example")),
    Order("user=alice&preset=google", "given_name", .string("Alice")),
    Order("preset=entra&user=bob", "preferred_username", .string("bob@example.com")),
    Order("preset=cognito-access&user=bob", "username", .string("bob")),
    Order("preset=apple", "email", .string("ada@example.com")),
    Order(
      #"{"preset":"apple","claims":{"email":"a@b.example"},"user":"bob"}"#, "email", .string("a@b.example")),
    Order("user=a%20b%2Bc", "sub", .string("a b+c")),
    Order("", "iss", .string("http://127.0.0.1:8080")),
    Order("preset=apple", "iss", .string("https://appleid.apple.com")),
    Order("preset=google&audience=x&audience=y", "aud", .array([.string("x"), .string("y")])),
    Order("preset=cognito-access&audience=x", "client_id", .string("x")),
    Order(#"{"preset":"cognito-access","audience":["x"]}"#, "client_id", .string("x")),
    Order(#"{"claims":{"email_verified":false}}"#, "email_verified", .boolean(false)),
    Order(#"{"preset":"supabase:abc","user":"u"}"#, "iss", .string("https://abc.supabase.co/auth/v1")),
  ]) func issuesTokensForAnyUserInAnyShape(_ order: Order) throws {
    let response = try Self.endpoint().answer(Self.post("/dev/token", order.body))
    #expect(response?.status == 200)
    #expect(response?.header("Cache-Control") == "no-store")
    #expect(try Self.claims(response).payload[order.claim] == order.value)
  }

  @Test(arguments: TokenPreset.names) func everyPresetHasAShape(_ name: String) throws {
    let token = try Self.claims(Self.endpoint().answer(Self.post("/dev/token", "preset=\(name)&user=u")))
    let kid = try #require(token.header["kid"]?.plain)
    #expect(kid.hasPrefix("development-"))
    #expect(token.payload["sub"] == .string("u"))
  }

  @Test func theDefaultsAreThoseOfTheConfiguredFunction() throws {
    let endpoint = try Self.endpoint(.init(preset: "apple", audience: ["com.example.app"]))
    let token = try Self.claims(endpoint.answer(Self.post("/dev/token", "user=u")))
    #expect(token.payload["iss"] == .string("https://appleid.apple.com"))
    #expect(token.payload["aud"] == .string("com.example.app"))
    let other = try Self.claims(endpoint.answer(Self.post("/dev/token", "preset=google")))
    #expect(other.payload["aud"] != .string("com.example.app"))
  }

  @Test func aTokenMayHaveExpiredAlready() throws {
    let response = try Self.endpoint().answer(Self.post("/dev/token", "expires=-1h"))
    let tree = try JSONTree(parsing: try #require(response).body)
    #expect(tree["expires_in"] == .number("-3600"))
  }

  @Test(arguments: [
    ("{", "the body is not JSON"), (#"{"user":7}"#, "user has the wrong JSON type"),
    (#"{"usr":"a"}"#, "unknown member usr"), ("preset=unknown", "preset"), ("expires=soon", "exp"),
    ("algorithm=none", "algorithm"),
  ]) func refusesInvalidTokenRequests(_ body: String, _ problem: String) throws {
    let response = try #require(try Self.endpoint().answer(Self.post("/dev/token", body)))
    #expect(response.status == 400)
    #expect(String(decoding: response.body, as: UTF8.self).contains(problem))
  }

  @Test func notificationsMatchApple() throws {
    let endpoint = try Self.endpoint(.init(preset: "apple", audience: ["com.example.app"]))
    let body = #"{"user":"u1","type":"email-disabled","claims":{"is_private_email":"true"}}"#
    let response = try #require(endpoint.answer(Self.post("/dev/notification", body)))
    #expect(response.status == 200)
    let payload = try Self.claims(response, of: "payload").payload
    #expect(payload["iss"] == .string("https://appleid.apple.com"))
    #expect(payload["aud"] == .string("com.example.app"))
    #expect(payload["sub"] == nil)
    #expect(payload["email"] == nil)
    let text = try #require(payload["events"]?.plain, "\(payload)")
    let identifier = try #require(payload["jti"]?.plain, "\(payload)")
    let event = try JSONTree(parsing: Array(text.utf8))
    #expect(event["type"] == .string("email-disabled"))
    #expect(event["sub"] == .string("u1"))
    #expect(event["is_private_email"] == .string("true"))
    guard case .number(let time)? = event["event_time"], let milliseconds = Int64(time) else {
      Issue.record("no event_time")
      return
    }
    #expect(abs(milliseconds - endpoint.service.unixMilliseconds) < 120_000)
    let other = try #require(endpoint.answer(Self.post("/dev/notification", "")))
    #expect(try Self.claims(other, of: "payload").payload["jti"] != .string(identifier))
  }

  @Test(arguments: [
    ("{", "the body is not JSON"), (#"{"user":7}"#, "user has the wrong JSON type"),
    (#"{"tpye":"a"}"#, "unknown member tpye"),
  ]) func refusesInvalidNotificationRequests(_ body: String, _ problem: String) throws {
    let response = try #require(try Self.endpoint().answer(Self.post("/dev/notification", body)))
    #expect(response.status == 400)
    #expect(String(decoding: response.body, as: UTF8.self).contains(problem))
  }

  @Test func theDiscoveryDocumentLeadsToTheKeys() throws {
    let endpoint = try Self.endpoint()
    func get(_ path: String) throws -> JSONTree {
      let request = GatewayRequest(method: "GET", path: path, headers: [.init("Host", "localhost:1")])
      return try JSONTree(parsing: try #require(endpoint.answer(request)).body)
    }
    let discovery = try get("/.well-known/openid-configuration")
    #expect(discovery["issuer"] == .string("http://localhost:1"))
    #expect(discovery["jwks_uri"] == .string("http://localhost:1/.well-known/jwks.json"))
    let keys = try #require(try get("/.well-known/jwks.json")["keys"]?.elements)
    #expect(keys.count == 10)
    #expect(keys.allSatisfy { $0["d"] == nil && $0["k"] == nil })
  }

  @Test func refusesPagesOfOtherMachines() throws {
    let endpoint = try Self.endpoint()
    for (origin, status) in [
      ("https://evil.example", 403), ("http://localhost.evil.example", 403), ("null", 403),
      ("http://localhost:3000", 200), ("http://127.0.0.1", 200), ("x://localhost://evil.example", 403),
      ("http://[::1].evil.example", 403),
    ] {
      let request = Self.post("/dev/token", "", headers: [.init("Origin", origin)])
      #expect(endpoint.answer(request)?.status == status, "\(origin)")
    }
  }

  @Test(arguments: [
    ("GET", "/dev/token", 405, "POST, OPTIONS"), ("PUT", "/dev/token", 405, "POST, OPTIONS"),
    ("GET", "/dev/notification", 405, "POST"), ("GET", "/dev/cache/flush", 405, "POST"),
    ("DELETE", "/dev/clock", 405, "POST, GET"), ("POST", "/.well-known/jwks.json", 405, "GET"),
    ("GET", "/dev/tokens", 404, nil), ("GET", "/dev/", 404, nil),
  ]) func anotherMethodIsA405(
    _ method: String, _ path: String, _ status: Int, _ allowed: String?
  ) throws {
    let request = GatewayRequest(
      method: method, path: path, headers: [.init("Host", "localhost:8080"), try Self.proof()])
    let response = try #require(try Self.endpoint().answer(request))
    #expect(response.status == status)
    #expect(response.header("Allow") == allowed)
    if path == "/dev/token" {
      let text = String(decoding: response.body, as: UTF8.self)
      #expect(text.contains("send POST: curl -d user=alice http://localhost:8080/dev/token"), "\(text)")
    }
  }

  @Test(arguments: [
    ("http://localhost:5173", true), ("https://app.localhost", true), ("http://127.0.0.1:3000", true),
    ("https://evil.example", false), ("http://localhost.evil.example", false), ("null", false),
    ("x://localhost", false), ("http://[::1].evil.example", false),
  ]) func aPageOfThisMachineMayReadItsToken(_ origin: String, _ isAllowed: Bool) throws {
    let endpoint = try Self.endpoint()
    let token = try #require(
      endpoint.answer(Self.post("/dev/token", "user=u", headers: [.init("Origin", origin)])))
    #expect(token.header("Access-Control-Allow-Origin") == (isAllowed ? origin : nil))
    #expect(token.header("Access-Control-Allow-Credentials") == nil)
    #expect(token.status == (isAllowed ? 200 : 403))
    let headers: [GatewayRequest.Header] = [
      .init("Host", "127.0.0.1:8080"), .init("Origin", origin),
      .init("Access-Control-Request-Method", "POST"),
      .init("Access-Control-Request-Headers", "content-type"),
    ]
    let preflight = try #require(
      endpoint.answer(GatewayRequest(method: "OPTIONS", path: "/dev/token", headers: headers)))
    #expect(preflight.status == (isAllowed ? 204 : 403))
    #expect(preflight.header("Access-Control-Allow-Origin") == (isAllowed ? origin : nil))
    #expect(preflight.header("Access-Control-Allow-Methods") == (isAllowed ? "POST" : nil))
    #expect(preflight.header("Access-Control-Allow-Headers") == (isAllowed ? "content-type" : nil))
    if isAllowed { #expect(token.header("Vary") == "Origin" && preflight.header("Vary") == "Origin") }
  }

  /// A page may read tokens only; responses of the other endpoints are not readable for it.
  @Test func otherEndpointsAreNotReadableForPages() throws {
    let endpoint = try Self.endpoint()
    let origin = [GatewayRequest.Header("Origin", "http://localhost:5173"), try Self.proof()]
    for path in ["/dev/notification", "/dev/cache/flush"] {
      let response = try #require(endpoint.answer(Self.post(path, "", headers: origin)))
      #expect(response.header("Access-Control-Allow-Origin") == nil, "\(path)")
    }
    let two = origin + [.init("Origin", "https://evil.example")]
    #expect(endpoint.answer(Self.post("/dev/token", "", headers: two))?.status == 403)
  }

  @Test func theClockMovesAndTheCacheIsFlushed() throws {
    let endpoint = try Self.endpoint()
    let proof = [try Self.proof()]
    #expect(endpoint.answer(Self.post("/dev/clock", #"{"move":"+1h"}"#, headers: proof))?.status == 200)
    #expect(endpoint.service.clockOffsetSeconds == 3600)
    // Tokens use the moved clock.
    let token = try Self.claims(endpoint.answer(Self.post("/dev/token", "user=u"))).payload
    guard case .number(let text)? = token["iat"], let issuedAt = Int64(text) else {
      Issue.record("no iat")
      return
    }
    #expect(abs(issuedAt - endpoint.service.unixMilliseconds / 1000) < 120)
    #expect(endpoint.answer(Self.post("/dev/clock", #"{"move":"-30m"}"#, headers: proof))?.status == 200)
    #expect(endpoint.service.clockOffsetSeconds == 1800)
    for body in ["", "{}", #"{"move":"1h"}"#, #"{"move":"+400d"}"#, #"{"move":7}"#] {
      #expect(endpoint.answer(Self.post("/dev/clock", body, headers: proof))?.status == 400, "\(body)")
    }
    #expect(endpoint.service.clockOffsetSeconds == 1800)
    #expect(endpoint.answer(Self.post("/dev/cache/flush", "", headers: proof))?.status == 200)
    #expect(endpoint.answer(Self.post("/dev/nothing", ""))?.status == 404)
    #expect(endpoint.answer(Self.post("/pets", "")) == nil)
  }
}
