@testable import EmulatorTestSupport
@testable import GatewayConsole
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import LambdaEmulator
import JSON
import TestSupport
import Testing

/// What replays and the matrix say is what a request gets, for every kind of API, with and without a cache.
@Suite struct ConsoleTruthTests {
  /// An API of a random kind, and how its requests carry a token.
  private struct World {
    let stage: ConsoleStage
    /// Whether the token is in the query.
    let isInQuery: Bool
    let prefix: String

    func call(_ method: String, _ path: String, _ token: String?) async {
      await stage.call(
        method, prefix + path, query: isInQuery ? token.map { "t=" + $0 } ?? "" : "",
        headers: isInQuery ? [] : token.map { [.init("Authorization", "Bearer " + $0)] } ?? [])
    }
  }

  private static func world(_ random: inout SeededGenerator) throws -> World {
    let time = Bool.random(using: &random) ? 300 : 0
    let isInQuery = Bool.random(using: &random)
    let source: [IdentitySource] = isInQuery ? [.query("t")] : [.header("Authorization")]
    let forms: [GatewayAuthorizer.Form] = [
      .token(header: "Authorization", nil), .restRequest(source), .http1(source),
      .http2(source, simpleAnswers: false), .http2(source, simpleAnswers: true),
    ]
    let form = forms.randomElement(using: &random) ?? forms[0]
    let authorizer = GatewayAuthorizer(
      name: "Request", function: "Authorizer", form: form, timeToLiveSeconds: time)
    var (isREST, isSimple, isToken) = (false, false, false)
    switch form {
    case .token: (isREST, isToken) = (true, true)
    case .restRequest: isREST = true
    case .http2(_, simpleAnswers: true): isSimple = true
    case .http1, .http2, .webSocket: break
    }
    let integration = GatewayIntegration.function("Backend", isREST ? .rest : .http2)
    let routes = try ["GET /users/{id}", "POST /items/{proxy+}", "GET /guests"].map {
      try GatewayStage.route($0, access: .lambda(authorizer), integration: integration)
    }
    let simple = isSimple
    let stage = try ConsoleStage(
      [
        GatewayStage.api(
          routes + [try GatewayStage.route("GET /open", integration: integration)], isREST: isREST)
      ],
      facts: Owners(), backend: { _ in .response(Array(#"{"statusCode":200,"body":"hello"}"#.utf8)) },
      answer: { answer($0, isSimple: simple) })
    return World(stage: stage, isInQuery: isInQuery && !isToken, prefix: isREST ? "/prod" : "")
  }

  private struct Owners: ConsoleFacts {
    var scopes: [String] { ["write"] }
    var ownedRoutes: [String] { ["* /users/${sub}/*"] }
  }

  /// Rules: each user's own path, `write` for items, and `/guests` for everybody.
  @Sendable private static func answer(_ event: JSONTree, isSimple: Bool) -> InvocationAnswer {
    let text = String(decoding: event.bytes(), as: UTF8.self)
    let token = text.split { " \"=".contains($0) }.lazy.compactMap { DecodedToken(String($0)) }.first
    let arn = event["routeArn"]?.plain ?? event["methodArn"]?.plain ?? ""
    let scopes = (token?.claims["scope"]?.plain ?? token?.claims["scp"]?.plain ?? "").split(separator: " ")
    let own = token?.subject.map { "/GET/users/" + $0 }
    let allowed = [own, scopes.contains("write") ? "/POST/items/" : nil, "/GET/guests"].compactMap(\.self)
    if isSimple {
      let path = event["rawPath"]?.plain ?? ""
      let method = event["requestContext"]?["http"]?["method"]?.plain ?? ""
      let isAllowed = allowed.contains {
        $0.hasSuffix("/") ? ("/" + method + path).hasPrefix($0) : "/" + method + path == $0
      }
      return .response(Array(#"{"isAuthorized":\#(isAllowed)}"#.utf8))
    }
    if token == nil, !arn.hasSuffix("/GET/guests") { return GatewayStage.error("Unauthorized") }
    let stage = arn.split(separator: "/").prefix(2).joined(separator: "/")
    let resources = allowed.map { "\"" + stage + $0 + ($0.hasSuffix("/") ? "*" : "") + "\"" }
    return .response(
      Array(
        (#"{"principalId":"p","policyDocument":{"Version":"2012-10-17","Statement":[{"Effect":"Allow","#
          + #""Action":"execute-api:Invoke","Resource":[\#(resources.joined(separator: ","))]}]}}"#).utf8))
  }

  // MARK: Replay

  private static let claims: [(String, JSONTree)] = [
    ("email", .string("a@example.com")), ("email_verified", .boolean(false)), ("nbf", .number("1")),
    ("roles", .array([.string("owner"), .null])),
    ("nested", .members(["a": .members(["b": .number("1.50")])])),
    ("aud", .array([.string("x"), .string("y")])), ("scope", .string("read write")),
    ("jti", .string("{{x}}")),
    ("cnf", .members(["x5t#S256": .string("abc")])), ("", .string("empty name")),
  ]

  private static func pick(_ texts: [String], _ random: inout SeededGenerator) -> String {
    texts[Int.random(in: texts.indices, using: &random)]
  }

  private static func token(_ stage: ConsoleStage, _ random: inout SeededGenerator) throws -> String {
    var members = [
      JSONTree.Member(name: "sub", value: .string(Self.pick(["alice", "bob", "ü/ß"], &random)))
    ]
    members += claims.shuffled(using: &random).prefix(Int.random(in: 0...claims.count, using: &random)).map {
      .init(name: $0.0, value: $0.1)
    }
    if Bool.random(using: &random), !members.contains(where: { $0.name == "scope" }) {
      members.append(.init(name: "scp", value: .array([.string("read")])))
    }
    let recipe = JSONTree.members([
      "algorithm": .string(Self.pick(["RS256", "ES256", "EdDSA", "PS384"], &random)),
      "claims": .object(members + [.init(name: "exp", value: .string("+10m"))]),
      "header": Bool.random(using: &random) ? .members(["typ": .string("at+jwt"), "x": .number("1")]) : nil,
    ])
    return try stage.connection.issuer.signed(recipe, now: stage.service.unixMilliseconds / 1000)
  }

  private static func sent(_ decision: RecordedDecision?) throws -> DecodedToken {
    try #require(decision?.credentials.token)
  }

  @Test(arguments: UInt64(0)..<24)
  func aReplayWithoutChangesDecidesTheSame(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try Self.world(&random)
    let paths = [
      "GET /users/alice", "GET /users/bob", "POST /items/a/b", "GET /guests", "GET /open", "GET /none",
    ]
    for (index, request) in paths.enumerated() {
      let parts = request.split(separator: " ").map(String.init)
      let token = Int.random(in: 0..<4, using: &random) == 0 ? nil : try Self.token(world.stage, &random)
      await world.call(parts[0], parts[1], token)
      for order in [#"{"emptyCache":true}"#, "{}"] {
        let reply = try await world.stage.ask("/dev/decisions/\(index * 3 + 1)/replay", json: order)
        #expect(reply.status == 200, "\(request) \(reply.text)")
        #expect(reply.json["difference"] == .array([]), "\(request) \(order)")
      }
    }
  }

  @Test(arguments: UInt64(0)..<24)
  func aReplayWithOneChangeDiffersInThatClaimAlone(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try Self.world(&random)
    await world.call("GET", "/users/alice", try Self.token(world.stage, &random))
    let old = try Self.sent(world.stage.log.decision(1))
    let scope = old.claims["scp"] == nil ? "scope" : "scp"
    let orders: [(String, String, JSONTree)] = [
      (#"{"user":"carol"}"#, "sub", .string("carol")),
      (#"{"scope":"a b"}"#, scope, scope == "scp" ? .array([.string("a"), .string("b")]) : .string("a b")),
    ]
    for (index, (order, name, value)) in orders.enumerated() {
      let reply = try await world.stage.ask("/dev/decisions/1/replay", json: order)
      #expect(reply.status == 200, "\(reply.text)")
      #expect(reply.json["note"] == nil)
      let new = try Self.sent(world.stage.log.decision(index + 2))
      var expected = old.claims
      expected[name] = value
      #expect(new.claims.equalsIgnoringOrder(expected), "\(order)")
      #expect(new.header.equalsIgnoringOrder(old.header))
      let paths = reply.json["difference"]?.elements.compactMap { $0["path"]?.plain } ?? []
      let claims = paths.filter { $0.hasPrefix("/claims") }
      #expect(!claims.isEmpty && claims.allSatisfy { $0.hasPrefix("/claims/" + name) }, "\(paths)")
    }
  }

  // MARK: Matrix

  @Test(arguments: UInt64(0)..<24)
  func aCellIsTheAnswerToItsRequest(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try Self.world(&random)
    let query = "user=&user=alice&user=bob&scope=write&user=1&scope=read%20write"
    let matrix = try await world.stage.ask("/dev/matrix", query: query).json
    let (users, routes) = (matrix["users"]?.elements ?? [], matrix["routes"]?.elements ?? [])
    #expect(routes.compactMap { $0["owner"]?.plain } == ["own", "another"])
    #expect(
      routes.compactMap { $0["path"]?.plain } == [
        "/users/${sub}", "/users/1", "/items/1", "/guests", "/open",
      ])
    for (route, row) in zip(routes, matrix["cells"]?.elements ?? []) {
      for (user, cell) in zip(users, row.elements) {
        let order = JSONTree.members([
          "method": route["method"], "path": cell["path"], "user": user["name"], "scope": user["scope"],
        ])
        let sent = try await world.stage.ask(
          "/dev/send", json: String(decoding: order.bytes(), as: UTF8.self))
        let number = try #require(Int(sent.text("decision")), "\(sent.text)")
        let decision = DecisionText(try #require(world.stage.log.decision(number)))
        let summary = JSONTree.object(decision.summary)
        #expect(sent.json["status"] == cell["status"], "\(order)")
        for name in ["outcome", "reason", "decision"] { #expect(summary[name] == cell[name], "\(order)") }
      }
    }
    let own = matrix["cells"]?.elements.first?.elements.compactMap { $0["outcome"]?.plain } ?? []
    #expect(own.dropFirst() == ["allowed", "allowed", "allowed"])
  }

  /// The first row has the path of the decision, the first column its token.
  @Test(arguments: UInt64(0)..<12)
  func theCellOfADecisionIsTheDecision(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try Self.world(&random)
    for (index, path) in ["/users/alice", "/users/bob"].enumerated() {
      await world.call("GET", path, try Self.token(world.stage, &random))
      let decision = DecisionText(try #require(world.stage.log.decision(index + 1)))
      let matrix = try await world.stage.ask("/dev/matrix", query: "decision=\(index + 1)").json
      let number = JSONTree.number("\(index + 1)")
      #expect(matrix["routes"]?.elements.map { $0["decision"] }.filter { $0 == number }.count == 1)
      #expect(matrix["routes"]?.elements[0]["path"] == .string(path))
      #expect(matrix["users"]?.elements[0]["decision"] == number)
      let cell = matrix["cells"]?.elements[0].elements[0]
      let summary = JSONTree.object(decision.summary)
      for name in ["status", "outcome", "reason", "decision"] { #expect(cell?[name] == summary[name]) }
    }
  }

  @Test(
    arguments: [
      ("GET /users/${sub}", "GET", "/users/{id}", "/users/a"),
      ("* /users/${sub}/*", "PUT", "/users/{id}", "/users/a"),
      ("* /users/${sub}/*", "GET", "/users/{proxy+}", "/users/a/x"),
      ("GET /t/u-${sub}/{k}", "GET", "/t/{t}/{k}", "/t/u-a/x"),
      ("GET /users/${sub}/*", "GET", "/users/{id}/orders/{o}", "/users/a/orders/x"),
      ("POST /users/${sub}", "GET", "/users/{id}", nil), ("GET /users/${sub}", "GET", "/users/me", nil),
      ("GET /users/${sub}", "GET", "/orders/{id}", nil),
      ("GET /users/${sub}/orders", "GET", "/users/{id}", nil),
      ("GET /users/${sub}", "GET", "/users/{id}/{x}", nil), ("GET /users/*", "GET", "/users/{id}", nil),
      ("GET /users/${missing}", "GET", "/users/{id}", nil), ("$connect", "GET", "/users/{id}", nil),
    ] as [(String, String, String, String?)])
  func aRuleGivesAPathToItsUser(_ rule: String, _ method: String, _ route: String, _ path: String?) throws {
    let pattern = try #require(PathPattern(route))
    let found = OwnedRoute(rule).path(on: pattern, method, example: "x") { $0 == "sub" ? "a" : nil }
    #expect(found == path)
  }
}
