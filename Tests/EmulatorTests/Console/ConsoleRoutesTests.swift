import JSON
import Testing

@testable import Emulator

/// The routes of the console.
@Suite struct ConsoleRoutesTests {
  @Test func theListHasEachDecisionWithItsOutcome() async throws {
    let stage = try ConsoleStage(
      reason: "noRule", backend: { _ in .response(Array(#"{"statusCode":200}"#.utf8)) },
      answer: { _ in GatewayStage.policy("Deny") })
    await stage.call()
    await stage.call()
    await stage.call(headers: [])
    await stage.call("GET", "/prod/open", headers: [])
    await stage.call("GET", "/prod/nothing")
    let reply = try await stage.ask("/dev/decisions", query: "view=summary")
    let lines = try #require(reply.json["decisions"]?.elements)
    func column(_ name: String) -> [String] {
      lines.map { $0[name].map { $0.plain ?? String(decoding: $0.bytes(), as: UTF8.self) } ?? "-" }
    }
    #expect(column("id") == ["1", "2", "3", "4", "5"])
    #expect(column("outcome") == ["deny", "deny", "unauthorized", "open", "refused"])
    #expect(column("answer") == ["called", "cache", "not-called", "null", "null"])
    #expect(column("status") == ["403", "403", "401", "200", "403"])
    #expect(column("reason") == ["noRule", "noRule", "null", "null", "null"])
    #expect(column("route") == ["GET /pets/{id}", "GET /pets/{id}", "GET /pets/{id}", "GET /open", "null"])
    #expect(reply.text("newest") == "5" && reply.text("oldest") == "1")
  }

  @Test(arguments: [
    ("after=2", ["3", "4"]), ("after=0&limit=2", ["1", "2"]), ("limit=1", ["4"]), ("after=4", []),
    ("after=99", []), ("", ["1", "2", "3", "4"]),
  ]) func pagesTheList(_ query: String, _ ids: [String]) async throws {
    let stage = try ConsoleStage()
    for _ in 1...4 { await stage.call() }
    let reply = try await stage.ask("/dev/decisions", query: query)
    #expect(
      reply.json["decisions"]?.elements.compactMap {
        $0["id"].map { String(decoding: $0.bytes(), as: UTF8.self) }
      }
        == ids)
  }

  @Test(arguments: [
    "after=x", "after=-1", "limit=0", "limit=501", "view=all", "x=1", "after=99999999999999999999",
  ])
  func refusesWrongParameters(_ query: String) async throws {
    #expect(try await ConsoleStage().ask("/dev/decisions", query: query).status == 400)
  }

  @Test(arguments: [
    ("/dev/decisions/1", true), ("/dev/decisions/1/replay", true), ("/dev/decisions/01", false),
    ("/dev/decisions/+1", false), ("/dev/decisions/1/", false), ("/dev/decisions/1/x", false),
    ("/dev/decisions/1/replay/x", false), ("/dev/decisions/", false), ("/dev/decisions/x", false),
    ("/dev/clock", false), ("/dev/console/", false),
  ]) func knowsItsPaths(_ path: String, _ isKnown: Bool) {
    #expect((ConsoleRoute(path: path) != nil) == isKnown)
  }

  @Test func theWholeDecision() async throws {
    let stage = try ConsoleStage(
      backend: { _ in .response(Array(#"{"statusCode":201,"body":"made"}"#.utf8)) },
      answer: { _ in GatewayStage.policy(context: #"{"plan":"gold"}"#) })
    await stage.call(query: "x=1")
    let reply = try await stage.ask("/dev/decisions/1")
    #expect(reply.json["event"]?["type"] == .string("REQUEST"))
    #expect(reply.json["event"]?["headers"]?["Authorization"] == .string("redacted"))
    #expect(reply.json["policy"]?["principalId"] == .string("user-1"))
    #expect(reply.json["statement"]?["index"] == .number("0"))
    #expect(reply.json["context"]?["plan"] == .string("gold"))
    #expect(reply.json["response"]?["body"] == .string("made"))
    #expect(reply.json["checks"] == .null)
    #expect(
      reply.json["identitySources"]?.elements.compactMap { $0["source"]?.plain }
        == ["header Authorization", "header X-Identity"])
    #expect(
      reply.text("curl")
        == "curl 'http://127.0.0.1:8080/Api/prod/pets/1?x=1' -H 'Authorization: '\"$AUTHORIZATION\" -H 'X-Identity: '\"$X_IDENTITY\""
    )
  }

  /// The command is for a shell, so nothing of the request may be read by it.
  @Test(arguments: ["$(touch x)", "`touch x`", "a'b", "a\"b", "; touch x", "\u{1B}]0;x\u{07}"])
  func aCommandQuotesTheRequest(_ text: String) async throws {
    let stage = try ConsoleStage()
    await stage.call(
      "GET", "/prod/pets/" + text, query: "q=" + text,
      headers: ConsoleStage.headers + [.init("X-Text", text)],
      body: Array(text.utf8))
    let command = try await stage.ask("/dev/decisions/1").text("curl")
    var isQuoted = false
    var outside = ""
    for character in command.replacing(#"'\''"#, with: "") {
      if character == "'" { isQuoted.toggle() } else if !isQuoted { outside.append(character) }
    }
    #expect(!outside.contains("touch") && !outside.contains("`") && !outside.contains("$("), "\(command)")
    #expect(!command.contains("X-Text: \u{1B}"))
  }

  @Test func wrongMethodsAndLargeBodiesAreRefused() async throws {
    let stage = try ConsoleStage()
    let answer = try await stage.ask("/dev/decisions", json: "{}")
    #expect(answer.status == 405 && answer.response.header("Allow") == "GET")
    let large = String(repeating: " ", count: ConsoleLimits.orderBytes) + "{}"
    #expect(try await stage.ask("/dev/send", json: large).status == 413)
    #expect(try await stage.ask("/dev/decisions/3").status == 404)
    #expect(try await stage.ask("/dev/console.js").status == 404)
    #expect(try await stage.ask("/dev/console").response.body == [0x3C])
  }

  @Test func cachedAnswersHaveNoKeys() async throws {
    let stage = try ConsoleStage()
    await stage.call(headers: [
      .init("Authorization", "Bearer opaque-token-1"), .init("X-Identity", "identity-1"),
    ])
    let reply = try await stage.ask("/dev/cache")
    let answers = try #require(reply.json["answers"]?.elements)
    #expect(answers.count == 1)
    #expect(answers[0]["principal"] == .string("user-1") && answers[0]["outcome"] == .string("policy"))
    #expect(answers[0]["key"]?.plain?.count == 12)
    #expect(!reply.text.contains("opaque") && !reply.text.contains("identity-1"))
  }

  struct Facts: ConsoleFacts {
    func explanation(of _: [UInt8], by function: String, at seconds: Int64) -> ConsoleExplanation? {
      guard function == "Authorizer" else { return nil }
      let check = DecisionCheck(
        name: "expiry", result: .failed, reason: "expired", expected: "later", found: "at \(seconds)")
      return ConsoleExplanation(checks: [check], rule: "rules[1] allows GET /pets/*")
    }
    var scopes: [String] { ["orders:read"] }
    var keySets: [JSONTree] { [.members(["issuer": .string("https://x")])] }
    var revocations: JSONTree { .members(["available": .boolean(true)]) }
    var findings: [JSONTree] { [.members(["code": .string("anyOrigin")])] }
    var version: String { "1.2.3" }
  }

  @Test func showsWhatTheProgramKnows() async throws {
    let stage = try ConsoleStage(
      [try ConsoleStage.api(.restRequest([.header("Authorization")]))], facts: Facts())
    await stage.call()
    let seconds = try #require(stage.log.decision(1)?.served.identity.unixMilliseconds) / 1000
    let check = try await stage.ask("/dev/decisions/1").json["checks"]?.elements.first
    #expect(check?["result"] == .string("failed") && check?["found"] == .string("at \(seconds)"))
    #expect(try await stage.ask("/dev/keys").text.contains("https://x"))
    #expect(try await stage.ask("/dev/findings").text.contains("anyOrigin"))
    #expect(try await stage.ask("/dev/revocations").text("available") == "true")
    #expect(try await stage.ask("/dev/session").text("version") == "1.2.3")
    let matrix = try await stage.ask("/dev/matrix")
    #expect(
      matrix.json["users"]?.elements.compactMap { $0["label"]?.plain }
        == ["no token", "alice", "bob", "alice, scope orders:read"])
    #expect(matrix.text.contains("rules[1] allows GET /pets/*"))
  }
}
