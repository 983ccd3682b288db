import TestSupport
@testable import EmulatorTestSupport
@testable import GatewayConsole
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
import JSON
import TestTokens
import Testing

/// What the log of decisions keeps, and how much.
@Suite struct DecisionLogTests {
  /// The second value is that after the log has replaced all of its decisions a second time.
  @Test func fifteenHundredDecisionsNeedNoMoreThanFiveHundred() async throws {
    let stage = try ConsoleStage()
    var kept: [Int] = []
    for number in 1...1500 {
      await stage.call(headers: [.init("Authorization", "Bearer \(number % 10)"), .init("X-Identity", "x")])
      if number == 600 || number == 1500 { kept.append(stage.log.keptBytes) }
    }
    #expect(kept[0] == kept[1])
    #expect(kept[0] < 4 << 20)
    let page = stage.log.page(after: nil, limit: 1000)
    #expect(page.decisions.count == ConsoleLimits.decisions)
    #expect(page.newest == 1500 && page.oldest == 1001)
    #expect(stage.log.decision(1000) == nil)
    #expect(stage.log.decision(1001)?.id == 1001)
  }

  /// However large requests and answers are, the log keeps less than its bound.
  @Test func largeRequestsAndAnswersStayWithinTheBound() async throws {
    let large = String(repeating: "a", count: 200 << 10)
    let stage = try ConsoleStage(
      backend: { _ in
        .response(Array(#"{"statusCode":200,"body":"\#(String(repeating: "b", count: 60 << 10))"}"#.utf8))
      }, answer: { _ in GatewayStage.policy(context: #"{"large":"\#(large)"}"#) })
    for number in 0..<200 {
      await stage.call(
        "POST", "/prod/pets",
        headers: [.init("Authorization", "Bearer \(number)"), .init("X-Identity", "x")],
        body: [UInt8](repeating: 0x61, count: 60 << 10))
    }
    #expect(stage.log.keptBytes <= ConsoleLimits.bytes)
    #expect(stage.log.keptBytes > ConsoleLimits.bytes / 2)
  }

  @Test(arguments: [
    (0, 70 << 10, "", ["response"]), (70 << 10, 0, "", ["body"]), (0, 0, "x", ["answer"]),
    (70 << 10, 70 << 10, "x", ["body", "response", "answer"]), (10, 10, "", []),
  ]) func partsThatAreTooLargeAreNotKept(
    _ body: Int, _ response: Int, _ context: String, _ omitted: [String]
  ) async throws {
    let long = context.isEmpty ? "" : String(repeating: context, count: 300 << 10)
    let stage = try ConsoleStage(
      backend: { _ in
        .response(Array(#"{"statusCode":200,"body":"\#(String(repeating: "b", count: response))"}"#.utf8))
      }, answer: { _ in GatewayStage.policy(context: #"{"c":"\#(long)"}"#) })
    let answer = await stage.call("POST", "/prod/pets", body: [UInt8](repeating: 0x61, count: body))
    #expect(answer.response.status == 200)
    #expect(answer.response.body.count == response)
    let reply = try await stage.ask("/dev/decisions/1")
    #expect(reply.json["omitted"]?.elements.compactMap(\.plain) == omitted)
    #expect(stage.log.keptBytes < 200 << 10)
  }

  /// Bytes above the limit, and whether such a body is parsed.
  static let sizes: [(more: Int, isRead: Bool)] = [(0, true), (1, false), (3 << 20, false)]

  /// The client waits until its request is recorded: nothing of what is too long to be kept is parsed.
  @Test(arguments: [true, false], sizes)
  func whatIsTooLongToBeKeptIsNotParsed(_ keepsEvents: Bool, _ size: (more: Int, isRead: Bool)) async throws {
    func document(_ more: Int, _ start: String, _ end: String) -> [UInt8] {
      let padding = (64 << 10) + more - start.utf8.count - end.utf8.count
      return Array((start + String(repeating: "a", count: padding) + end).utf8)
    }
    let body = document(size.more, #"{"password":"sent-secret","a":""#, #""}"#)
    let answered = document(size.more, #"{"access_token":"made-secret","a":""#, #""}"#)
    let response = JSONTree.members([
      "statusCode": .integer(200), "body": .string(String(decoding: answered, as: UTF8.self)),
    ]).bytes()
    let stage = try ConsoleStage(keepsEvents: keepsEvents, backend: { _ in .response(response) })
    await stage.call("POST", "/prod/pets", body: body)
    let served = await Self.served(body, ConsoleStage.headers, stage)
    #expect(served.places.searched.request.count == (size.isRead ? body.count : 0))
    #expect(served.places.searched.response.count == (size.isRead ? served.response.body.count : 0))
    let values = served.credentials.values
    #expect(values.contains("sent-secret") == size.isRead && values.contains("made-secret") == size.isRead)
    for secret in ["sent-secret", "made-secret"] {
      #expect(!(try await stage.ask("/dev/decisions/1").text.contains(secret)))
    }
  }

  /// Every page can send such a request: it needs no token.
  @Test func theBodyOfARefusedRequestIsNotParsed() async throws {
    let stage = try ConsoleStage()
    let body = Array(#"{"password":"sent-secret","a":""#.utf8) + [UInt8](repeating: 0x61, count: 9 << 20)
    let served = await Self.served(body + Array(#""}"#.utf8), [], stage)
    #expect(served.response.status == 401)
    #expect(served.places.searched.request.isEmpty && !served.credentials.values.contains("sent-secret"))
  }

  /// Runs an exchange and returns it as it is before it is recorded.
  private static func served(
    _ body: [UInt8], _ headers: [GatewayRequest.Header], _ stage: ConsoleStage
  ) async -> CompletedRequest {
    let request = GatewayRequest(
      method: "POST", path: "/prod/pets", headers: [.init("Host", ConsoleStage.host)] + headers, body: body)
    return await stage.service.answerUnobserved(request, to: stage.service.gateway.apis[0]).served
  }

  /// A backend may repeat what its request has, in the words of an error too.
  @Test(arguments: [(0, "function error E: refused redacted"), (70 << 10, "backend=\"redacted\"")])
  func anErrorAboutABodyThatIsNotParsedIsNotShown(_ more: Int, _ words: String) async throws {
    let padding = String(repeating: "a", count: more)
    let stage = try ConsoleStage(backend: { _ in
      .error(
        FunctionErrorReport(
          headerType: nil,
          document: Array(#"{"errorType":"E","errorMessage":"refused sent-secret"}"#.utf8)))
    })
    await stage.call(
      "POST", "/prod/pets", body: Array(#"{"password":"sent-secret","a":"\#(padding)"}"#.utf8))
    let line = try #require(stage.lines.texts.last)
    #expect(line.contains(words) && !line.contains("sent-secret"), "\(line)")
    #expect(!(try await stage.ask("/dev/decisions/1").text.contains("sent-secret")))
  }

  @Test func keepsOnlyTheLineWithRealKeys() async throws {
    let stage = try ConsoleStage(
      keepsEvents: false, realKeys: true,
      answer: { _ in GatewayStage.policy(context: #"{"mail":"ada@example.com"}"#) })
    await stage.call(
      query: "q=ada", headers: ConsoleStage.headers + [.init("X-Other", "ada")])
    let decision = try #require(stage.log.decision(1))
    #expect(decision.served.request.headers.isEmpty && decision.served.request.query.isEmpty)
    #expect(decision.served.exchange?.request.headers.isEmpty == true)
    #expect(decision.served.exchange?.evidence?.call == nil)
    let reply = try await stage.ask("/dev/decisions/1")
    #expect(!reply.text.contains("ada") && !reply.text.contains("first") && !reply.text.contains("user-1"))
    for name in ["event", "token", "checks", "context", "curl", "test"] { #expect(reply.json[name] == .null) }
    #expect(
      reply.json["identitySources"]?.elements.map { $0["present"] } == [.boolean(true), .boolean(true)])
    #expect(reply.text("statement", "words") == "allowed by Statement[0]")
    #expect(reply.json["policy"]?["Statement"] != nil)
    let replay = try await stage.ask("/dev/decisions/1/replay", json: "{}")
    #expect(replay.status == 409 && replay.text.contains("--real-keys"))
    #expect(try await stage.ask("/dev/matrix").status == 409)
    #expect(try await stage.ask("/dev/send", json: #"{"path":"/pets/1","user":"a"}"#).status == 409)
  }

  // MARK: Streams

  @Test func aReaderWhoDoesNotReadIsDisconnected() async throws {
    let closed = ConsoleStage.Events()
    let stage = try ConsoleStage(closed: { closed.add([]) })
    let reply = try #require(await Self.stream(stage))
    for _ in 0...ConsoleLimits.waitingDecisions { await stage.call("GET", "/prod/open", headers: []) }
    #expect(closed.count == 1)
    #expect(stage.log.openFeeds == 0)
    // What waited is still sent, and then the stream ends.
    let parts = ConsoleStage.Events()
    try await reply { parts.add($0) }
    #expect(parts.count == 1 + ConsoleLimits.waitingDecisions)
  }

  @Test func onlySoManyStreamsAreOpen() async throws {
    let stage = try ConsoleStage()
    for _ in 0..<ConsoleLimits.streams { #expect(await Self.stream(stage) != nil) }
    let refused = try await stage.ask("/dev/decisions/stream")
    #expect(refused.status == 503)
    #expect(stage.log.openFeeds == ConsoleLimits.streams)
  }

  @Test func aStreamContinuesAfterItsLastDecision() async throws {
    let stage = try ConsoleStage()
    for _ in 1...3 { await stage.call() }
    let reply = try #require(await Self.stream(stage, [.init("Last-Event-ID", "1")]))
    await stage.call()
    let parts = ConsoleStage.Events()
    struct Enough: Error {}
    await #expect(throws: Enough.self) {
      try await reply { part in
        parts.add(part)
        if String(decoding: part, as: UTF8.self).contains("id: 4\n") { throw Enough() }
      }
    }
    #expect(parts.count == 4)
    #expect(stage.log.openFeeds == 0)
  }

  /// Opens a stream and returns its writer.
  private static func stream(
    _ stage: ConsoleStage, _ headers: [GatewayRequest.Header] = []
  ) async -> ((_ send: ([UInt8]) async throws -> Void) async throws -> Void)? {
    let request = GatewayRequest(
      method: "GET", path: "/dev/decisions/stream",
      headers: [
        .init("Host", ConsoleStage.host), .init(DevelopmentSecret.header, stage.connection.secret.value),
      ] + headers)
    guard case .stream(let head, let body)? = await stage.console.reply(to: request, from: stage.connection)
    else { return nil }
    #expect(head.header("Content-Type") == "text/event-stream")
    return body
  }
}
