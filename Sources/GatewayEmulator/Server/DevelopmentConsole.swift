package import GatewayModel
package import IssuerEmulator
package import TestTokens

/// The console of a running gateway, which answers some of the paths under `/dev`.
package protocol DevelopmentConsole: Sendable {
  /// Returns the answer to a request to a loopback host; `nil` for a path that is not the console's.
  func reply(to request: GatewayRequest, from server: ConsoleConnection) async -> ConsoleReply?
}

/// What the console needs of a gateway and of the connection of a request.
package struct ConsoleConnection: Sendable {
  package let service: GatewayService
  package let issuer: DevelopmentIssuer
  /// What a request must send, except those for the files of the page.
  package let secret: DevelopmentSecret
  /// `http` or `https`.
  package let scheme: String
  package let close: @Sendable () -> Void
  /// Calls the closure when the connection is closed, however it ends.
  package let whenClosed: @Sendable (@escaping @Sendable () -> Void) -> Void
}

package enum ConsoleReply: Sendable {
  case response(GatewayResponse)
  /// A response whose body is written in parts. The closure ends when the body does, and its argument sends a part: it
  /// returns when the connection takes more, and throws when it is closed.
  case stream(
    GatewayResponse, body: @Sendable (_ send: (_ part: [UInt8]) async throws -> Void) async throws -> Void)
}
