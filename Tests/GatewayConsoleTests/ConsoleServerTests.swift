@testable import GatewayConsole
import JSON
@testable import EmulatorTestSupport
@testable import GatewayEmulator
import Logging
import TestSupport
import TestTokens
import Testing

/// The console on the port of the gateway.
@Suite(.hangLimit) struct ConsoleServerTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// The header of programs of the gateway's user.
  private static func proof(_ stage: ConsoleStage) -> [String: String] {
    [DevelopmentSecret.header: stage.connection.secret.value]
  }

  private static func serve<Result: Sendable>(
    _ stage: ConsoleStage, _ body: @escaping @Sendable (LoopbackClient) async throws -> Result
  ) async throws -> Result {
    try await server(stage).run(logger: logger) { port in
      try await body(LoopbackClient(base: "http://127.0.0.1:\(port)"))
    }
  }

  private static func server(_ stage: ConsoleStage) -> GatewayServer {
    GatewayServer(
      stage.service, issuer: stage.connection.issuer, secret: stage.connection.secret, console: stage.console)
  }

  @Test func answersBesideTheAPIs() async throws {
    let stage = try ConsoleStage()
    let proof = Self.proof(stage)
    let answers = try await Self.serve(stage) { client in
      var answers: [LoopbackClient.Answer] = []
      answers.append(
        try await client.send(
          "GET", "/Api/prod/pets/1", headers: ["Authorization": "Bearer opaque-token", "X-Identity": "x"]))
      for path in ["/dev/decisions/1", "/dev/console", "/dev/clock", "/dev/nothing"] {
        answers.append(
          try await client.send(
            "GET", path, headers: proof.merging(["Host": "console.localhost"]) { $1 }))
      }
      answers.append(
        try await client.send(
          "GET", "/dev/decisions", headers: proof.merging(["Origin": "http://localhost:3000"]) { $1 }))
      answers.append(
        try await client.send(
          "POST", "/dev/send", body: Array(#"{"path":"/open"}"#.utf8),
          headers: proof.merging(["Content-Type": "application/json"]) { $1 }))
      return answers
    }
    #expect(answers.map(\.status) == [200, 200, 200, 200, 404, 403, 200])
    #expect(answers[1].body.contains("\"outcome\":\"allowed\""))
    #expect(!answers[1].body.contains("opaque-token"))
    #expect(answers[2].headers["content-security-policy"]?.contains("script-src 'self'") == true)
    #expect(answers[2].headers["x-content-type-options"] == "nosniff")
    #expect(answers[6].body.contains("\"decision\":2"))
  }

  /// What has the console's name has its origin, so nothing else may have it: no API, no login page, no function.
  @Test(arguments: [
    ("GET", "/dev/console", 200), ("GET", "/dev/decisions", 200), ("GET", "/dev/clock", 200),
    ("POST", "/dev/cache/flush", 200), ("GET", "/Api/prod/open", 404), ("GET", "/prod/open", 404),
    ("GET", "/", 404), ("GET", "/dev/oauth/authorize", 404), ("POST", "/dev/token", 404),
    ("GET", "/.well-known/jwks.json", 404),
    ("POST", "/2015-03-31/functions/Authorizer/invocations", 404),
  ]) func onlyTheConsoleHasItsName(_ method: String, _ path: String, _ status: Int) async throws {
    let stage = try ConsoleStage()
    let headers = Self.proof(stage).merging(["Host": "console.localhost"]) { $1 }
    let answer = try await Self.serve(stage) { client in
      try await client.send(method, path, headers: headers)
    }
    #expect(answer.status == status)
    #expect(stage.events.count == 0)
  }

  /// A stream does not end by itself, so a shutdown would wait for it.
  @Test func anOpenStreamDoesNotKeepTheServerRunning() async throws {
    let stage = try ConsoleStage()
    let proof = Self.proof(stage)
    let reader = try await Self.serve(stage) { client in
      let reader = Task {
        try? await client.send("GET", "/dev/decisions/stream?after=0", headers: proof)
      }
      let isOpen = try await HangLimit.waitAsync { stage.log.openFeeds == 1 }
      #expect(isOpen)
      return reader
    }
    _ = await reader.value
    let isClosed = try await HangLimit.waitAsync { stage.log.openFeeds == 0 }
    #expect(isClosed)
  }

  /// `serve` restarts while pages are open.
  @Test func anOpenStreamEndsWhenTheGatewayIsExchanged() async throws {
    let stage = try ConsoleStage()
    let proof = Self.proof(stage)
    let listener = GatewayListener()
    listener.open(Self.server(stage))
    try await listener.listen(logger: Self.logger) { port in
      let client = LoopbackClient(base: "http://127.0.0.1:\(port)")
      let reader = Task { try? await client.send("GET", "/dev/decisions/stream", headers: proof) }
      let isOpen = try await HangLimit.waitAsync { stage.log.openFeeds == 1 }
      try #require(isOpen)
      await listener.close()
      _ = await reader.value
      let isClosed = try await HangLimit.waitAsync { stage.log.openFeeds == 0 }
      #expect(isClosed)
    }
  }

  /// A reader who goes away is noticed without a new decision.
  @Test func aClosedConnectionEndsItsStream() async throws {
    let stage = try ConsoleStage()
    let proof = Self.proof(stage)
    try await Self.serve(stage) { client in
      let reader = Task { try? await client.send("GET", "/dev/decisions/stream", headers: proof) }
      let isOpen = try await HangLimit.waitAsync { stage.log.openFeeds == 1 }
      #expect(isOpen)
      reader.cancel()
      _ = await reader.value
      let isClosed = try await HangLimit.waitAsync { stage.log.openFeeds == 0 }
      #expect(isClosed)
    }
  }
}
