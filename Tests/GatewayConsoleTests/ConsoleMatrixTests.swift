import TestSupport
@testable import EmulatorTestSupport
@testable import GatewayConsole
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
import JSON
import Synchronization
import Testing

/// The matrix, and requests that the page sends.
@Suite struct ConsoleMatrixTests {
  @Sendable private static func answer(_ event: JSONTree) -> InvocationAnswer {
    guard case .string(let value)? = event["headers"]?["Authorization"],
      let token = DecodedToken(String(value.dropFirst("Bearer ".count)))
    else { return GatewayStage.error("Unauthorized") }
    if token.claims["scope"] == .string("broken") { return GatewayStage.error("boom", type: "Error") }
    return GatewayStage.policy(token.claims["scope"] == .string("write") ? "Allow" : "Deny")
  }

  private static func stage() throws -> ConsoleStage {
    try ConsoleStage(
      [try ConsoleStage.api(.restRequest([.header("Authorization")]))],
      backend: { _ in .response(Array(#"{"statusCode":418}"#.utf8)) }, answer: Self.answer)
  }

  @Test func eachCellIsTheAnswerOfTheAuthorizer() async throws {
    let stage = try Self.stage()
    let reply = try await stage.ask(
      "/dev/matrix",
      query:
        "user=&user=alice&user=alice&scope=write&user=bob&scope=broken&user=eve&claims=%7B%22scope%22:%22write%22%7D"
    )
    #expect(reply.status == 200, "\(reply.text)")
    let statuses = reply.json["cells"]?.elements.map { row in
      row.elements.compactMap { $0["status"].map { String(decoding: $0.bytes(), as: UTF8.self) } }
    }
    #expect(
      statuses == [
        ["401", "403", "200", "500", "200"], ["401", "403", "200", "500", "200"],
        ["200", "200", "200", "200", "200"],
      ])
    #expect(
      reply.json["routes"]?.elements.compactMap { $0["route"]?.plain }
        == ["GET /pets/{id}", "POST /pets", "GET /open"])
    #expect(
      reply.json["users"]?.elements.compactMap { $0["label"]?.plain }
        == [
          "no token", "alice", "alice, scope write", "bob, scope broken", #"eve, claims {"scope":"write"}"#,
        ])
    let cell = reply.json["cells"]?.elements[0].elements[2]
    #expect(cell?["sentence"] == .string("allowed by Statement[0]"))
    #expect(stage.events.count == 8)
  }

  @Test func asksNoBackendAndFillsNoCache() async throws {
    let stage = try Self.stage()
    _ = try await stage.ask("/dev/matrix")
    let first = stage.events.count
    _ = try await stage.ask("/dev/matrix")
    #expect(stage.events.count == 2 * first)
    #expect(stage.calls.count == 0 && stage.service.keptAnswers == 0)
    #expect(stage.log.page(after: nil, limit: 10).newest == 0)
  }

  @Test(arguments: [
    ("scope=a", "write the user before the scope"), ("user=&scope=a", "write the user before the scope"),
    ("claims={}", "write the user before the claims"), ("user=a&claims=x", "claims has the wrong JSON type"),
    ("x=1", "unknown parameter"), (String(repeating: "user=a&", count: 25), "at most 24 users"),
  ]) func refusesWrongUsers(_ query: String, _ words: String) async throws {
    let reply = try await Self.stage().ask("/dev/matrix", query: query)
    #expect(reply.status == 400)
    #expect(reply.text("error").contains(words))
  }

  @Test func aLargeTemplateIsCut() async throws {
    let routes = try (0..<60).map {
      try GatewayStage.route("GET /r\($0)", access: .lambda(GatewayStage.tokenAuthorizer))
    }
    let stage = try ConsoleStage([GatewayStage.api(routes)])
    let users = (0..<24).map { "user=u\($0)" }.joined(separator: "&")
    let reply = try await stage.ask("/dev/matrix", query: users)
    #expect(reply.json["truncated"] == .boolean(true))
    #expect(reply.json["cells"]?.elements.count == ConsoleLimits.matrix.cells / 24)
  }

  /// Each answer takes 8 of the 30 s: with one user, the fourth row is the last that begins in time.
  @Test func endsWithTheRowsThatAreReadyInTime() async throws {
    let (answers, held) = (ConsoleStage.Events(), HeldClock())
    let clock = LambdaClock(
      now: { Moment(monotonicNanoseconds: UInt64(answers.count) * 8_000_000_000, unixMilliseconds: 0) },
      wait: { try await held.clock.wait($0) })
    let routes = try (0..<9).map {
      try GatewayStage.route("GET /r\($0)", access: .lambda(GatewayStage.tokenAuthorizer))
    }
    let stage = try ConsoleStage([GatewayStage.api(routes)], clock: clock) { _ in
      answers.add([])
      return GatewayStage.policy()
    }
    let reply = try await stage.ask("/dev/matrix", query: "user=alice")
    #expect(reply.json["cells"]?.elements.count == 4)
    #expect(reply.json["routes"]?.elements.count == 4)
    #expect(reply.json["truncated"] == .boolean(true))
  }

  /// Of a WebSocket API, only `$connect` has an authorizer: one row, which opens no connection.
  @Test func aWebSocketAPIHasARowForItsHandshake() async throws {
    let authorizer = GatewayAuthorizer(
      name: "Connect", function: "Authorizer", form: .webSocket([.header("Authorization")]),
      timeToLiveSeconds: 0)
    let api = try WebSocketStage.api([
      WebSocketStage.route("$connect", .webSocketMock, access: .lambda(authorizer)),
      WebSocketStage.route("$default", .webSocketMock), WebSocketStage.route("send", .webSocketMock),
    ])
    let stage = try ConsoleStage([api], answer: Self.answer)
    let reply = try await stage.ask("/dev/matrix", query: "user=&user=alice&scope=write&user=bob")
    #expect(reply.json["routes"]?.elements.compactMap { $0["route"]?.plain } == ["$connect"])
    #expect(
      reply.json["cells"]?.elements.map { $0.elements.compactMap { $0["outcome"]?.plain } }
        == [["unauthorized", "allowed", "forbidden"]])
    #expect(stage.service.sockets.withLock { $0.count } == 0)
  }

