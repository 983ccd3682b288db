import JSON
import Testing

@testable import Authorizer

@Suite("Decisions on tool routes")
struct ToolDecisionTests {
  private static func decide(
    _ members: String, _ kind: EventKind, on route: String = "POST/mcp", _ lines: TestMCP.Lines,
    _ claims: String
  ) throws -> Decision {
    var authorizer = try TestRules.authorizer(members)
    return authorizer.decide(
      on: TestMCP.event(kind, on: route, lines, token: try TestRules.partnerToken(claims)),
      at: TestIssuers.now)
  }

  struct Row: Sendable {
    let method: String
    let name: String?
    let claims: String
    let reason: ReasonCode?
    let rule: Int?

    init(_ method: String, _ name: String?, _ claims: String, _ reason: ReasonCode?, _ rule: Int? = nil) {
      (self.method, self.name, self.claims, self.reason, self.rule) = (method, name, claims, reason, rule)
    }
  }

  private static let read = #""scope":"mcp:read""#
  private static let write = #""scope":"mcp:write","auth_time":"-5m""#

  /// The example of the guide.
  static let rows = [
    Row("tools/call", "search", read, nil), Row("tools/call", "get_weather", read, nil),
    Row("tools/call", "get_", read, nil), Row("tools/call", "delete_all", write, nil),
    Row("tools/call", "search", "", .insufficientScope, 1),
    Row("tools/call", "search", write, .insufficientScope, 1),
    Row("tools/call", "delete_all", read, .insufficientScope, 2),
    Row("tools/call", "delete_all", #""scope":"mcp:write","auth_time":null"#, .authenticationTooOld, 2),
    Row("tools/call", "delete_all", #""scope":"mcp:write","auth_time":"-16m""#, .authenticationTooOld, 2),
    Row("tools/call", "add", read, .toolNotAllowed), Row("tools/call", "Search", read, .toolNotAllowed),
    Row("tools/call", "search2", read, .toolNotAllowed), Row("tools/call", "get", read, .toolNotAllowed),
    Row("tools/call", "*", read, .toolNotAllowed), Row("tools/call", "=?base64?Z2V0XyzDqQ==?=", read, nil),
    // Other methods, and what no rule of the path names.
    Row("tools/list", nil, "", nil), Row("server/discover", nil, "", nil), Row("tools/calls", nil, "", nil),
    Row("notifications/x", nil, "", nil), Row("tools/list", "delete_all", "", nil),
    Row("resources/read", "file:///../x", "", nil), Row("prompts/get", "p", "", nil),
  ]

  @Test("a tool is granted by a rule that names it and is met", arguments: rows, TestMCP.kinds)
  func row(_ row: Row, _ kind: EventKind) throws {
    let decision = try Self.decide(TestMCP.rules, kind, TestMCP.lines(row.method, row.name), row.claims)
    #expect(decision.reason == row.reason)
    #expect(decision.outcome == (row.reason == nil ? .allowed : .forbidden))
    #expect(decision.rule == row.rule)
    #expect(decision.leftOut == nil)
    #expect(try decision.opens("POST/mcp") == (row.reason == nil))
    #expect(try decision.opens("GET/health"))
  }

  private static let uris =
    #"{"routes":["POST /mcp"],"resources":["file:///a/*","app:*","x..y/../z"],"allow":true}"#

  /// URIs of resources, and whether a pattern matches them.
  static let resources: [(uri: String, isGranted: Bool)] = [
    ("file:///a/b", true), ("file:///a/b.c", true), ("file:///a/...x", true), ("file:///a/.hidden", true),
    ("file:///a/b%20c", true), ("file:///a/", true), ("app:", true), ("app:x?q=1#f", true),
    ("x..y/../z", true),
    ("file:///a/..b", true), ("file:///a/b..", true), ("file:///a/a%2Fb", true),
    ("file:///b/c", false), ("FILE:///a/b", false), ("file:///a", false), ("x..y/../zz", false),
    ("file:///a/../b", false), ("file:///a/..", false), ("file:///a/./b", false), ("file:///a/.", false),
    ("file:///a/b/../../c", false), ("file:///a/%2e%2e/c", false), ("file:///a/.%2E/c", false),
    ("file:///a/%2e/c", false), ("file:///a/..%2Fc", false), ("file:///a/..%5Cc", false),
    ("file:///a/..;x/c", false), ("file:///a/..?x", false), ("file:///a/..#x", false),
    ("file:///a/..%3Fx", false), ("file:///a/..%23x", false), ("app:..", false),
    ("app:../x", false), ("file:///a/%u002e%u002e/c", false), ("file:///a/%c0%ae%c0%ae/c", false),
    ("file:///a/%252e%252e/c", false), ("file:///a/b%25", false), ("file:///a/b%00.txt", false),
    ("file:///a/b\\c", false), ("file:///a/..\\c", false),
    // Encoded: a full-width and a small percent sign, full-width dots, and a dot leader.
    ("=?base64?ZmlsZTovLy9hL++8hTJl77yFMmUvYw==?=", false), ("=?base64?ZmlsZTovLy9hL++5qjJlL2M=?=", false),
    ("=?base64?ZmlsZTovLy9hL++8ju+8ji9j?=", false), ("=?base64?ZmlsZTovLy9hL+KApS9j?=", false),
    ("=?base64?ZmlsZTovLy9hL8Op?=", true),
  ]

  @Test("a wildcard of a resource matches no URI that may mean another", arguments: resources)
  func resource(_ row: (uri: String, isGranted: Bool)) throws {
    for kind in TestMCP.kinds {
      let decision = try Self.decide(
        TestMCP.members(Self.uris), kind, TestMCP.lines("resources/read", row.uri), "")
      #expect(decision.reason == (row.isGranted ? nil : .toolNotAllowed), "\(kind)")
    }
  }

  @Test("a literal pattern beside a wildcard that matches too grants no such URI")
  func literalBesideWildcard() throws {
    for (patterns, isGranted) in [(#""app:a/../b""#, true), (#""app:*","app:a/../b""#, false)] {
      let rules = TestMCP.members(#"{"routes":["POST /mcp"],"resources":[\#(patterns)],"allow":true}"#)
      let decision = try Self.decide(rules, .http2, TestMCP.lines("resources/read", "app:a/../b"), "")
      #expect(decision.reason == (isGranted ? nil : .toolNotAllowed))
    }
  }

  @Test("names of tools and prompts are only compared")
  func dots() throws {
    let rules = TestMCP.members(
      #"{"routes":["POST /mcp"],"tools":["a/*"],"prompts":["p*"],"allow":true}"#)
    for (method, name) in [("tools/call", "a/../b"), ("tools/call", "a/%25"), ("prompts/get", "p\\..\\x")] {
      #expect(try Self.decide(rules, .http2, TestMCP.lines(method, name), "").outcome == .allowed)
    }
  }

  /// Rules on one path, the method and name of a request, and the reason.
  static let openness: [(rules: String, method: String, name: String?, reason: ReasonCode?)] = [
    // Tools need a rule that names them, resources and prompts only where a rule of the path names some.
    (#"{"routes":["POST /mcp"],"prompts":["p"],"allow":true}"#, "tools/call", "a", .toolNotAllowed),
    (#"{"routes":["POST /mcp"],"prompts":["p"],"allow":true}"#, "prompts/get", "p", nil),
    (#"{"routes":["POST /mcp"],"prompts":["p"],"allow":true}"#, "prompts/get", "q", .toolNotAllowed),
    (#"{"routes":["POST /mcp"],"prompts":["p"],"allow":true}"#, "resources/read", "p", .noRule),
    (#"{"routes":["POST /mcp"],"prompts":["p"],"allow":true}"#, "tools/list", nil, .noRule),
    (#"{"routes":["POST /mcp"],"prompts":["p"],"allow":true},\#(all)"#, "tools/call", "a", .toolNotAllowed),
    (#"{"routes":["POST /mcp"],"prompts":["p"],"allow":true},\#(all)"#, "resources/read", "p", nil),
    (#"{"routes":["POST /mcp"],"prompts":["p"],"allow":true},\#(all)"#, "prompts/get", "q", .toolNotAllowed),
    // Named for another verb of the path, or for another path.
    (#"{"routes":["GET /mcp"],"prompts":["p"],"allow":true},\#(all)"#, "prompts/get", "p", .toolNotAllowed),
    (#"{"routes":["GET /mcp"],"tools":["a"],"allow":true},\#(all)"#, "tools/call", "a", .toolNotAllowed),
    (#"{"routes":["GET /mcp"],"tools":["a"],"allow":true},\#(all)"#, "tools/list", nil, nil),
    (#"{"routes":["POST /b"],"prompts":["p"],"allow":true},\#(tool),\#(all)"#, "prompts/get", "q", nil),
    // The name of one kind grants nothing of another.
    (
      #"\#(tool),{"routes":["POST /mcp"],"resources":["r"],"allow":true}"#, "resources/read", "a",
      .toolNotAllowed
    ),
    (
      #"\#(tool),{"routes":["POST /mcp"],"resources":["r"],"allow":true}"#, "tools/call", "r", .toolNotAllowed
    ),
    // One rule that is met is enough; else the first that names the tool gives the reason.
    (#"\#(old),\#(scoped),\#(tool)"#, "tools/call", "a", nil),
    (#"\#(old),\#(scoped)"#, "tools/call", "a", .authenticationTooOld),
    (#"\#(scoped),\#(old)"#, "tools/call", "a", .insufficientScope),
    (#"\#(scoped),\#(old)"#, "tools/call", "b", .toolNotAllowed),
    (
      #"\#(tool),{"routes":["POST /mcp"],"allow":true,"require":{"scopes":["s"]}}"#, "tools/list", nil,
      .insufficientScope
    ),
  ]
  private static let all = #"{"routes":["POST /mcp"],"allow":true}"#
  private static let tool = #"{"routes":["POST /mcp"],"tools":["a"],"allow":true}"#
  private static let scoped =
    #"{"routes":["POST /mcp"],"tools":["a"],"allow":true,"require":{"scopes":["s"]}}"#
  private static let old =
    #"{"routes":["POST /mcp"],"tools":["a"],"allow":true,"require":{"authenticatedWithinSeconds":60}}"#

  @Test("which rules grant which method", arguments: openness)
  func open(_ row: (rules: String, method: String, name: String?, reason: ReasonCode?)) throws {
    let lines = TestMCP.lines(row.method, row.name)
    #expect(
      try Self.decide(TestMCP.members(row.rules), .restRequest, lines, #""auth_time":null"#).reason
        == row.reason)
  }

  private static let everyVerb =
    #"{"routes":["* /a/mcp","OPTIONS /a/mcp"],"allow":true},{"routes":["* /a/mcp"],"tools":["*"],"allow":true}"#
    + #",{"routes":["GET /a","GET /a/mcp/x","* /b/*"],"allow":true}"#

  @Test("the path counts, whatever the verb, and a preflight is refused", arguments: TestMCP.kinds)
  func verbs(kind: EventKind) throws {
    for verb in Route.allVerbs + ["PROPFIND", "ANY", "options", "post"] {
      let isGranted = Route.allVerbs.contains(verb) && verb != "OPTIONS"
      for (method, name) in [("tools/call", "t"), ("tools/list", nil)] as [(String, String?)] {
        let decision = try Self.decide(
          TestMCP.members(Self.everyVerb), kind, on: verb + "/a/mcp", TestMCP.lines(method, name), "")
        #expect(decision.reason == (isGranted ? nil : name == nil ? .noRule : .toolNotAllowed), "\(verb)")
        // A granted request opens its own verb alone.
        for other in Route.allVerbs {
          #expect(try decision.opens(other + "/a/mcp") == (isGranted && other == verb))
        }
      }
      let bare = try Self.decide(TestMCP.members(Self.everyVerb), kind, on: verb + "/a/mcp", [], "")
      #expect(bare.reason == .mcpHeaders)
    }
  }

  @Test("paths beside, above and below a tool route need no headers, and open no tool route")
  func otherPaths() throws {
    let routes = [
      ("GET/a", true), ("GET/a/mcp/x", true), ("PUT/b/c", true), ("GET/a/mcpx", false), ("POST/mcp", false),
      ("POST/a/mcp/", false), ("POST/a/mcp/y", false), ("POST//a/mcp", false), ("POST/A/mcp", false),
      ("POST/a%2Fmcp", false), ("POST/b/../a/mcp", false), ("POST/a/mcp;x", false), ("POST", false),
    ]
    for kind in EventKind.allCases where kind != .webSocket {
      for (route, isAllowed) in routes {
        for lines in [[], TestMCP.lines("tools/call", "t")] {
          let decision = try Self.decide(TestMCP.members(Self.everyVerb), kind, on: route, lines, "")
          #expect(decision.reason == (isAllowed ? nil : .noRule), "\(kind) \(route)")
          #expect(decision.leftOut == (kind == .restToken ? .mcpHeaders : nil))
          for verb in Route.allVerbs { #expect(try !decision.opens(verb + "/a/mcp"), "\(kind) \(route)") }
          #expect(try decision.context()["mcpToolRules"] == nil)
        }
      }
    }
  }

  @Test("events without headers leave the tool routes out")
  func withoutHeaders() throws {
    let rules = TestMCP.members(Self.everyVerb + #",{"routes":["$connect"],"allow":true}"#)
    let token = try Self.decide(rules, .restToken, on: "POST/a/mcp", [], "")
    #expect(token.reason == .mcpHeaders && token.outcome == .forbidden && token.leftOut == .mcpHeaders)
    #expect(token.detail == "events of this kind lack the headers of MCP: use a REQUEST authorizer")
    #expect(try token.opens("GET/a") && !token.opens("POST/a/mcp"))
    let lines = TestMCP.lines("tools/call", "t")
    let socket = try Self.decide(rules, .webSocket, on: "$connect", lines, "")
    #expect(socket.outcome == .allowed && socket.leftOut == .mcpHeaders)
    #expect(try !socket.opens("POST/a/mcp"))
    #expect(try Self.decide(rules, .webSocket, on: "POST/a/mcp", lines, "").reason == .mcpHeaders)
  }

  @Test("a simple answer is for this request alone")
  func simple() throws {
    let rules = TestMCP.rules + #","httpApiAnswer":"simple""#
    for (name, isAllowed) in [("search", true), ("delete_all", false)] {
      let decision = try Self.decide(rules, .http2, TestMCP.lines("tools/call", name), Self.read)
      guard case .response(let bytes) = decision.answer else { throw PolicyReading.Unreadable() }
      #expect(try JSONTree(parsing: bytes)["isAuthorized"] == .boolean(isAllowed))
      #expect(try decision.context()["mcpTools"] == .string(#"["get_*","search"]"#))
    }
  }

  @Test("what an issuer requires of all tokens comes first")
  func issuer() throws {
    var authorizer = try TestRules.authorizer(TestMCP.rules, partner: #","requiredScopes":["all"]"#)
    let event = TestMCP.event(.http2, [], token: try TestRules.partnerToken(Self.read))
    let decision = authorizer.decide(on: event, at: TestIssuers.now)
    #expect(decision.reason == .insufficientScope && decision.rule == nil && decision.detail == nil)
    #expect(try decision.context()["mcpToolRules"] == nil)
  }

  /// The identity sources of an HTTP API, and whether its cache keeps callers apart.
  static let identitySources: [(sources: [String], isDecided: Bool)] = [
    (["tools/call"], false), (["tools/call", "TOKEN"], true), (["TOKEN"], true), ([], true),
  ]

  @Test(
    "an API whose cache key lacks the token is misconfigured, also with \"off\"", arguments: identitySources)
  func identitySource(_ row: (sources: [String], isDecided: Bool)) throws {
    let token = try TestRules.partnerToken(Self.read)
    let sources = row.sources.map { $0 == "TOKEN" ? "Bearer " + token : $0 }
    let members = TestMCP.members(
      .http2, [("Authorization", "Bearer " + token)] + TestMCP.lines("tools/call", "search"))
    var authorizer = try TestRules.authorizer(TestMCP.rules)
    let decision = authorizer.decide(
      on: TestMCP.event(
        .http2, [], token: token, members: members + [TestEvent.list("identitySource", sources)]),
      at: TestIssuers.now)
    #expect(decision.outcome == (row.isDecided ? .allowed : .failure))
    #expect(decision.reason == (row.isDecided ? nil : .invalidConfiguration))
  }

  @Test("no guest reaches a tool route")
  func guests() throws {
    var authorizer = try TestRules.authorizer(TestMCP.rules + #","anonymous":{"routes":["GET /p/*"]}"#)
    let members = TestMCP.members(.http2, TestMCP.lines("tools/call", "search"))
    let outcomes = ["POST/mcp", "GET/mcp", "GET/p/x"].map { route in
      authorizer.decide(
        on: TestEvent.bytes(.http2, arn: TestEvent.stage + route, members), at: TestIssuers.now
      ).outcome
    }
    #expect(outcomes == [.unauthorized, .unauthorized, .allowed])
  }

  @Test("a cached verdict on a token decides nothing about its next request", arguments: [0, 16])
  func verdictCache(entries: Int) throws {
    var authorizer = try TestRules.authorizer(TestMCP.rules + ",\"verdictCache\":\(entries)")
    let token = try TestRules.partnerToken(Self.read)
    let requests: [(lines: TestMCP.Lines, reason: ReasonCode?)] = [
      (TestMCP.lines("tools/call", "search"), nil),
      (TestMCP.lines("tools/call", "delete_all"), .insufficientScope), ([], .mcpHeaders),
      (TestMCP.lines("tools/call", "add"), .toolNotAllowed), (TestMCP.lines("tools/list"), nil),
      (TestMCP.lines("tools/call", "search"), nil), (TestMCP.lines("tools/call"), .mcpHeaders),
    ]
    for kind in TestMCP.kinds {
      for (lines, reason) in requests + requests.reversed() {
        let decision = authorizer.decide(
          on: TestMCP.event(kind, lines, token: token), at: TestIssuers.now)
        #expect(decision.reason == reason)
      }
    }
    #expect(authorizer.signatureChecks == (entries == 0 ? 42 : 1))
  }

  /// Claims, and the tools that the token may call.
  static let callers: [(claims: String, tools: String)] = [
    ("", "[]"), (read, #"["get_*","search"]"#), (write, #"["delete_*"]"#),
    (#""scope":"mcp:read mcp:write","auth_time":"-1m""#, #"["get_*","search","delete_*"]"#),
    (#""scope":"mcp:read mcp:write","auth_time":"-16m""#, #"["get_*","search"]"#),
  ]

  @Test("the context says that tools are ruled, and which the token may call now", arguments: callers)
  func context(_ row: (claims: String, tools: String)) throws {
    let requests = [
      TestMCP.lines("tools/list"), TestMCP.lines("tools/call", "search"), TestMCP.lines("tools/call", "add"),
      [],
    ]
    for kind in TestMCP.kinds {
      for lines in requests {
        let context = try Self.decide(TestMCP.rules, kind, lines, row.claims).context()
        #expect(context["mcpToolRules"] == .boolean(true))
        #expect(context["mcpTools"] == .string(row.tools))
      }
    }
  }

  @Test("the list of tools has each pattern once, as JSON text, and at most 2,048 bytes")
  func list() throws {
    func tools(_ rules: String) throws -> JSONTree? {
      try Self.decide(TestMCP.members(rules), .restRequest, TestMCP.lines("tools/list"), "").context()[
        "mcpTools"]
    }
    let twice =
      #"{"routes":["POST /mcp"],"tools":["b","a"],"allow":true},{"routes":["POST /mcp"],"tools":["a","é\"\\c"],"allow":true}"#
    #expect(try tools(twice) == .string(#"["b","a","é\"\\c"]"#))
    // Brackets and quotes included.
    for (bytes, isThere) in [(1020, true), (1021, false)] {
      let names = [String(repeating: "a", count: 1021), String(repeating: "b", count: bytes)]
      let rule = #"{"routes":["POST /mcp"],"tools":["\#(names[0])","\#(names[1])"],"allow":true}"#
      let text = #"["\#(names[0])","\#(names[1])"]"#
      #expect((text.utf8.count <= 2048) == isThere)
      #expect(try tools(rule) == (isThere ? .string(text) : nil))
    }
    // Those of another verb or path are of another route.
    let others =
      #"{"routes":["GET /mcp","POST /b"],"tools":["x"],"allow":true},{"routes":["POST /mcp"],"tools":["y"],"allow":true}"#
    #expect(try tools(others) == .string(#"["y"]"#))
  }

  @Test("a granted route that does not fit into a policy is left out")
  func tooLong() throws {
    let path = "/" + String(repeating: "m", count: 430)
    let decision = try Self.decide(
      TestMCP.members(#"{"routes":["POST \#(path)"],"tools":["a"],"allow":true}"#), .http2, on: "POST" + path,
      TestMCP.lines("tools/call", "a"), "")
    #expect(TestEvent.stage.utf8.count + path.utf8.count + 4 <= 512)
    #expect(decision.outcome == .allowed)
    var authorizer = try TestRules.authorizer(
      TestMCP.members(#"{"routes":["POST \#(path)"],"tools":["a"],"allow":true}"#))
    let stage = "arn:aws:execute-api:eu-west-1:123456789012:abc/\(String(repeating: "s", count: 80))/"
    let event = TestEvent.bytes(
      .http2, arn: stage + "POST" + path,
      TestMCP.members(
        .http2,
        [("Authorization", "Bearer " + (try TestRules.partnerToken()))] + TestMCP.lines("tools/call", "a")))
    let long = authorizer.decide(on: event, at: TestIssuers.now)
    #expect(long.reason == .noRule && long.leftOut == .answerTooLarge)
  }
}
