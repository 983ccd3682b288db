/// Answers events. The loop calls both functions one after the other, never concurrently.
package protocol InvocationHandler: ~Copyable {
  /// Returns the answer to one event, which is posted immediately.
  mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer

  /// Does work for which the caller does not wait. It runs after the answer is posted and before the next event is
  /// requested, so the environment is not frozen. The time is billed. `deadlineMilliseconds` is the deadline of the
  /// invocation in Unix milliseconds.
  mutating func afterResponse(deadlineMilliseconds: Int64?)
}

/// A handler's answer to an event.
package enum InvocationAnswer: Equatable, Sendable {
  /// The body of the response: JSON.
  case response([UInt8])
  /// No response, with the reason.
  case failure(ErrorDocument)
}

/// Receives events and posts answers until an error or SIGTERM.
package struct RuntimeLoop: ~Copyable {
  private var api: RuntimeAPI
  private let slot: WorkerSlot?
  /// Nil if the process has one worker: it exits on an error, and Lambda starts a new process.
  private var retries: NextRetries?

  /// Creates a loop over `api`; sends nothing. With a `slot`, signal handlers report its open invocations.
  package init(api: consuming RuntimeAPI, slot: WorkerSlot? = nil) {
    self.init(api: api, slot: slot, retries: nil)
  }

  /// Creates the loop of one of several workers. A lost answer does not end it, and requests for events are retried
  /// according to `retries`, because an exit would end the invocations of other workers.
  init(api: consuming RuntimeAPI, slot: WorkerSlot?, retries: NextRetries?) {
    self.api = api
    self.slot = slot
    self.retries = retries
  }

  /// Serves invocations, one at a time, until an error or SIGTERM.
  ///
  /// If Lambda refuses a POST as stale, too long or invalid, `log` gets a warning and the loop continues. The error
  /// that ends the loop is logged once. `log` never gets a part of an event or of an answer.
  package mutating func run(
    handler: inout some InvocationHandler & ~Copyable, log: (RuntimeNotice) -> Void
  ) -> RuntimeExitStatus {
    slot?.serve()
    while true {
      do throws(RuntimeAPIError) {
        while try serveOne(&handler, log) {}
        return .terminated
      } catch {
        let isTerminated = slot?.release() ?? false
        guard !isTerminated, shouldContinue(after: error, log) else {
          log(RuntimeNotice(error))
          return RuntimeExitStatus(error)
        }
      }
    }
  }

  /// Waits before a retry. Returns whether to request another event.
  private mutating func shouldContinue(after error: RuntimeAPIError, _ log: (RuntimeNotice) -> Void) -> Bool {
    guard retries != nil else { return false }
    if error.isOfPost {
      log(RuntimeNotice(lost: error))
      return true
    }
    guard let milliseconds = retries?.pause(after: error) else { return false }
    log(RuntimeNotice(error, retriesAfter: milliseconds))
    WorkerThread.pause(milliseconds: milliseconds)
    return slot.map { !$0.release() } ?? true
  }

  /// - Returns: whether to continue.
  private mutating func serveOne(
    _ handler: inout some InvocationHandler & ~Copyable, _ log: (RuntimeNotice) -> Void
  ) throws(RuntimeAPIError) -> Bool {
    let invocation = try api.next()
    slot?.hold(invocation)
    retries?.succeeded()
    // Read first: sending the answer consumes the invocation.
    let context = invocation.context
    let outcome =
      switch handler.answer(to: invocation.event, context: context) {
      case .response(let body): try api.respond(to: invocation, with: body)
      case .failure(let document): try api.fail(invocation, with: document)
      }
    if outcome != .accepted, let notice = RuntimeNotice(outcome, requestID: context.requestID) { log(notice) }
    if let slot, slot.release() { return false }
    handler.afterResponse(deadlineMilliseconds: context.deadlineMilliseconds)
    return true
  }
}

/// A log message of the loop. It contains no line break and no part of an event.
package struct RuntimeNotice: Equatable, Sendable {
  /// The severity.
  package enum Level: String, Equatable, Sendable {
    /// One call failed; the loop continues.
    case warning = "WARN"
    /// The loop ends.
    case error = "ERROR"
  }

  /// The severity; the raw value is Lambda's level name.
  package let level: Level
  /// The stable name: that of a ``PostOutcome`` or a ``RuntimeAPIError``.
  package let code: String
  /// The message, one sentence.
  package let message: String
  /// The request ID, if the notice is about a request.
  package let requestID: String?

  /// Creates the notice of an error that ends the loop.
  package init(_ error: RuntimeAPIError) {
    level = .error
    code = error.code
    message = error.description
    requestID = nil
  }

  /// Creates the notice of an answer that could not be posted, if the loop continues.
  init(lost error: RuntimeAPIError) {
    level = .warning
    code = error.code
    message = error.description + "; the answer is lost"
    requestID = nil
  }

  /// Creates the notice of a failed request for an event that is retried.
  init(_ error: RuntimeAPIError, retriesAfter milliseconds: Int32) {
    level = .warning
    code = error.code
    message = error.description + "; retrying in " + milliseconds.description + " ms"
    requestID = nil
  }

  /// Creates the notice that some workers could not be started.
  init(missingThreads: Int, of count: Int) {
    level = .warning
    code = "missingThreads"
    message = missingThreads.description + " of " + count.description + " workers could not be started"
    requestID = nil
  }

  /// Creates the notice of a POST; nil if it was accepted.
  init?(_ outcome: PostOutcome, requestID: String) {
    switch outcome {
    case .accepted:
      return nil
    case .refused(let detail):
      message = "the Runtime API refused the answer with 400" + detail.clause
    case .stale:
      message = "the invocation had timed out; its late answer was dropped"
    case .tooLarge:
      message = "the answer exceeds Lambda's size limit; the caller gets Function.ResponseSizeTooLarge"
    }
    level = .warning
    code = outcome.code
    self.requestID = requestID
  }
}

/// The exit status of the process, from sysexits.h. Lambda reports it in `Runtime.ExitError`.
package enum RuntimeExitStatus: Int32, Equatable, Sendable {
  /// EX_OK: SIGTERM was received, and the open invocation was answered.
  case terminated = 0
  /// EX_UNAVAILABLE: the Runtime API cannot be reached, closed the connection, or answered 500.
  case unavailable = 69
  /// EX_PROTOCOL: the Runtime API and the runtime are incompatible: 403, an undocumented status, an answer that is
  /// not HTTP, invalid IDs, or only 204.
  case `protocol` = 76
  /// EX_CONFIG: the function cannot start and has reported it on `/init/error`. Only the caller of the loop uses it.
  case configuration = 78

  /// The status for the error that ended the loop.
  package init(_ error: RuntimeAPIError) {
    switch error {
    case .containerError:
      self = .unavailable
    case .transport(_, let failure):
      switch failure {
      case .connectFailed, .sendFailed, .connectionLost: self = .unavailable
      case .headTooLarge, .answerTooLarge, .malformedAnswer: self = .protocol
      }
    case .invalidState, .unexpectedStatus, .noInvocation, .missingRequestID, .invalidRequestID,
      .invalidInvocationID:
      self = .protocol
    }
  }
}
