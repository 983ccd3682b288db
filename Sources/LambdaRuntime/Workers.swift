/// What answers the events of one process at the same time: a thread, a connection and a handler for each worker.
///
/// Workers know nothing of each other. One whose connection breaks tries again, and ends alone where that does not help;
/// the process ends when none is left.
public enum Workers {
  /// One worker: what its thread takes with it, and how it ended.
  private final class Worker<Handler: InvocationHandler> {
    let lane: Int
    let endpoint: RuntimeEndpoint
    let log: (RuntimeNotice) -> Void
    var handler: Handler
    /// How it ended; read after its thread has.
    var status = RuntimeExitStatus.unavailable

    init(
      _ handler: Handler, lane: Int, _ endpoint: RuntimeEndpoint, log: @escaping (RuntimeNotice) -> Void
    ) {
      self.handler = handler
      self.lane = lane
      self.endpoint = endpoint
      self.log = log
    }

    func run() {
      // Made here, since a lane belongs to the thread that makes it.
      let lane = InvocationLane(lane, ownsEnvironment: false)
      var loop = RuntimeLoop(api: RuntimeAPI(endpoint: endpoint), lane: lane, retries: NextRetries())
      status = loop.run(handler: &handler, log: log)
      lane.endProcessIfTerminated(status)
    }
  }

  /// Serves with every handler on a thread of its own, the first one on the calling thread, and returns when all have
  /// ended. After SIGTERM it ends the process instead, once no invocation is in hand.
  ///
  /// - Parameters:
  ///   - handlers: one for each worker, ``WorkerCount/limit`` at most. They may share only what is made for several threads.
  ///   - log: for each worker, what takes its notices, on its thread.
  /// - Returns: the status of the first worker: each has ended by an error.
  public static func run<Handler: InvocationHandler>(
    _ handlers: [Handler], endpoint: RuntimeEndpoint, log: (Handler) -> (RuntimeNotice) -> Void
  ) -> RuntimeExitStatus {
    var workers: [Worker<Handler>] = []
    for handler in handlers {
      workers.append(Worker(handler, lane: workers.count, endpoint, log: log(handler)))
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

/// How a worker asks again for events after its connection failed: five times, after 0.1 s, and twice as long each time. AWS's
/// own client for Python does the same (aws-lambda-python-runtime-interface-client, multi-concurrency).
struct NextRetries {
  /// Failures in a row after which it is given up.
  let limit = 5
  private let firstMilliseconds: Int32
  private var failures: Int32 = 0

  init(firstMilliseconds: Int32 = 100) { self.firstMilliseconds = firstMilliseconds }

  /// An event came.
  mutating func succeeded() { failures = 0 }

  /// The pause before the next attempt; nil where there shall be none: Lambda has refused the worker, or it has tried
  /// often enough.
  mutating func pause(after error: RuntimeAPIError) -> Int32? {
    guard case .transport(.next, _) = error, failures < limit else { return nil }
    failures += 1
    return firstMilliseconds << (failures - 1)
  }
}
