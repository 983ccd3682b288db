/// The words that the state machine hears and speaks.
extension RuntimeStateMachine {
  /// What the layer around must do, in order.
  enum Action: Equatable {
    /// Send this answer on this HTTP exchange.
    case reply(exchange: Int, RuntimeReply)
    /// Call `timeOut` after this time.
    case startTimer(Timer, milliseconds: Int)
    /// That time has no meaning any more.
    case cancelTimer(Timer)
    /// The runtime asked for its first event, or never will.
    case initialized(InitializationEnd)
    /// The function's time for this invocation begins now.
    case began(Invocation)
    /// The caller gets this; the environment may still be busy with it.
    case answered(requestID: String, InvocationAnswer, nanoseconds: UInt64)
    /// The environment is done with this invocation; always after `answered`.
    case ended(InvocationEnd)
    /// The process must be killed.
    case endProcess
  }

  /// What a timer watches.
  enum Timer: Hashable {
    case initialization
    case invocation(String)
    /// The posts of the process that died at this moment of the monotonic clock, in nanoseconds.
    case lastWords(UInt64)
  }

  /// What a post to an invocation says.
  struct Post {
    let exchange: Int
    let requestID: String
    /// `nil` where the header is absent or empty, as with runtimes older than the header.
    let attemptID: String?
    let payload: Payload

    enum Payload {
      case response([UInt8])
      case error(FunctionErrorReport)
      /// A response with a `Lambda-Runtime-Function-Response-Mode` that does not exist.
      case unknownResponseMode
      /// A body over `RuntimeAPILimits.payloadBytes`.
      case tooLarge
    }

    var targetName: String {
      switch payload {
      case .error: "InvocationErrorResponse"
      case .response, .unknownResponseMode, .tooLarge: "InvocationResponse"
      }
    }
  }

  /// What the caller of the function gets for a 413 (`Function.ResponseSizeTooLarge`, AWS Lambda quotas).
  static let tooLargeReport = FunctionErrorReport(
    headerType: "Function.ResponseSizeTooLarge",
    document: RuntimeReply.errorBody(
      message: "Response payload size exceeded maximum allowed payload size "
        + "(\(RuntimeAPILimits.payloadBytes) bytes).",
      type: "Function.ResponseSizeTooLarge"))

  /// What the caller gets for a function that Linux ended for its memory: the words of any killed process, under a
  /// type of their own.
  static func outOfMemory(_ requestID: String, _ exit: ProcessExit) -> FunctionErrorReport {
    FunctionErrorReport(
      headerType: "Runtime.OutOfMemory",
      document: exit.errorDocument(requestID: requestID, type: "Runtime.OutOfMemory"))
  }
}

/// Which initialization a start of a process is.
public enum InitializationPhase: Equatable, Sendable {
  /// The environment's own, before any invocation: `Phase: init`.
  case initialization
  /// That of a process which replaces another, in the time of the invocation that waits: `Phase: invoke`.
  case invocation
}

/// How an initialization went.
struct InitializationEnd: Equatable {
  let phase: InitializationPhase
  let nanoseconds: UInt64
  /// `nil` where the runtime asked for an event.
  let failure: InitializationFailure?
}

/// What is known when the environment is done with an invocation.
struct InvocationEnd: Equatable {
  typealias Status = InvocationReport.Status

  let invocation: Invocation
  /// From giving the event to the next `/next`, or to the end of the process.
  let nanoseconds: UInt64
  /// The initialization before it, told once.
  let initializationNanoseconds: UInt64?
  let status: Status
  /// How the process ended, where that ended the invocation.
  var exit: ProcessExit?
  let at: Moment
}

extension InitializationFailure {
  /// What the report of the invocation says that had to bear it.
  var status: InvocationReport.Status {
    switch self {
    case .timedOut: .timeout
    case .died: .error(type: "Runtime.ExitError")
    case .notStarted: .error(type: "Runtime.InvalidEntrypoint")
    case .reported(let report): .error(type: report.headerType)
    }
  }
}
