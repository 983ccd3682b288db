@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import LambdaEmulator
@testable import Templates
import Foundation
import JSON
import Logging
import Synchronization
import TestSupport
import TestTokens
import Testing

/// The port of the gateway while what is behind it changes.
@Suite(.hangLimit) struct GatewayListenerTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func server(
    _ template: String,
    _ authorizer: any FunctionInvoking = GatewayServiceTests.Fixed(answer: GatewayStage.policy())
  ) throws -> GatewayServer {
    let service = GatewayService(
      gateway: Gateway(try GatewayTemplate(parsing: template).served, settings: Assumptions()),
      functions: ["Authorizer": authorizer])
    return GatewayServer(
      service, issuer: DevelopmentIssuer(keys: try SharedKeys.all(), defaults: .init()),
      secret: try SampleSecrets.secret.get())
  }

  @Test func whileNothingIsServedEachRequestIsA503WithTheError() async throws {
    let records = Mutex<[AccessRecord]>([])
    let listener = GatewayListener()
    let template = StatusTemplates.rest
    let (broken, other, repaired) = try await listener.listen(logger: Self.logger) { port in
      let client = LoopbackClient(base: "http://127.0.0.1:\(port)")
      listener.fail("template.yaml:7: \"no\" name") { record in records.withLock { $0.append(record) } }
      let broken = try await client.send("GET", "/Api/prod/pets")
      let other = try await client.send("GET", "/dev/clock", headers: ["Host": "evil.example"])
      await listener.close()
      listener.open(try Self.server(template))
      return (broken, other, try await client.send("GET", "/Api/prod/nothing"))
    }
    #expect(broken.status == 503)
    #expect(broken.headers["content-type"] == "application/json")
    let body = try JSONTree(parsing: Array(broken.body.utf8))
    #expect(body == .members(["error": .string("template.yaml:7: \"no\" name")]))
    #expect(other.status == 503 && other.body.contains("the log of serve has the error"))
    #expect(repaired.status == 403)
    let lines = records.withLock { $0.map(\.line) }
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains(" status=503 ") && $0.contains("template.yaml:7: ") }, "\(lines)")
  }

  @Test func requestsWaitWhileTheGatewayIsExchanged() async throws {
    let listener = GatewayListener()
    let status = try await listener.listen(logger: Self.logger) { port in
      let client = LoopbackClient(base: "http://127.0.0.1:\(port)")
      async let waiting = client.send("GET", "/Api/prod/nothing")
      // The request is held by the listener, which opens only after it.
      let isWaiting = try await HangLimit.waitAsync { listener.waitingRequests == 1 }
      try #require(isWaiting)
      listener.open(try Self.server(StatusTemplates.rest))
      return try await waiting.status
    }
    #expect(status == 403)
  }

  /// Runs what blocks on a thread that no task of the server needs.
  private static func blocking<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  private static let request = "GET /Api/prod/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

  /// One that has just connected would get no answer, and one that is used again may have sent a request.
  @Test(arguments: [false, true]) func aConnectionOutlivesAnExchange(isUsed: Bool) async throws {
    let listener = GatewayListener()
    listener.open(try Self.server(StatusTemplates.rest))
    let next = try Self.server(StatusTemplates.rest)
    let answer = try await listener.listen(logger: Self.logger) { port in
      let connection = try await Self.blocking {
        let connection = try RawConnection(port: port)
        if isUsed { _ = try connection.exchange(Self.request, until: "}") }
        return SharedConnection(connection)
      }
      // Connections are accepted in order, so the server knows the first one now.
      _ = try await LoopbackClient(base: "http://127.0.0.1:\(port)").send("GET", "/Api/prod/nothing")
      await listener.close()
      listener.open(next)
      return try await Self.blocking { try connection.value.exchange(Self.request, until: "}") }
    }
    #expect(answer.hasPrefix("HTTP/1.1 403 "))
  }

  private final class SharedConnection: Sendable {
    let value: RawConnection
    init(_ value: consuming RawConnection) { self.value = value }
  }

  @Test func anExchangeEndsTheWebSockets() async throws {
    let listener = GatewayListener()
    let api = try WebSocketStage.api([WebSocketStage.route("$connect"), WebSocketStage.route("$default")])
    listener.open(
      GatewayServer(
        GatewayService(
          gateway: WebSocketStage.gateway([api]),
          functions: ["F": GatewayServiceTests.Fixed(answer: .response(Array(#"{"statusCode":200}"#.utf8)))]),
        issuer: DevelopmentIssuer(keys: try SharedKeys.all(), defaults: .init()),
        secret: try SampleSecrets.secret.get()))
    let (greeting, rest) = try await listener.listen(logger: Self.logger) { port in
      let connection = try await Self.blocking { SharedConnection(try RawConnection(port: port)) }
      let greeting = try await Self.blocking {
        try connection.value.exchange(
          "GET /Live/live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
          until: "\r\n\r\n")
      }
      await listener.close()
      return (greeting, try await Self.blocking { try connection.value.exchange("", until: nil) })
    }
    #expect(greeting.hasPrefix("HTTP/1.1 101 "))
    #expect(rest == "")
  }

  /// A function that answers when it is released.
  private final class Held: FunctionInvoking {
    private let (release, releaser) = AsyncStream.makeStream(of: Void.self)
    let events = Mutex<[String]>([])

    func note(_ event: String) { events.withLock { $0.append(event) } }

    func outcome(of _: [UInt8]) async -> FunctionOutcome {
      note("called")
      for await _ in release {}
      note("answers")
      return FunctionOutcome(answer: .died(.status(1)))
    }

    func finish() { releaser.finish() }
  }

  /// What ends the wait for answers.
  enum End: CaseIterable { case answer, limit, cancellation }

  /// An exchange ends the functions, so it waits for them, but not for one that hangs, and not while `serve` ends.
  @Test(arguments: End.allCases) func anExchangeWaitsForAnswers(until end: End) async throws {
    let held = HeldClock()
    let listener = GatewayListener(clock: held.clock)
    let function = Held()
    listener.open(try Self.server(StatusTemplates.rest, function))
    let next = try Self.server(StatusTemplates.rest)
    let answer = try await listener.listen(logger: Self.logger) { port in
      let client = LoopbackClient(base: "http://127.0.0.1:\(port)")
      let answer = Task {
        try await client.send("GET", "/Api/prod/pets", headers: ["Authorization": "Bearer a.b.c"]).status
      }
      let isCalled = try await HangLimit.waitAsync { function.events.withLock { $0 } == ["called"] }
      try #require(isCalled)
      let exchange = Task {
        await listener.close()
        function.note("exchanged")
      }
      await held.untilTimers(1, dueWithin: GatewayListener.nestedMilliseconds)
      // As from a function that fetches keys from this port.
      let nested = try await client.send("GET", "/Api/prod/nothing").status
      #expect(nested == 403)
      switch end {
      case .answer: break
      case .limit:
        await held.advance(milliseconds: GatewayListener.nestedMilliseconds)
        let rest = GatewayListener.drainMilliseconds - GatewayListener.nestedMilliseconds
        await held.untilTimers(1, dueWithin: rest)
        let late = Task { try await client.send("GET", "/Api/prod/nothing").status }
        let isWaiting = try await HangLimit.waitAsync { listener.waitingRequests == 1 }
        try #require(isWaiting)
        await held.advance(milliseconds: rest)
        await exchange.value
        // The next exchange does not wait for what this one left: the clock stands.
        listener.open(next)
        #expect(try await late.value == 403)
        await listener.close()
      case .cancellation:
        exchange.cancel()
        await exchange.value
      }
      function.finish()
      let isFinished = try await HangLimit.waitAsync { function.events.withLock { $0.count } == 3 }
      try #require(isFinished)
      return answer
    }
    // The old gateway answers no more once another one may be open.
    let status = try? await answer.value
    #expect((status == 500) == (end == .answer))
    #expect(
      function.events.withLock { $0 }
        == (end == .answer ? ["called", "answers", "exchanged"] : ["called", "exchanged", "answers"]))
  }

  /// A shutdown would wait for them forever.
  @Test func waitingRequestsEndWithTheServer() async throws {
    let listener = GatewayListener()
    let waiting = try await listener.listen(logger: Self.logger) { port in
      let client = LoopbackClient(base: "http://127.0.0.1:\(port)")
      let waiting = Task { try await client.send("GET", "/Api/prod/nothing").status }
      let isWaiting = try await HangLimit.waitAsync { listener.waitingRequests == 1 }
      try #require(isWaiting)
      return waiting
    }
    let status = try? await waiting.value
    #expect(status == nil || status == 503)
  }
}
