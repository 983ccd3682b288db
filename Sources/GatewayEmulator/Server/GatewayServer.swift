internal import GatewayModel
package import IssuerEmulator
package import LambdaEmulator
package import Logging
internal import NIOCore
package import TestTokens

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The HTTP server of the gateway on 127.0.0.1.
package struct GatewayServer: Sendable {
  private let responder: GatewayResponder
  private let encryption: (any ConnectionEncryption)?

  /// - Parameters:
  ///   - secret: what programs must send to the console, the Invoke API, the clock and the cache.
  ///   - invocations: Lambda's Invoke API for the same functions, if enabled.
  ///   - console: answers some paths under `/dev`, if there is one.
  ///   - encryption: TLS for all connections; `nil` for plain HTTP.
  package init(
    _ service: GatewayService, issuer: DevelopmentIssuer, secret: DevelopmentSecret,
    invocations: InvokeAPI? = nil, console: (any DevelopmentConsole)? = nil,
    encryption: (any ConnectionEncryption)? = nil
  ) {
    self.encryption = encryption
    responder = GatewayResponder(
      service: service,
      development: DevelopmentEndpoint(
        service: service, issuer: issuer, secret: secret, scheme: encryption == nil ? "http" : "https"),
      invocations: invocations, console: console)
  }

  /// Serves requests while `body` runs.
  ///
  /// - Parameter port: 0 for any free port.
  /// - Throws: the error of `body`, or `ListenError` if it cannot listen.
  package func run<Result: Sendable>(
    port: Int = 0, logger: Logger, _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let (responder, encryption) = (responder, encryption)
    let channel = WebSocketChannel(
      responder: LoopbackServer.answer { request, channel in
        var aware = responder
        aware.channel = channel
        guard let encryption, encryption.asksForCertificates else {
          return await aware.respond(to: request)
        }
        let bytes = await encryption.clientCertificate(of: channel)
        aware.client = .asked(bytes.flatMap { X509Certificate(bytes: $0) })
        return await aware.respond(to: request)
      }, gateway: responder, encryption: encryption)
    // Errors of `body` bypass the `catch`, because it may throw the same errors for another file or port.
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = try await LoopbackServer.run(channel, port: port, logger: logger) { port in
        do {
          return .success(try await body(port))
        } catch {
          return .failure(error)
        }
      }
    } catch let error as IOError where error.errnoCode == EADDRINUSE || error.errnoCode == EACCES {
      throw ListenError(port: port, isInUse: error.errnoCode == EADDRINUSE)
    }
    return try outcome.get()
  }
}

/// A port of 127.0.0.1 that cannot be used.
package struct ListenError: Error, Equatable, Sendable, CustomStringConvertible {
  package let port: Int
  /// Whether another program uses it; otherwise the system does not permit it for this user.
  package let isInUse: Bool

  package var description: String {
    isInUse
      ? "port \(port) is in use" : "port \(port) needs privileges that this user does not have (below 1024)"
  }
}
