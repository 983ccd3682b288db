import Logging
import TestTokens
import Testing

@testable import Emulator

/// The port of the gateway.
@Suite struct GatewayServerTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func service() throws -> (GatewayService, DevelopmentIssuer) {
    let template = try GatewayTemplate(parsing: GatewayStatusTests.rest)
    return (
      GatewayService(gateway: Gateway(template, settings: UnsettledBehaviors()), functions: [:]),
      DevelopmentIssuer(keys: try DevelopmentEndpointTests.keys.get(), defaults: .init())
    )
  }

  @Test func reportsAPortInUse() async throws {
    let (service, issuer) = try Self.service()
    let flaw = try await GatewayServer.run(service, issuer: issuer, logger: Self.logger) { port in
      let error = await #expect(throws: ListenError.self) {
        try await GatewayServer.run(service, issuer: issuer, port: port, logger: Self.logger) { _ in }
      }
      return error == ListenError(port: port, isInUse: true)
    }
    #expect(flaw)
  }

  /// The body throws the same system error for another port; it must not be reported for the gateway's port.
  @Test func passesOnErrorsOfTheBody() async throws {
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
