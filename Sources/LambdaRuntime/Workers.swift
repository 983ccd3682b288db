/// Answers the events of one process concurrently: each worker has a thread, a connection and a handler.
///
/// Workers are independent. If a connection fails, its worker retries; if all retries fail, only this worker ends. The
/// process ends when all workers have ended.
package enum Workers {
  /// The data of one worker's thread, and its final status.
  private final class Worker<Handler: InvocationHandler> {
    let slot: Int
    let endpoint: RuntimeEndpoint
    let log: (RuntimeNotice) -> Void
    var handler: Handler
    /// The final status; read after the thread has ended.
    var status = RuntimeExitStatus.unavailable

    init(
      _ handler: Handler, slot: Int, _ endpoint: RuntimeEndpoint, log: @escaping (RuntimeNotice) -> Void
    ) {
      self.handler = handler
      self.slot = slot
      self.endpoint = endpoint
      self.log = log
    }

    func run() {
      // Created on this thread, since a slot belongs to the thread that creates it.
      let slot = WorkerSlot(slot, ownsEnvironment: false)
      var loop = RuntimeLoop(api: RuntimeAPI(endpoint: endpoint), slot: slot, retries: NextRetries())
      status = loop.run(handler: &handler, log: log)
      slot.endProcessIfTerminated(status)
    }
  }

  /// Serves each handler on its own thread, the first one on the calling thread, and returns when all have ended. After
  /// SIGTERM it ends the process instead when no invocation is open.
  ///
  /// - Parameters:
  ///   - handlers: one for each worker, ``WorkerCount/limit`` at most. They may share only thread-safe objects.
  ///   - log: returns the function that logs a worker's notices on its thread.
  /// - Returns: the status of the first worker. All workers have ended by an error.
  package static func run<Handler: InvocationHandler>(
    _ handlers: [Handler], endpoint: RuntimeEndpoint, log: (Handler) -> (RuntimeNotice) -> Void
  ) -> RuntimeExitStatus {
    var workers: [Worker<Handler>] = []
    for handler in handlers {
      workers.append(Worker(handler, slot: workers.count, endpoint, log: log(handler)))
    }
    guard let first = workers.first else { return .configuration }
    var missing = 0
    for worker in workers.dropFirst() where !WorkerThread.start({ worker.run() }) { missing += 1 }
    if missing > 0 { first.log(RuntimeNotice(missingThreads: missing, of: workers.count)) }
    first.run()
    WorkerThread.awaitAll()
    return first.status
  }
}

/// The retries of a worker after its connection failed: five attempts, the first after 0.1 s, then with doubled
/// delays. AWS's own client for Python does the same (aws-lambda-python-runtime-interface-client, multi-concurrency).
struct NextRetries {
  /// The number of consecutive failures after which the worker ends.
  let limit = 5
  private let firstMilliseconds: Int32
  private var failures: Int32 = 0

  init(firstMilliseconds: Int32 = 100) { self.firstMilliseconds = firstMilliseconds }

  /// Records that an event was received.
  mutating func succeeded() { failures = 0 }

  /// The delay before the next attempt; nil for no further attempt: Lambda has refused the worker, or the limit is
  /// reached.
  mutating func pause(after error: RuntimeAPIError) -> Int32? {
    guard case .transport(.next, _) = error, failures < limit else { return nil }
    failures += 1
    return firstMilliseconds << (failures - 1)
  }
}
