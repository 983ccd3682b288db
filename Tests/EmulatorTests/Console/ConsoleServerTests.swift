import Logging
import TestSupport
import Testing

@testable import Emulator

/// The console on the port of the gateway.
@Suite(.timeLimit(.minutes(HangLimit.minutes))) struct ConsoleServerTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func serve<Result: Sendable>(
    _ stage: ConsoleStage, _ body: @escaping @Sendable (LoopbackClient) async throws -> Result
  ) async throws -> Result {
    try await GatewayServer.run(
      stage.service, issuer: stage.connection.issuer, console: stage.console, logger: logger
    ) { port in
      try await body(LoopbackClient(base: "http://127.0.0.1:\(port)"))
    }
  }

  @Test func answersBesideTheAPIs() async throws {
    let stage = try ConsoleStage()
    let answers = try await Self.serve(stage) { client in
      var answers: [LoopbackClient.Answer] = []
      answers.append(
        try await client.send(
          "GET", "/Api/prod/pets/1", headers: ["Authorization": "Bearer opaque-token", "X-Identity": "x"]))
      for path in ["/dev/decisions/1", "/dev/console", "/dev/clock", "/dev/nothing"] {
        answers.append(try await client.send("GET", path))
      }
      answers.append(
        try await client.send("GET", "/dev/decisions", headers: ["Origin": "http://localhost:3000"]))
      answers.append(
        try await client.send(
          "POST", "/dev/send", body: Array(#"{"path":"/open"}"#.utf8),
          headers: ["Content-Type": "application/json"]))
      return answers
    }
    #expect(answers.map(\.status) == [200, 200, 200, 200, 404, 403, 200])
    #expect(answers[1].body.contains("\"outcome\":\"allow\""))
    #expect(!answers[1].body.contains("opaque-token"))
    #expect(answers[2].headers["content-security-policy"] == "default-src 'none'")
    #expect(answers[2].headers["x-content-type-options"] == "nosniff")
    #expect(answers[6].body.contains("\"decision\":2"))
  }

  /// `serve --watch` restarts while pages are open.
  @Test func anOpenStreamDoesNotKeepTheServerRunning() async throws {
    let stage = try ConsoleStage()
    let reader = try await Self.serve(stage) { client in
      let reader = Task { try? await client.send("GET", "/dev/decisions/stream?after=0") }
      let isOpen = try await HangLimit.waitAsync { stage.log.openFeeds == 1 }
      #expect(isOpen)
      return reader
    }
    _ = await reader.value
    let isClosed = try await HangLimit.waitAsync { stage.log.openFeeds == 0 }
    #expect(isClosed)
  }

  /// A reader who goes away is noticed without a new decision.
  @Test func aClosedConnectionEndsItsStream() async throws {
    let stage = try ConsoleStage()
    try await Self.serve(stage) { client in
      let reader = Task { try? await client.send("GET", "/dev/decisions/stream") }
      let isOpen = try await HangLimit.waitAsync { stage.log.openFeeds == 1 }
      #expect(isOpen)
      reader.cancel()
      _ = await reader.value
      let isClosed = try await HangLimit.waitAsync { stage.log.openFeeds == 0 }
      #expect(isClosed)
    }
  }
}
