import JSON
import Testing

@testable import Authorizer

@Suite("Guests")
struct GuestTests {
  static let routes = ["GET /public/*", "$connect"]

  @Test("a request without a credential is allowed on a guest route", arguments: TestGuests.kinds)
  func allowed(kind: EventKind) throws {
    var authorizer = try TestGuests.authorizer(Self.routes, TestGuests.concrete)
    let route = TestGuests.route(of: kind)
    let decision = authorizer.decide(on: TestGuests.event(kind, route), at: TestIssuers.now)
    #expect(decision.outcome == .allowed)
    #expect(decision.reason == nil)
    #expect(decision.isGuest)
    #expect(decision.issuerName == nil && decision.tokenHash == nil && decision.keyIDHash == nil)
    guard case .response(let bytes) = decision.answer else { throw PolicyReading.Unreadable() }
    let policy = try PolicyReading(bytes)
    #expect(policy.principalID == "anonymous")
    #expect(policy.context == .members(["anonymous": .boolean(true)]))
    // The answers of WebSocket APIs have a maximum size, so that the paths of other APIs have no room there.
    guard kind != .webSocket else {
      #expect(policy.statements == [.init(effect: "Allow", resources: [TestEvent.stage + "$connect"])])
      return
    }
    #expect(
      policy.statements == [
        .init(
          effect: "Allow", resources: ["GET/public", "GET/public/*"].map { TestEvent.stage + $0 }),
        .init(
          effect: "Deny",
          resources: ["*%00*", "*%25*", "*%2E*", "*%2e*", "*..*"].map { TestEvent.stage + $0 }),
      ])
  }

  @Test("a simple answer says the same")
  func simple() throws {
    var authorizer = try TestGuests.authorizer(
      Self.routes, TestGuests.concrete + #","httpApiAnswer":"simple""#)
    let decision = authorizer.decide(on: TestGuests.event(.http2, "GET/public/a"), at: TestIssuers.now)
    #expect(
      decision.answer
        == .response(Array(#"{"isAuthorized":true,"context":{"anonymous":true}}"#.utf8)))
    let other = authorizer.decide(on: TestGuests.event(.http2, "GET/pets"), at: TestIssuers.now)
    #expect(other.answer == .unauthorized)
    #expect(other.reason == .missingToken)
  }

  @Test(
    "on every other route a token is missing",
    arguments: [
      "POST/public/a", "GET/publications", "GET/", "GET/pets", "GET//public/a", "GET/PUBLIC/a",
      "get/public/a",
      "GET/public%2Fa",
    ])
  func otherRoutes(route: String) throws {
    for style in ["error", "message", "deny"] {
      let more = TestGuests.concrete + #","unauthorized":"\#(style)""#
      var with = try TestGuests.authorizer(Self.routes, more)
      var without = try TestRules.authorizer(#""gatewayCache":"off","# + more)
      for kind in TestGuests.kinds where kind != .webSocket {
        let event = TestGuests.event(kind, route)
        let decision = with.decide(on: event, at: TestIssuers.now)
        #expect(decision.outcome == .unauthorized)
        #expect(decision.reason == .missingToken)
        #expect(!decision.isGuest)
        #expect(decision.answer == without.decide(on: event, at: TestIssuers.now).answer)
      }
    }
  }

  @Test("$connect is open to guests only if it is a guest route")
  func connect() throws {
    var authorizer = try TestGuests.authorizer(["GET /public/*"], TestGuests.concrete)
    let decision = authorizer.decide(on: TestGuests.event(.webSocket, "$connect"), at: TestIssuers.now)
    #expect(decision.reason == .missingToken)
  }

  @Test("a guest's connection needs no room for the guest routes of other APIs")
  func connectBesideManyRoutes() throws {
    let routes = (1..<100).map { "GET /" + String(repeating: "a", count: 200) + "\($0)" }
    var authorizer = try TestGuests.authorizer(routes + ["$connect"])
    let decision = authorizer.decide(on: TestGuests.event(.webSocket, "$connect"), at: TestIssuers.now)
    #expect(decision.isGuest)
  }

  @Test("a rule that restricts $connect restricts guests too")
  func connectRestricted() throws {
    let rules = #""default":"allow","rules":[{"routes":["$connect"],"require":{"scopes":["chat"]}}]"#
    var authorizer = try TestGuests.authorizer(["$connect"], TestGuests.concrete + "," + rules)
    let decision = authorizer.decide(on: TestGuests.event(.webSocket, "$connect"), at: TestIssuers.now)
    #expect(decision.reason == .missingToken)
  }

  @Test("a TOKEN event never comes from a guest", arguments: [nil, JSONTree.null, .string(""), .string(" ")])
  func tokenEvent(value: JSONTree?) throws {
    var authorizer = try TestGuests.authorizer(Self.routes)
    let members = value.map { [JSONTree.Member(name: "authorizationToken", value: $0)] } ?? []
    let event = TestEvent.bytes(.restToken, arn: TestEvent.stage + "GET/public/a", members)
    #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == .missingToken)
  }

  @Test("without anonymous there are no guests", arguments: TestGuests.kinds)
  func notConfigured(kind: EventKind) throws {
    var authorizer = try TestRules.authorizer(#""gatewayCache":"off""#)
    let event = TestGuests.event(kind, TestGuests.route(of: kind))
    #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == .missingToken)
  }

  @Test("a restricting rule restricts guests, and its routes are denied in their policy")
  func restricted() throws {
    let rules =
      #""default":"allow","rules":[{"routes":["* /public/admin/*"],"require":{"claims":{"blocked":{"exists":false}}}}]"#
    var authorizer = try TestGuests.authorizer(["GET /public/*"], TestGuests.concrete + "," + rules)
    for kind in TestGuests.kinds where kind != .webSocket {
      let refused = authorizer.decide(
        on: TestGuests.event(kind, "GET/public/admin/x"), at: TestIssuers.now)
      #expect(refused.reason == .missingToken)
      let allowed = authorizer.decide(on: TestGuests.event(kind, "GET/public/x"), at: TestIssuers.now)
      guard case .response(let bytes) = allowed.answer else { throw PolicyReading.Unreadable() }
      let policy = try PolicyReading(bytes)
      #expect(try policy.allows(TestEvent.stage + "GET/public/x"))
      #expect(try !policy.allows(TestEvent.stage + "GET/public/admin"))
      #expect(try !policy.allows(TestEvent.stage + "GET/public/admin/x"))
      #expect(try !policy.allows(TestEvent.stage + "GET/pets"))
    }
  }

  @Test("a granting rule grants guests nothing")
  func granted() throws {
    let rules = #""default":"deny","rules":[{"routes":["GET /pets"],"allow":true}]"#
    var authorizer = try TestGuests.authorizer(["GET /health"], rules)
    let decision = authorizer.decide(on: TestGuests.event(.http2, "GET/pets"), at: TestIssuers.now)
    #expect(decision.reason == .missingToken)
    let health = authorizer.decide(on: TestGuests.event(.http2, "GET/health"), at: TestIssuers.now)
    #expect(health.outcome == .allowed)
  }

  struct Template: Sendable {
    let kind: EventKind
    let concrete: String
    let members: [JSONTree.Member]
    let route: String
    let reason: ReasonCode?
  }

  static let proxy: [JSONTree.Member] = [
    TestEvent.text("routeKey", "GET /public/{proxy+}"), TestEvent.text("resource", "/public/{proxy+}"),
  ]

  static func path(_ text: String) -> [JSONTree.Member] {
    [TestEvent.text("rawPath", text), TestEvent.text("path", text)]
  }

  @Test(
    "a template in the ARN is a failure on a wildcard guest route, and no guest causes one",
    arguments: [EventKind.http1, .http2].flatMap { kind in
      ["", #""routeArnIsConcrete":false"#, TestGuests.concrete].flatMap { concrete in
        [
          // No guest route names it.
          Template(kind: kind, concrete: concrete, members: [], route: "GET/pets", reason: .missingToken),
          Template(
            kind: kind, concrete: concrete, members: proxy + path("/public/a"), route: "GET/public/a",
            reason: nil),
          // Not the guest's fault.
          Template(
            kind: kind, concrete: concrete, members: proxy + path("/public/a"),
            route: "GET/public/{proxy+}", reason: .invalidConfiguration),
          // A caller may write this path.
          Template(
            kind: kind, concrete: concrete, members: proxy + path("/public/%7Bproxy+%7D"),
            route: "GET/public/{proxy+}", reason: .missingToken),
        ]
      }
    })
  func routeARN(_ template: Template) throws {
    var authorizer = try TestGuests.authorizer(Self.routes, template.concrete)
    let event = TestGuests.event(template.kind, template.route, template.members)
    let decision = authorizer.decide(on: event, at: TestIssuers.now)
    #expect(decision.reason == template.reason)
    #expect(decision.isGuest == (template.reason == nil))
  }

  @Test("a guest route of a single path needs no setting", arguments: TestGuests.kinds)
  func singlePath(kind: EventKind) throws {
    var authorizer = try TestGuests.authorizer(["GET /health", "$connect"])
    let route = kind == .webSocket ? "$connect" : "GET/health"
    #expect(authorizer.decide(on: TestGuests.event(kind, route), at: TestIssuers.now).outcome == .allowed)
  }

  @Test("a guest route that is too long with the stage's ARN is left out, a restriction is a failure")
  func long() throws {
    let long = "GET /public/" + String(repeating: "a", count: 440)
    let stage = "arn:aws:execute-api:eu-west-1:123456789012:abc/" + String(repeating: "s", count: 40) + "/"
    var authorizer = try TestGuests.authorizer([long, "GET /health"])
    let requests = [(long.replacing(" ", with: ""), ReasonCode?.some(.missingToken)), ("GET/health", nil)]
    for (route, reason) in requests {
      let decision = authorizer.decide(
        on: TestEvent.bytes(.restRequest, arn: stage + route, []), at: TestIssuers.now)
      #expect(decision.reason == reason)
      #expect(decision.leftOut == (reason == nil ? .answerTooLarge : nil))
    }
    let rules = #""default":"allow","rules":[{"routes":["\#(long)"],"require":{"scopes":["a"]}}]"#
    var restricted = try TestGuests.authorizer(["GET /health"], rules)
    let decision = restricted.decide(
      on: TestEvent.bytes(.restRequest, arn: stage + "GET/health", []), at: TestIssuers.now)
    #expect(decision.reason == .answerTooLarge)
  }

  @Test("no verdict of a guest is cached, and no signature is checked")
  func notCached() throws {
    var authorizer = try TestGuests.authorizer(
      Self.routes, TestGuests.concrete + #","verdictCache":100"#)
    let token = try TestRules.partnerToken()
    for _ in 0..<3 {
      let guest = authorizer.decide(on: TestGuests.event(.http2, "GET/public/a"), at: TestIssuers.now)
      #expect(guest.isGuest)
      let user = authorizer.decide(
        on: TestEvent.bytes(.http2, arn: TestEvent.stage + "GET/public/a", token: token),
        at: TestIssuers.now)
      #expect(!user.isGuest && user.issuerName == "partner")
      let other = authorizer.decide(on: TestGuests.event(.http2, "GET/pets"), at: TestIssuers.now)
      #expect(other.reason == .missingToken)
    }
    // The token's verdict is cached, and serves its own bearer alone.
    #expect(authorizer.signatureChecks == 1)
  }
}
