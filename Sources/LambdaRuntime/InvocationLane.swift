// Every call of CLambdaRuntime stands here, and so its `unsafe`: each copies what it is given before it returns.

internal import CLambdaRuntime

/// The place of one worker in what signal handlers know: which invocation is in hand.
///
/// A crash (SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE) posts `/error` of type `Runtime.Crash` for each invocation in
/// hand, or `/init/error` before the first event, waits 100 ms at most for the answers, and ends the process by the same
/// signal. SIGTERM ends it with status 0 at once where no invocation is in hand, else after its answer; where that does
/// not come within 450 ms, by SIGTERM.
public struct InvocationLane: Sendable {
  /// Lanes of a process, at most: ours, 256. With a second connection for each in a crash that is half of the descriptors
  /// that an environment has (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
  public static let limit = Int(clambda_lane_limit)

  private let number: Int32
  private let ownsEnvironment: Bool

  /// The lane of the calling thread.
  ///
  /// - Parameters:
  ///   - number: from 0 to `limit`, and no other thread's.
  ///   - ownsEnvironment: whether the process has one worker, so that each trace may be put into `_X_AMZN_TRACE_ID`
  ///     (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html, "Propagate the tracing header").
  public init(_ number: Int, ownsEnvironment: Bool) {
    self.number = Int32(clamping: number)
    self.ownsEnvironment = ownsEnvironment
    clambda_enter_lane(self.number)
  }

  /// Handles signals from here on; once in a process, by its main thread, before there is another.
  ///
  /// Where the system refuses, a crash ends the process as if nothing were handled: no reason not to start.
  public static func installHandlers(for endpoint: RuntimeEndpoint) {
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

  /// The first event is about to be asked for: a crash is no failure to start any more.
  func serve() { clambda_serve() }

  /// An invocation has come.
  func hold(_ invocation: borrowing PendingInvocation) {
    var requestID = invocation.context.requestID
    var invocationID = invocation.invocationID ?? ""
    requestID.withUTF8 { requestID in
      invocationID.withUTF8 { invocationID in
        unsafe clambda_hold(
          number, requestID.baseAddress, requestID.count, invocationID.baseAddress, invocationID.count)
      }
    }
    guard ownsEnvironment else { return }
    var trace = invocation.context.traceID ?? ""
    trace.withUTF8 { unsafe clambda_set_trace($0.baseAddress, $0.count) }
  }

  /// The invocation has its answer, or never will.
  ///
  /// - Returns: whether the process was told to end.
  func release() -> Bool { clambda_release(number) }

  /// Ends the process where it was told to end and no worker has an invocation in hand: nobody else would.
  func endProcessIfTerminated(_ status: RuntimeExitStatus) { clambda_end_if_terminated(status.rawValue) }
}

/// A thread of a worker.
enum WorkerThread {
  /// What a thread does; C hands it over as a pointer.
  private final class Body {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Starts a thread that does `work` and ends; whether the system gave one. What `work` holds is the thread's from here on.
  static func start(_ work: @escaping () -> Void) -> Bool {
    // The thread takes back the reference that is given away here.
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

  /// Waits; a signal may cut it short.
  static func pause(milliseconds: Int32) { clambda_pause(milliseconds) }
}
