import Testing

@testable import LambdaRuntime

@Suite("The loop")
struct RuntimeLoopTests {
  /// Answers with the event, or fails if it is `"fail"`; records its calls.
  struct Echo: InvocationHandler, ~Copyable {
    var calls: [String] = []

    mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer {
      let text = String(decoding: event, as: UTF8.self)
      calls.append("answer \(context.requestID) \(text)")
      guard text != "\"fail\"" else {
        return .failure(ErrorDocument(type: .function("unauthorized"), message: "Unauthorized"))
      }
      return .response(event)
    }

    mutating func afterResponse(deadlineMilliseconds: Int64?) {
      calls.append("after \(deadlineMilliseconds.map(String.init) ?? "none")")
    }
  }

  struct Run {
    let status: RuntimeExitStatus
    let calls: [String]
    let notices: [RuntimeNotice]
    let recording: ScriptedServer.Recording
  }

  /// Runs the loop against a server that plays one connection.
  static func run(_ steps: [ScriptedServer.Step]) throws -> Run {
    let server = try #require(ScriptedServer([steps]))
    var loop = RuntimeLoop(api: try RuntimeAPI(server))
    var handler = Echo()
    var notices: [RuntimeNotice] = []
    let status = loop.run(handler: &handler) { notices.append($0) }
    return Run(status: status, calls: handler.calls, notices: notices, recording: server.finish())
  }

  static let end: [ScriptedServer.Step] = [.takeRequest, .send(Answers.refusal(500))]

  @Test("events are answered in order, and the work after a response runs before the next request")
  func order() throws {
    let run = try Self.run(
      [
        .takeRequest, .send(Answers.event("1", id: "a", fields: ["Lambda-Runtime-Deadline-Ms: 42"])),
        .takeRequest, .send(Answers.accepted),
        .takeRequest, .send(Answers.event("\"fail\"", id: "b")),
        .takeRequest, .send(Answers.accepted),
      ] + Self.end)
    #expect(run.calls == ["answer a 1", "after 42", "answer b \"fail\"", "after none"])
    let paths = run.recording.requests.map {
      $0.line.split(separator: " ")[1].split(separator: "/").dropFirst(2)
    }
    #expect(
      paths.map { $0.joined(separator: "/") } == [
        "invocation/next", "invocation/a/response", "invocation/next", "invocation/b/error",
        "invocation/next",
      ])
    #expect(run.recording.requests[1].body == "1")
    #expect(run.recording.problems == [])
    #expect(run.notices.map(\.code) == ["containerError"])
  }

  static let warnings = [(400, "postRefused"), (410, "postStale"), (413, "postTooLarge")]

  @Test(
    "a POST that Lambda refuses is logged, and the loop continues without a second POST",
    arguments: warnings)
  func continuesAfterRefusedPost(_ status: Int, _ code: String) throws {
    let run = try Self.run(
      [.takeRequest, .send(Answers.event("1", id: "a")), .takeRequest, .send(Answers.refusal(status))]
        + HTTPConnectionTests.invocation + Self.end)
    #expect(run.recording.connections.map(\.count) == [5])
    #expect(run.calls.count == 4)
    #expect(run.notices.map(\.code) == [code, "containerError"])
    #expect(run.notices.map(\.level) == [.warning, .error])
    #expect(run.notices.first?.requestID == "a")
    #expect(run.notices.allSatisfy { !$0.message.contains { $0.isNewline } })
  }

  static let ends: [(answer: [UInt8], code: String, status: RuntimeExitStatus)] = [
    (Answers.refusal(403), "invalidState", .protocol),
    (Answers.refusal(500), "containerError", .unavailable),
    (Answers.refusal(404), "unexpectedStatus", .protocol),
    ([], "connectionLost", .unavailable),
    (Array("hello\r\n\r\n".utf8), "malformedAnswer", .protocol),
  ]

  @Test("an error of a POST that ends the loop is logged once, and no call follows", arguments: ends)
  func endsAtPost(_ answer: [UInt8], _ code: String, _ status: RuntimeExitStatus) throws {
    let run = try Self.run([.takeRequest, .send(Answers.event("1")), .takeRequest, .send(answer)])
    #expect(run.status == status)
    #expect(run.notices.map(\.code) == [code])
    #expect(run.calls == ["answer r-1 1"])
    #expect(run.recording.requests.count == 2)
  }

  @Test("an error of /next that ends the loop is logged once, and no event is answered", arguments: ends)
  func endsAtNext(_ answer: [UInt8], _ code: String, _ status: RuntimeExitStatus) throws {
    let run = try Self.run([.takeRequest, .send(answer)])
    #expect(run.status == status)
    #expect(run.notices.map(\.code) == [code])
    #expect(run.notices.map(\.level) == [.error])
    #expect(run.calls == [])
    #expect(run.recording.requests.count == 1)
  }

  static let detail = RefusalDetail(body: [])

  @Test(
    "every error has a code, a message and an exit status of sysexits.h",
    arguments: [
      (.transport(.next, .connectFailed(errorNumber: 111)), "connectFailed", 69),
      (.transport(.response, .sendFailed(errorNumber: 32, bytesSent: 7)), "sendFailed", 69),
      (.transport(.next, .connectionLost(errorNumber: 104)), "connectionLost", 69),
      (.transport(.next, .headTooLarge(byteLimit: 1)), "headTooLarge", 76),
      (.transport(.next, .answerTooLarge(byteLimit: 1)), "answerTooLarge", 76),
      (.transport(.next, .malformedAnswer(.chunkEnd)), "malformedAnswer", 76),
      (.invalidState(.error, detail), "invalidState", 76),
      (.containerError(.next, detail), "containerError", 69),
      (.unexpectedStatus(.next, status: 404, detail), "unexpectedStatus", 76),
      (.noInvocation(emptyAnswers: 2), "noInvocation", 76),
      (.missingRequestID, "missingRequestID", 76),
      (.invalidRequestID, "invalidRequestID", 76),
      (.invalidInvocationID, "invalidInvocationID", 76),
    ] as [(RuntimeAPIError, String, Int32)])
  func errorCodes(_ error: RuntimeAPIError, _ code: String, _ status: Int32) {
    #expect(error.code == code)
    #expect(RuntimeNotice(error).code == code)
    #expect(RuntimeExitStatus(error).rawValue == status)
    #expect(error.description.contains(": "))
  }
}
