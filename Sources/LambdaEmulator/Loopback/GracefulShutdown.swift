internal import Logging
internal import ServiceLifecycle

/// Runs a server that always shuts down gracefully, even if its caller is cancelled. A cancelled server may drop a
/// connection that it has just accepted, which crashes SwiftNIO ("Deinited NIOAsyncWriter without calling finish()").
enum GracefulShutdown {
  /// Runs a service while `body` runs, and shuts it down after `body` returns or throws.
  ///
  /// - Parameter ended: called when the service has ended, which may be before `body` ends.
  /// - Throws: the service's error, else the error of `body`.
  static func run<Result: Sendable>(
    _ service: some Service, logger: Logger, onEnd ended: @escaping @Sendable () -> Void,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let group = ServiceGroup(configuration: .init(services: [.init(service: service)], logger: logger))
    // Not a child task, because the service must not be cancelled with this task.
    let running = Task {
      defer { ended() }
      try await group.run()
    }
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try await body())
    } catch {
      outcome = .failure(error)
    }
    await group.triggerGracefulShutdown()
    try await running.value
    return try outcome.get()
  }
}
