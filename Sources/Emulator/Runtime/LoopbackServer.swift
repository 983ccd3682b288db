internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// An HTTP server on a free port of 127.0.0.1.
enum LoopbackServer {
  /// Serves for as long as `body` runs, which is given the port.
  ///
  /// - Throws: what `body` throws, or the system's error when it cannot listen.
  static func run<Responder: HTTPResponder, Result: Sendable>(
    responder: Responder, logger: Logger, _ body: @escaping @Sendable (_ port: Int) async throws -> Result
  ) async throws -> Result where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      responder: responder,
      configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in
        port.yield(channel.localAddress?.port ?? 0)
        port.finish()
      },
      logger: logger)
    // Ended in good order: a cancelled server may drop a connection that it has just accepted, which NIO forbids.
    let service = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // A server that could not listen must end the wait for its port.
        defer { port.finish() }
        try await service.run()
      }
      guard let number = await ports.first(where: { _ in true }) else {
        try await group.waitForAll()
        throw CancellationError()
      }
      let outcome: Swift.Result<Result, any Error>
      do {
        outcome = .success(try await body(number))
      } catch {
        outcome = .failure(error)
      }
      await service.triggerGracefulShutdown()
      try await group.waitForAll()
      return try outcome.get()
    }
  }
}
