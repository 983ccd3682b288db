@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
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

  private static func server(_ template: String) throws -> GatewayServer {
    let service = GatewayService(
      gateway: Gateway(try GatewayTemplate(parsing: template).served, settings: Assumptions()),
      functions: ["Authorizer": GatewayServiceTests.Fixed(answer: GatewayStage.policy())])
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
      listener.close()
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

  @Test func anExchangeEndsTheConnections() async throws {
    let listener = GatewayListener()
    listener.open(try Self.server(StatusTemplates.rest))
    let next = try Self.server(StatusTemplates.rest)
    let answer = try await listener.listen(logger: Self.logger) { port in
      // On a thread that no task of the server needs.
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<String, any Error>) in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              let connection = try RawConnection(port: port)
              let request = "GET /Api/prod/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
              _ = try connection.exchange(request, until: "Forbidden")
              listener.close()
              listener.open(next)
              return (try? connection.exchange("", until: "never")) ?? ""
            })
        }
      }
    }
    #expect(answer == "")
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
