import Logging
import TestTokens
import Testing

@testable import Emulator

/// The gateway's port.
@Suite struct GatewayServerTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func service() throws -> (GatewayService, DevelopmentIssuer) {
    let template = try GatewayTemplate(parsing: GatewayStatusTests.rest)
    return (
      GatewayService(gateway: Gateway(template, settings: UnsettledBehaviours()), functions: [:]),
      DevelopmentIssuer(keys: try DevelopmentKeys.generate(), defaults: .init())
    )
  }

  @Test func aPortThatIsTakenIsTold() async throws {
    let (service, issuer) = try Self.service()
    let flaw = try await GatewayServer.run(service, issuer: issuer, logger: Self.logger) { port in
      let error = await #expect(throws: ListenError.self) {
        try await GatewayServer.run(service, issuer: issuer, port: port, logger: Self.logger) { _ in }
      }
      return error == ListenError(port: port, isInUse: true)
    }
    #expect(flaw)
  }

  /// The body meets the same error of the system with a port of its own: that is no word on the gateway's.
  @Test func whatTheBodyThrowsStaysWhatItIs() async throws {
    let (service, issuer) = try Self.service()
    let responder = GatewayResponder(
      service: service, development: DevelopmentEndpoint(service: service, issuer: issuer), invocations: nil)
    let error = await #expect(throws: (any Error).self) {
      try await GatewayServer.run(service, issuer: issuer, logger: Self.logger) { port in
        try await LoopbackServer.run(
          WebSocketChannel(responder: LoopbackServer.answer(by: responder), gateway: responder), port: port,
          logger: Self.logger
        ) { _ in }
      }
    }
    #expect(error != nil)
    #expect(!(error is ListenError))
  }
}
