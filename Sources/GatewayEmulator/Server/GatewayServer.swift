internal import GatewayModel
package import IssuerEmulator
package import LambdaEmulator
package import TestTokens

/// What the gateway serves at its port.
package struct GatewayServer: Sendable {
  let responder: GatewayResponder

  /// - Parameters:
  ///   - secret: what programs must send to the console, the Invoke API, the clock and the cache.
  ///   - invocations: Lambda's Invoke API for the same functions, if enabled.
  ///   - console: answers some paths under `/dev`, if there is one.
  ///   - isEncrypted: whether the listener has TLS.
  package init(
    _ service: GatewayService, issuer: DevelopmentIssuer, secret: DevelopmentSecret,
    invocations: InvokeAPI? = nil, console: (any DevelopmentConsole)? = nil,
    isEncrypted: Bool = false
  ) {
    responder = GatewayResponder(
      service: service,
      development: DevelopmentEndpoint(
        service: service, issuer: issuer, secret: secret, scheme: isEncrypted ? "https" : "http"),
      invocations: invocations, console: console)
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
