@testable import LambdaEmulator
import TestSupport
@testable import EmulatorTestSupport
@testable import GatewayConsole
@testable import GatewayEmulator
@testable import GatewayModel
import JSON
import Testing

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
    #expect(column("outcome") == ["forbidden", "forbidden", "unauthorized", "open", "refused"])
    #expect(column("answer") == ["called", "cache", "not-called", "null", "null"])
    #expect(column("status") == ["403", "403", "401", "200", "403"])
    #expect(column("reason") == ["noRule", "noRule", "missingToken", "null", "null"])
    #expect(column("route") == ["GET /pets/{id}", "GET /pets/{id}", "GET /pets/{id}", "GET /open", "null"])
    #expect(reply.text("newest") == "5" && reply.text("oldest") == "1")
  }

  @Test func theListHasTheIDsInTheHeadersOfTheAnswers() async throws {
    let stage = try ConsoleStage()
    let answer = await stage.call()
    let reply = try await stage.ask("/dev/decisions", query: "view=summary")
    let line = try #require(reply.json["decisions"]?.elements.first)
    let identifier = try #require(answer.response.header("x-amzn-RequestId"))
    #expect(line["requestId"]?.plain == identifier)
    let extended = try #require(answer.response.header("x-amz-apigw-id"))
    #expect(line["extendedRequestId"]?.plain == extended)
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

  /// curl would read a file, make many requests out of a pattern, or send another method; a terminal would run what
  /// follows the end of a paste.
  @Test(arguments: [
    ("POST", "", "@/etc/passwd", "-X POST ", "--data-raw @/etc/passwd"),
    ("GET", "", "text", "-X GET ", "--data-raw text"),
    ("GET", "x=[1-9]{a,b}", "", "curl --globoff 'http", ""),
    ("POST", "", "a\u{1B}[201~b", "-X POST ", ""), ("POST", "", "a\rb", "", ""),
    ("POST", "", "a\u{9B}b", "", ""), ("POST", "", "a\tb\nc", "", ""),
  ]) func aCommandSendsTheRequestAndNothingElse(
    _ method: String, _ query: String, _ body: String, _ part: String, _ data: String
  ) async throws {
    let stage = try ConsoleStage()
    await stage.call(method, "/prod/pets/1", query: query, body: Array(body.utf8))
    let decision = try await stage.ask("/dev/decisions/1")
    let command = decision.text("curl")
    #expect(command.contains(part), "\(command)")
    #expect(data.isEmpty ? !command.contains("--data") : command.hasSuffix(data), "\(command)")
    #expect(decision.text("curlOmits") == (data.isEmpty && !body.isEmpty ? #"["body"]"# : "[]"))
  }

  /// One list of whole decisions at a time: a second one would take the last thread from the gateway.
  @Test func wholeDecisionsAreListedForOneClientAtATime() async throws {
    let stage = try ConsoleStage()
    await stage.call()
    let statuses = try await stage.console.wholeLists.alone { () async throws(ConsoleProblem) -> [Int] in
      var statuses: [Int] = []
      for query in ["", "view=full", "view=summary"] {
        statuses.append((try? await stage.ask("/dev/decisions", query: query).status) ?? 0)
      }
      return statuses
    }
    #expect(statuses == [503, 503, 200])
    #expect(try await stage.ask("/dev/decisions").json["truncated"] == .boolean(false))
  }

  /// The bound is that of the kept bytes; a reader continues after the last ID.
  @Test func alistOfWholeDecisionsIsBounded() async throws {
    let stage = try ConsoleStage()
    let body = [UInt8](repeating: 0x61, count: ConsoleLimits.requestBodyBytes)
    for _ in 0..<80 { await stage.call("POST", "/prod/pets", body: body) }
    let all = stage.log.page(after: nil, limit: 500).decisions
    let (first, last) = (
      ConsoleList.bounded(all, isFromStart: true), ConsoleList.bounded(all, isFromStart: false)
    )
    #expect(first.first?.id == 1 && last.last?.id == 80)
    for part in [first, last] {
      #expect((1..<80).contains(part.count))
      #expect(part.reduce(0) { $0 + $1.bytes } <= ConsoleLimits.pageBytes)
      #expect(part.map(\.id) == part.map(\.id).sorted())
    }
    #expect(ConsoleList.bounded(Array(all.prefix(1)), isFromStart: true).count == 1)
  }

  /// The client of a long list has left.
  @Test func alistEndsWithItsConnection() async throws {
    let stage = try ConsoleStage()
    await stage.call()
    let connection = ConsoleConnection(
      service: stage.service, issuer: stage.connection.issuer, secret: stage.connection.secret,
      scheme: "http", close: {}, whenClosed: { $0() })
    let list = ConsoleList(console: stage.console, connection: connection)
    await #expect(throws: ConsoleProblem.busy("the client has left")) {
      try await list.answer(GatewayRequest(method: "GET", path: "/dev/decisions", headers: []))
    }
  }

  @Test(arguments: [
    ([GatewayRequest.Header](), "/prod/pets/1", false), (ConsoleStage.headers, "/prod/nothing", false),
    (ConsoleStage.headers, "/prod/pets/1", true),
  ]) func saysWhetherTheBackendAnswered(
    _ headers: [GatewayRequest.Header], _ path: String, _ isReached: Bool
  ) async throws {
    let stage = try ConsoleStage()
    await stage.call("GET", path, headers: headers)
    let response = try await stage.ask("/dev/decisions/1").json["response"]
    #expect(response?["reachedBackend"] == .boolean(isReached))
    #expect(response?["body"]?.plain?.isEmpty == false)
  }

  @Test func wrongMethodsAndLargeBodiesAreRefused() async throws {
    let stage = try ConsoleStage()
    let answer = try await stage.ask("/dev/decisions", json: "{}")
    #expect(answer.status == 405 && answer.response.header("Allow") == "GET")
    let large = String(repeating: " ", count: ConsoleLimits.orderBytes) + "{}"
    #expect(try await stage.ask("/dev/send", json: large).status == 413)
    #expect(try await stage.ask("/dev/decisions/3").status == 404)
    let page = try await stage.ask("/dev/console", host: "console.localhost:8080")
    #expect(page.response.body.starts(with: "<!doctype html>".utf8))
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
    func explanation(of _: [UInt8], by function: String, at seconds: Int64) -> DecisionExplanation? {
      guard function == "Authorizer" else { return nil }
      let check = DecisionCheck(
        name: "expiry", result: .failed, reason: "expired", expected: "later", found: "at \(seconds)")
      return DecisionExplanation(
        sentence: "rules[1] allows GET /pets: any valid token", hint: "get a new one", reason: "expired",
        rule: 1,
        needs: ["admin"], has: "no claim role", checks: [check])
    }
    var scopes: [String] { ["orders:read"] }
    var rules: [JSONTree] { [.null, .members(["allow": .boolean(true)])] }
    var keySets: [JSONTree] { [.members(["issuer": .string("https://x")])] }
    var revocations: JSONTree { .members(["available": .boolean(true)]) }
    var findings: [JSONTree] { [.members(["code": .string("anyOrigin")])] }
    var version: String { "1.2.3" }
  }

  /// The function's reason is known for the request that it answered alone.
  @Test func aRefusalFromTheCacheSaysWhy() async throws {
    let stage = try ConsoleStage(
      facts: Quoting(), reason: "noRule", answer: { _ in GatewayStage.policy("Deny") })
    for path in ["/prod/pets/1", "/prod/pets/2"] { await stage.call("GET", path) }
    #expect(stage.events.count == 1)
    let list = try await stage.ask("/dev/decisions").json["decisions"]?.elements ?? []
    let second = try #require(list.first { $0["path"] == .string("/prod/pets/2") })
    #expect(second["reason"] == .string("claimNotAllowed"))
    #expect(second["why"] == .string(#"needs role: "owner" status=200"#))
    #expect(
      stage.lines.texts.last?.hasSuffix(#"reason=claimNotAllowed why="needs role: 'owner' status=200""#)
        == true)
  }

  /// The log, the list and the sentence of the decision say it.
  @Test func aMissingTokenIsSaid() async throws {
    let stage = try ConsoleStage(facts: Quoting())
    await stage.call(headers: [.init("X-Identity", "x")])
    let words = "The token is missing: header Authorization is missing, so the authorizer was not called"
    #expect(stage.lines.texts[0].hasSuffix(#"reason=missingToken why="\#(words)""#))
    let decision = try await stage.ask("/dev/decisions/1").json
    #expect(decision["why"] == .string(words) && decision["reason"] == .string("missingToken"))
    #expect(decision["answer"] == .string("not-called") && decision["status"] == .number("401"))
  }

  /// A refusal that the authorizer has nothing to do with, and an Allow, are explained only where someone looks.
  @Test func whatNobodyLooksAtIsNotExplained() async throws {
    let counting = Counting()
    let stage = try ConsoleStage(
      [try ConsoleStage.api(.restRequest([.header("Authorization")]))], facts: counting)
    for path in ["/prod/pets/1", "/prod/open", "/prod/none", "/prod/pets/1"] { await stage.call("GET", path) }
    await stage.call("GET", "/prod/pets/1", headers: [])
    _ = try await stage.ask("/dev/decisions", query: "view=summary")
    #expect(counting.events.count == 0)
    _ = try await stage.ask("/dev/decisions/1")
    #expect(counting.events.count == 1)
  }

  struct Counting: ConsoleFacts {
    let events = ConsoleStage.Events()
    func explanation(of event: [UInt8], by _: String, at _: Int64) -> DecisionExplanation? {
      events.add(event)
      return nil
    }
  }

  /// A test is named after its request, not after its number, which begins again with each start.
  @Test func aTestIsSavedUnderANameThatDoesNotRepeat() async throws {
    var names: Set<String> = []
    for _ in 0..<2 {
      let stage = try ConsoleStage(facts: Saving())
      let token = try ConsoleTokens(
        issuer: stage.connection.issuer, base: "http://x", now: stage.service.unixMilliseconds / 1000
      ).token(user: "alice", scope: nil, for: nil)
      await stage.call(headers: [.init("Authorization", "Bearer " + token), .init("X-Identity", "x")])
      let reply = try await stage.ask("/dev/decisions/1/test", json: "{}")
      #expect(reply.status == 200, "\(reply.text)")
      #expect(reply.text("files").hasPrefix("events/get-pets-1-alice-200-"), "\(reply.text)")
      #expect(reply.text("files") == (try await stage.ask("/dev/decisions/1/test", json: "{}")).text("files"))
      names.insert(reply.text("files"))
      await stage.call("GET", "/prod/open")
      #expect(try await stage.ask("/dev/decisions/2/test", json: "{}").status == 409)
    }
    #expect(names.count == 2)
  }

  struct Saving: ConsoleFacts {
    func save(test: JSONTree) throws(ConsoleProblem) -> JSONTree { .members(["files": test["event"]]) }
  }

  @Test func anAllowedRequestIsNotExplainedInTheLog() async throws {
    let stage = try ConsoleStage(facts: Quoting())
    await stage.call()
    #expect(stage.lines.texts.last?.contains("why=") == false)
  }

  /// Explains each event by a claim that looks like a member of the log.
  struct Quoting: ConsoleFacts {
    func explanation(of _: [UInt8], by _: String, at _: Int64) -> DecisionExplanation? {
      DecisionExplanation(sentence: #"needs role: "owner" status=200"#, reason: "claimNotAllowed", rule: 0)
    }
  }

  @Test func showsWhatTheProgramKnows() async throws {
    let stage = try ConsoleStage(
      [try ConsoleStage.api(.restRequest([.header("Authorization")]))], facts: Facts())
    await stage.call()
    let seconds = try #require(stage.log.decision(1)?.served.identity.unixMilliseconds) / 1000
    let decision = try await stage.ask("/dev/decisions/1").json
    #expect(decision["sentence"] == .string("rules[1] allows GET /pets: any valid token"))
    #expect(decision["rule"] == .integer(1) && decision["hint"] == .string("get a new one"))
    #expect(decision["ruleText"] == .members(["allow": .boolean(true)]))
    let check = decision["checks"]?.elements.first
    #expect(check?["result"] == .string("failed") && check?["found"] == .string("at \(seconds)"))
    #expect(try await stage.ask("/dev/keys").text.contains("https://x"))
    #expect(try await stage.ask("/dev/findings").text.contains("anyOrigin"))
    #expect(try await stage.ask("/dev/revocations").text("available") == "true")
    #expect(try await stage.ask("/dev/session").text("version") == "1.2.3")
    let matrix = try await stage.ask("/dev/matrix")
    #expect(
      matrix.json["users"]?.elements.compactMap { $0["label"]?.plain }
        == ["no token", "alice", "bob", "alice, scope orders:read"])
    #expect(matrix.text.contains("rules[1] allows GET /pets: any valid token"))
    let cells = matrix.json["cells"]?.elements.flatMap(\.elements) ?? []
    #expect(cells.contains { $0["needs"] == .array([.string("admin")]) })
    #expect(cells.contains { $0["has"] == .string("no claim role") })
  }
}
