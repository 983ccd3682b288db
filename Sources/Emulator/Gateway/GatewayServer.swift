public import Logging
internal import NIOCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The gateway on a port of 127.0.0.1.
public enum GatewayServer {
  /// Serves for as long as `body` runs.
  ///
  /// - Parameters:
  ///   - service: the gateway.
  ///   - issuer: the development issuer beside it.
  ///   - invocations: Lambda's Invoke API for the same functions, where it shall be there.
  ///   - port: 0 for any that is free.
  ///   - logger: for the server's own troubles.
  ///   - body: is given the port.
  /// - Throws: what `body` throws, or `ListenError` when it cannot listen.
  public static func run<Result: Sendable>(
    _ service: GatewayService, issuer: DevelopmentIssuer, invocations: InvokeAPI? = nil, port: Int = 0,
    logger: Logger,
    _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result {
    let responder = GatewayResponder(
      service: service, development: DevelopmentEndpoint(service: service, issuer: issuer),
      invocations: invocations)
    let channel = WebSocketChannel(responder: LoopbackServer.answer(by: responder), gateway: responder)
    // What `body` throws goes past the `catch`: it may have met the same errors with a file or a port of its own.
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

/// A port of 127.0.0.1 that cannot be had.
public struct ListenError: Error, Equatable, Sendable {
  /// The port.
  public let port: Int
  /// Whether another program has it; otherwise the system does not let this user have it.
  public let isInUse: Bool

  /// For people.
  public var description: String {
    isInUse
      ? "port \(port) is in use" : "port \(port) is not for this user (below 1024 it needs rights of its own)"
  }
}

extension ListenError: CustomStringConvertible {}
