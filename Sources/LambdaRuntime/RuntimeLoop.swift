/// What answers events. The loop calls both functions in turn, never at the same time.
public protocol InvocationHandler: ~Copyable {
  /// The answer to one event, to be posted at once.
  mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer

  /// Work that the caller need not wait for. The answer is posted, the next event not yet asked for, so the environment
  /// is not frozen; the time is billed. `deadlineMilliseconds` is when the invocation is cut off, in Unix milliseconds.
  mutating func afterResponse(deadlineMilliseconds: Int64?)
}

/// What a handler makes of an event.
public enum InvocationAnswer: Equatable, Sendable {
  /// The body of the response: JSON.
  case response([UInt8])
  /// There is no response, and this is why.
  case failure(ErrorDocument)
}

/// Asks for events and posts answers until the Runtime API cannot be spoken to.
public struct RuntimeLoop: ~Copyable {
  private var api: RuntimeAPI
  private let lane: InvocationLane?
  /// Nil where the process has one worker: Lambda then mends a broken process by a new one.
  private var retries: NextRetries?

  /// A loop over `api`; nothing is sent yet. Signal handlers know of its invocations by `lane`; without one they do not.
  public init(api: consuming RuntimeAPI, lane: InvocationLane? = nil) {
    self.init(api: api, lane: lane, retries: nil)
  }

  /// A loop of one worker of several: an answer that cannot be posted is lost, an event that cannot be asked for is asked
  /// for again as `retries` say, for an end would take other workers' invocations with it.
  init(api: consuming RuntimeAPI, lane: InvocationLane?, retries: NextRetries?) {
    self.api = api
    self.lane = lane
    self.retries = retries
  }

  /// Serves invocations, one at a time, and returns when there can or shall be no further one.
  ///
  /// A post that Lambda takes as stale, too long or wrong is told to `log` as a warning, and the loop goes on. What ends
  /// the loop is told once as an error. `log` gets no part of an event or of an answer.
  public mutating func run(
    handler: inout some InvocationHandler & ~Copyable, log: (RuntimeNotice) -> Void
  ) -> RuntimeExitStatus {
    lane?.serve()
    while true {
      do throws(RuntimeAPIError) {
        while try serveOne(&handler, log) {}
        return .terminated
      } catch {
        let isTerminated = lane?.release() ?? false
        guard !isTerminated, goesOn(after: error, log) else {
          log(RuntimeNotice(error))
          return RuntimeExitStatus(error)
        }
      }
    }
  }

  /// Whether to ask for another event, once the pause before it is over.
  private mutating func goesOn(after error: RuntimeAPIError, _ log: (RuntimeNotice) -> Void) -> Bool {
    guard retries != nil else { return false }
    if error.isOfPost {
      log(RuntimeNotice(lost: error))
      return true
    }
    guard let milliseconds = retries?.pause(after: error) else { return false }
    log(RuntimeNotice(error, asksAgainAfter: milliseconds))
    WorkerThread.pause(milliseconds: milliseconds)
    return lane.map { !$0.release() } ?? true
  }

  /// - Returns: whether to go on.
  private mutating func serveOne(
    _ handler: inout some InvocationHandler & ~Copyable, _ log: (RuntimeNotice) -> Void
  ) throws(RuntimeAPIError) -> Bool {
    let invocation = try api.next()
    lane?.hold(invocation)
    retries?.succeeded()
    let context = invocation.context
    let outcome =
      switch handler.answer(to: invocation.event, context: context) {
      case .response(let body): try api.respond(to: invocation, with: body)
      case .failure(let document): try api.fail(invocation, with: document)
      }
    if let notice = RuntimeNotice(outcome, requestID: context.requestID) { log(notice) }
    if let lane, lane.release() { return false }
    handler.afterResponse(deadlineMilliseconds: context.deadlineMilliseconds)
    return true
  }
}

/// One thing that the loop has to say. It has no line break and no part of an event.
public struct RuntimeNotice: Equatable, Sendable {
  /// How much it matters.
  public enum Level: String, Equatable, Sendable {
    /// One post went wrong; the loop goes on.
    case warning = "WARN"
    /// The loop ends.
    case error = "ERROR"
  }

  /// How much it matters; the raw value is Lambda's word for it.
  public let level: Level
  /// The stable name: that of a ``PostOutcome`` or a ``RuntimeAPIError``.
  public let code: String
  /// One sentence.
  public let message: String
  /// The request, where the notice is about one.
  public let requestID: String?

  /// What to say of a call that ends the process.
  public init(_ error: RuntimeAPIError) {
    level = .error
    code = error.code
    message = error.description
    requestID = nil
  }

  /// What to say of an answer that could not be posted, where the loop goes on.
  init(lost error: RuntimeAPIError) {
    level = .warning
    code = error.code
    message = error.description + "; the answer is lost"
    requestID = nil
  }

  /// What to say of a call for an event that failed and is repeated.
  init(_ error: RuntimeAPIError, asksAgainAfter milliseconds: Int32) {
    level = .warning
    code = error.code
    message = error.description + "; asking again in " + milliseconds.description + " ms"
    requestID = nil
  }

  /// What to say where the system gives fewer threads than there are workers.
  init(missingThreads: Int, of count: Int) {
    level = .warning
    code = "missingThreads"
    message = missingThreads.description + " of " + count.description + " workers could not be started"
    requestID = nil
  }

  /// What to say of a post; nil where all is well.
  init?(_ outcome: PostOutcome, requestID: String) {
    switch outcome {
    case .accepted:
      return nil
    case .refused(let detail):
      message = "the Runtime API refused the answer with 400" + detail.clause
    case .stale:
      message = "the invocation had timed out; its late answer was dropped"
    case .tooLarge:
      message = "the answer is longer than Lambda takes; the caller gets Function.ResponseSizeTooLarge"
    }
    level = .warning
    code = outcome.code
    self.requestID = requestID
  }
}

/// The status that the process exits with, from sysexits.h. Lambda names it in `Runtime.ExitError`.
public enum RuntimeExitStatus: Int32, Equatable, Sendable {
  /// EX_OK: SIGTERM came, and the invocation in hand was answered.
  case terminated = 0
  /// EX_UNAVAILABLE: the Runtime API cannot be reached, hung up, or answered 500.
  case unavailable = 69
  /// EX_PROTOCOL: the Runtime API and the runtime do not understand each other: 403, a status that is not documented, an
  /// answer that is not HTTP, unusable ids, nothing but 204.
  case `protocol` = 76
  /// EX_CONFIG: the function cannot start and has said so on `/init/error`. The loop never ends so; its caller does.
  case configuration = 78

  /// The status for what ended the loop.
  public init(_ error: RuntimeAPIError) {
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
