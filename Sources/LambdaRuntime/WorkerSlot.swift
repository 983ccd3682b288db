// This file contains every call of CLambdaRuntime, and therefore its `unsafe`. Each call copies its arguments before it
// returns.

internal import CLambdaRuntime

/// The slot of one worker in the data of the signal handlers: the invocation that the worker currently handles.
///
/// On a crash (SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE) the handler posts `/error` of type `Runtime.Crash`
/// for each open invocation, or `/init/error` before the first event. It waits at most 100 ms for the answers and
/// ends the process by the same signal. On SIGTERM the process ends with status 0: immediately if no invocation is
/// open, else after the answer. Without an answer within 450 ms it ends by SIGTERM.
package struct WorkerSlot: Sendable {
  /// The maximum number of slots of a process: 256 (this project's limit). Including a second connection for each
  /// slot in a crash, they use half of an environment's descriptors
  /// (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
  package static let limit = Int(clambda_slot_limit)

  private let number: Int32
  private let ownsEnvironment: Bool

  /// Creates the slot of the calling thread.
  ///
  /// - Parameters:
  ///   - number: from 0 to `limit`, unique for each thread.
  ///   - ownsEnvironment: whether the process has one worker, so that each trace is written to `_X_AMZN_TRACE_ID`
  ///     (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html, "Propagate the tracing header").
  package init(_ number: Int, ownsEnvironment: Bool) {
    self.number = Int32(clamping: number)
    self.ownsEnvironment = ownsEnvironment
    clambda_enter_slot(self.number)
  }

  /// Installs the signal handlers. Call it once in a process, on the main thread, before other threads start.
  ///
  /// If the system refuses, a crash ends the process without a report. The function starts anyway.
  package static func installHandlers(for endpoint: RuntimeEndpoint) {
    for address in endpoint.addresses {
      switch address {
      case .ipv4(let bytes, let port): clambda_add_ipv4(bytes, port)
      case .ipv6(var bytes, let port):
        unsafe withUnsafeBytes(of: &bytes) { bytes in
          unsafe clambda_add_ipv6(bytes.assumingMemoryBound(to: UInt8.self).baseAddress, port)
        }
      }
    }
    let requests = RequestWriter(endpoint: endpoint, userAgent: RuntimeAPI.userAgent)
    unsafe requests.postStart.withUnsafeBytes { start in
      unsafe requests.commonFields.withUnsafeBytes { fields in
        _ = unsafe clambda_install(start.baseAddress, start.count, fields.baseAddress, fields.count)
      }
    }
  }

  /// Call before the first request for an event: from now on a crash is not an initialization error.
  func serve() { clambda_serve() }

  /// Records the invocation that the worker has received.
  func hold(_ invocation: borrowing PendingInvocation) {
    let requestID = invocation.context.requestIDBytes
    let invocationID = invocation.invocationID ?? []
    unsafe requestID.withUnsafeBytes { requestID in
      unsafe invocationID.withUnsafeBytes { invocationID in
        unsafe clambda_hold(
          number, requestID.baseAddress, requestID.count, invocationID.baseAddress, invocationID.count)
      }
    }
    guard ownsEnvironment else { return }
    let trace = invocation.context.traceVariable
    unsafe trace.withUnsafeBytes { unsafe clambda_set_trace($0.baseAddress, $0.count) }
  }

  /// Records that the invocation is finished, with or without an answer.
  ///
  /// - Returns: whether SIGTERM was received.
  func release() -> Bool { clambda_release(number) }

  /// Ends the process if SIGTERM was received and no worker has an open invocation.
  func endProcessIfTerminated(_ status: RuntimeExitStatus) { clambda_end_if_terminated(status.rawValue) }
}

enum WorkerThread {
  /// The work of a thread, which C passes as a pointer.
  private final class Body {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Starts a thread that runs `work` and ends. The thread then owns everything that `work` captures.
  ///
  /// - Returns: whether the thread was started.
  static func start(_ work: @escaping () -> Void) -> Bool {
    // The thread releases this reference.
    let body = unsafe Unmanaged.passRetained(Body(work))
    let error = unsafe clambda_start_worker(
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
      }, body.toOpaque())
    if error != 0 { unsafe body.release() }
    return error == 0
  }

  /// Waits until every thread has ended.
  static func awaitAll() { clambda_await_workers() }

  /// Waits; a signal may end the wait early.
  static func pause(milliseconds: Int32) { clambda_pause(milliseconds) }
}
