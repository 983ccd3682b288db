@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import IssuerEmulator
@testable import LambdaEmulator
@testable import Templates
import Logging
import TestTokens
import TestSupport
import Testing

/// The port of the gateway.
@Suite struct GatewayServerTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func secret() throws -> DevelopmentSecret { try SampleSecrets.secret.get() }

  private static func service() throws -> (GatewayService, DevelopmentIssuer) {
    let template = try GatewayTemplate(parsing: StatusTemplates.rest)
    return (
      GatewayService(gateway: Gateway(template.served, settings: Assumptions()), functions: [:]),
      DevelopmentIssuer(keys: try SharedKeys.all(), defaults: .init())
    )
  }

  @Test func reportsAPortInUse() async throws {
    let (service, issuer) = try Self.service()
    let secret = try Self.secret()
    let flaw = try await GatewayServer(service, issuer: issuer, secret: secret).run(logger: Self.logger) {
      port in
      let error = await #expect(throws: ListenError.self) {
        try await GatewayServer(service, issuer: issuer, secret: secret).run(port: port, logger: Self.logger)
        { _ in }
      }
      return error == ListenError(port: port, isInUse: true)
    }
    #expect(flaw)
  }

  /// The sender of a body over 10 MB reads the answer, and the server serves the next request.
  @Test(.hangLimit) func aBodyOver10MBIsReadToItsEnd() async throws {
    let api = GatewayStage.api([try GatewayStage.route("POST /a")])
    let service = GatewayService(
      gateway: Gateway(apis: [api], location: AWSLocation(), settings: Assumptions()),
      functions: [:])
    let (_, issuer) = try Self.service()
    let secret = try Self.secret()
    let answers = try await GatewayServer(service, issuer: issuer, secret: secret).run(logger: Self.logger) {
      port in
      let client = LoopbackClient(base: "http://127.0.0.1:\(port)")
      var answers: [LoopbackClient.Answer] = []
      for (path, bytes) in [
        ("/Api/prod/a", (10 << 20) + 1), ("/dev/token", (10 << 20) + 1), ("/Api/prod/a", 3),
      ] {
        answers.append(
          try await client.send("POST", path, body: [UInt8](repeating: 0x61, count: bytes)))
      }
      return answers
    }
    #expect(answers.map(\.status) == [413, 413, 200])
    #expect(answers[0].body == "HTTP content length exceeded 10485760 bytes.")
  }

  /// A value that blanks surround is sent without them; one that would break the protocol is left out.
  @Test(.hangLimit) func blanksAroundAHeaderAreNotPartOfIt() async throws {
    let api = GatewayStage.api([try GatewayStage.route("GET /a")])
    let answer = #"{"statusCode":200,"headers":{"X-A":" a b\t ","X-B":"a\r\nX-C: c","X-D":" "}}"#
    let service = GatewayService(
      gateway: Gateway(apis: [api], location: AWSLocation(), settings: Assumptions()),
      functions: ["Backend": GatewayServiceTests.Fixed(answer: .response(Array(answer.utf8)))])
    let (_, issuer) = try Self.service()
    let secret = try Self.secret()
    let headers = try await GatewayServer(service, issuer: issuer, secret: secret).run(logger: Self.logger) {
      port in
      try await LoopbackClient(base: "http://127.0.0.1:\(port)").send("GET", "/Api/prod/a").headers
    }
    #expect(headers["x-a"] == "a b")
    #expect(headers["x-b"] == nil && headers["x-c"] == nil)
  }

  /// The body throws the same system error for another port; it must not be reported for the gateway's port.
  @Test func passesOnErrorsOfTheBody() async throws {
    let (service, issuer) = try Self.service()
    let secret = try Self.secret()
    let error = await #expect(throws: (any Error).self) {
      try await GatewayServer(service, issuer: issuer, secret: secret).run(logger: Self.logger) { port in
        try await LoopbackServer.run(
          WebSocketChannel(responder: { _, _, _ in }, listener: GatewayListener()), port: port,
          logger: Self.logger
        ) { _ in }
      }
    }
    #expect(error != nil)
    #expect(!(error is ListenError))
  }
}
