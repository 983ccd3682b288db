// Every call of CLambdaRuntime stands here, and so its `unsafe`: each copies what it is given before it returns.

internal import CLambdaRuntime

/// The place of one worker in what signal handlers know: which invocation is in hand.
///
/// A crash (SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE) posts `/error` of type `Runtime.Crash` for each invocation in
/// hand, or `/init/error` before the first event, waits 100 ms at most for the answers, and ends the process by the same
/// signal. SIGTERM ends it with status 0 at once where no invocation is in hand, else after its answer; where that does
/// not come within 450 ms, by SIGTERM.
public struct InvocationLane: Sendable {
  /// Lanes of a process, at most: ours. AWS_LAMBDA_MAX_CONCURRENCY is at most 64
  /// (https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances.html).
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
}