  // MARK: Tools

  /// Rules that name tools, resources and prompts of two paths, and one that names none.
  private struct ToolFacts: ConsoleFacts {
    let rules = [
      #"{"routes":["POST /mcp"],"allow":true}"#, #"{"routes":["* /mcp"],"tools":["get_*","search"]}"#,
      #"{"routes":["POST /mcp","POST /absent"],"tools":["search","*"],"resources":["file:///*"],"prompts":["größe"]}"#,
    ].compactMap { try? JSONTree(parsing: Array($0.utf8)) }
  }

  /// Allows what the name of the tool begins with, and lists to all.
  @Sendable private static func byTool(_ event: JSONTree) -> InvocationAnswer {
    let headers = event["headers"]
    guard case .string(let value)? = headers?["Authorization"],
      let token = DecodedToken(String(value.dropFirst("Bearer ".count)))
    else { return GatewayStage.error("Unauthorized") }
    guard headers?["MCP-Protocol-Version"] == .string("2026-07-28"),
      case .string(let method)? = headers?["Mcp-Method"]
    else { return GatewayStage.policy("Deny") }
    let name = headers?["Mcp-Name"]
    let isAllowed =
      method == "tools/list" || token.claims["sub"] == name || name == .string("=?base64?Z3LDtsOfZQ==?=")
    return GatewayStage.policy(isAllowed ? "Allow" : "Deny")
  }

