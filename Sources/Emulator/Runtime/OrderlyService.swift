internal import Logging
internal import ServiceLifecycle

/// A server that is always ended in good order, also where its caller is cancelled: a cancelled server may drop a connection
/// that it has just accepted, and SwiftNIO ends the process for that ("Deinited NIOAsyncWriter without calling finish()").
enum OrderlyService {
  /// Runs a service beside `body`, and ends it after `body`, whatever became of that.
  ///
  /// - Parameters:
  ///   - ended: is called when the service has ended, before `body` may have.
  /// - Throws: what the service throws, else what `body` throws.
  static func run<Result: Sendable>(
    _ service: some Service, logger: Logger, onEnd ended: @escaping @Sendable () -> Void,
    _ body: () async throws -> Result
  ) async throws -> Result {
    let group = ServiceGroup(configuration: .init(services: [.init(service: service)], logger: logger))
    // No child of this task, whose cancellation it must not hear of.
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