  private static func toolStage() throws -> ConsoleStage {
    let authorizer = GatewayAuthorizer(
      name: "Request", function: "Authorizer", form: .restRequest([.header("Authorization")]),
      timeToLiveSeconds: 0)
    let api = GatewayStage.api([
      try GatewayStage.route("ANY /mcp", access: .lambda(authorizer)),
      try GatewayStage.route("GET /pets", access: .lambda(authorizer)),
    ])
    return try ConsoleStage(
      [api], facts: ToolFacts(), backend: { _ in .response(Array(#"{"statusCode":200}"#.utf8)) },
      answer: Self.byTool)
  }

  @Test func aPathWithToolsHasARowForEachMessage() async throws {
    let reply = try await Self.toolStage().ask("/dev/matrix", query: "user=&user=search&user=get_1")
    let titles = reply.json["routes"]?.elements.map {
      "\($0["method"]?.plain ?? "") \($0["path"]?.plain ?? "") \($0["message"]?["title"]?.plain ?? "-")"
    }
    #expect(
      titles == [
        "GET /pets -", "POST /mcp tools/list", "POST /mcp tools/call get_1", "POST /mcp tools/call search",
        "POST /mcp tools/call 1", "POST /mcp resources/read file:///1", "POST /mcp prompts/get größe",
      ])
    #expect(
      reply.json["cells"]?.elements.map {
        $0.elements.compactMap { $0["status"].map { String(decoding: $0.bytes(), as: UTF8.self) } }
      }
        == [
          ["401", "403", "403"], ["401", "200", "200"], ["401", "403", "200"], ["401", "200", "403"],
          ["401", "403", "403"], ["401", "403", "403"], ["401", "200", "200"],
        ])
  }

  /// The page sends the request of a cell with the headers and the body of the matrix.
  @Test func aCellIsWhatARequestForItGets() async throws {
    let stage = try Self.toolStage()
    let matrix = try await stage.ask("/dev/matrix", query: "user=search&user=get_1").json
    for (row, route) in (matrix["routes"]?.elements ?? []).enumerated() {
      for (column, user) in ["search", "get_1"].enumerated() {
        var order = JSONTree.members([
          "method": route["method"], "path": route["path"], "user": .string(user),
          "headers": route["message"]?["headers"], "body": route["message"]?["body"],
        ])
        if route["message"] == nil { order["headers"] = .object([]) }
        let sent = try await stage.ask("/dev/send", json: String(decoding: order.bytes(), as: UTF8.self))
        let cell = matrix["cells"]?.elements[row].elements[column]
        #expect(sent.json["status"] == cell?["status"], "\(route) \(user): \(sent.text)")
      }
    }
    #expect(stage.log.page(after: nil, limit: 20).newest == 14)
  }

  // MARK: Requests of the page

  @Test func sendsThroughTheGatewayWithATokenMadeHere() async throws {
    let stage = try Self.stage()
    let reply = try await stage.ask(
      "/dev/send",
      json:
        #"{"method":"POST","path":"/pets","headers":{"X-A":"b"},"body":"{}","user":"alice","scope":"write"}"#)
    #expect(reply.text("status") == "418", "\(reply.text)")
    #expect(reply.text("decision") == "1")
    #expect(stage.calls.last?["body"] == .string("{}"))
    #expect(stage.calls.last?["headers"]?["X-A"] == .string("b"))
    #expect(stage.service.keptAnswers == 1)
    #expect(stage.log.decision(1)?.replayOf == nil)
    for claims in [#"{"scope":"write"}"#, #""{\"scope\":\"write\"}""#] {
      let order = #"{"method":"POST","path":"/pets","user":"eve","claims":\#(claims)}"#
      #expect(try await stage.ask("/dev/send", json: order).text("status") == "418")
    }
  }

  @Test(arguments: [
    ("/pets/{id}", #"{"id":"a b/c"}"#, "/prod/pets/a%20b%2Fc"), ("/pets/7", "{}", "/prod/pets/7"),
    ("/files/{proxy+}", #"{"proxy":"a/ü"}"#, "/prod/files/a/%C3%BC"),
    ("/pets/%7Bid%7D", "{}", "/prod/pets/%7Bid%7D"),
    ("/{a}/{b}/", #"{"b":"2","a":"1"}"#, "/prod/1/2/"),
  ]) func fillsTheParametersOfAPath(_ path: String, _ parameters: String, _ sent: String) async throws {
    let stage = try Self.stage()
    let reply = try await stage.ask("/dev/send", json: #"{"path":"\#(path)","parameters":\#(parameters)}"#)
    #expect(reply.status == 200, "\(reply.text)")
    #expect(stage.log.decision(1)?.served.request.path == sent)
  }

  @Test(arguments: [
    (#"{"path":"/pets/{id}"}"#, "the parameter {id}: give its value in parameters"),
    (#"{"path":"/pets/{id}","parameters":{"id":""}}"#, "the parameter {id}"),
    (#"{"path":"/pets/{id}","parameters":{"x":"1"}}"#, "the parameter {id}"),
    (#"{"path":"/pets/1","parameters":{"id":"1"}}"#, "path has no parameter {id}"),
    (#"{"path":"/pets/a{id}"}"#, "must be a whole segment"),
    (#"{"path":"/pets/}"}"#, "must be a whole segment"),
    (#"{"path":"/pets/{id}","parameters":{"id":7}}"#, "parameters must have strings"),
    (#"{"path":"pets"}"#, "path must begin"), (#"{"path":"/a b"}"#, "path must begin"),
    (#"{"path":"/a\r\nX: y"}"#, "path must begin"), (#"{"path":"/a?b"}"#, "path must begin"),
    (#"{"method":"get"}"#, "method"), (#"{"method":"GET /x HTTP/1.1"}"#, "method"),
    (#"{"headers":{"X":"a\nb"}}"#, "headers"), (#"{"headers":{"X Y":"a"}}"#, "headers"),
    (#"{"headers":{"X":1}}"#, "headers"), (#"{"user":"a","claims":[]}"#, "claims has the wrong JSON type"),
    (#"{"query":"a b"}"#, "query"),
    (#"{"token":"x"}"#, "unknown member"),
  ]) func refusesRequestsThatAreNoRequests(_ order: String, _ words: String) async throws {
    let stage = try Self.stage()
    let reply = try await stage.ask("/dev/send", json: order)
    #expect(reply.status == 400)
    #expect(reply.text("error").contains(words), "\(reply.text)")
    #expect(stage.events.count == 0)
  }

  @Test func anUnknownAPIIsNotFound() async throws {
    #expect(try await Self.stage().ask("/dev/send", json: #"{"api":"Other"}"#).status == 404)
  }
}
