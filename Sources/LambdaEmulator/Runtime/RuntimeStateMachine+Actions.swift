/// The inputs and outputs of the state machine.
extension RuntimeStateMachine {
  /// An action for the surrounding layer; actions must be performed in order.
  package enum Action: Equatable {
    /// Send this response on this HTTP exchange.
    case reply(exchange: Int, RuntimeReply)
    /// Call `timeOut` after this time.
    case startTimer(Timer, milliseconds: Int)
    case cancelTimer(Timer)
    /// The initialization ended: the runtime requested its first event, or failed.
    case initialized(InitializationEnd)
    /// The function's timeout for this invocation starts now.
    case began(Invocation)
    /// Return this answer to the caller. The environment may still be busy with the invocation.
    case answered(requestID: String, InvocationAnswer, nanoseconds: UInt64)
    /// The environment has finished this invocation; always after `answered`.
    case ended(InvocationEnd)
    case endProcess
  }

  enum Timer: Hashable {
    case initialization
    case invocation(String)
    /// The wait for posts of the process that died at this time of the monotonic clock, in nanoseconds.
    case drain(UInt64)
  }

  struct Post {
    let exchange: Int
    let requestID: String
    /// `nil` if the header is absent or empty; older runtimes do not send it.
    let attemptID: String?
    let payload: Payload

    enum Payload {
      case response([UInt8])
      case error(FunctionErrorReport)
      /// A response with an unknown `Lambda-Runtime-Function-Response-Mode`.
      case unknownResponseMode
      /// A body over this limit in bytes.
      case tooLarge(limit: Int)
    }

    var targetName: String {
      switch payload {
      case .error: "InvocationErrorResponse"
      case .response, .unknownResponseMode, .tooLarge: "InvocationResponse"
      }
    }
  }

  /// The error that the caller gets if the function got a 413 (`Function.ResponseSizeTooLarge`, AWS Lambda quotas).
  static func tooLargeReport(_ limit: Int) -> FunctionErrorReport {
    FunctionErrorReport(
      headerType: "Function.ResponseSizeTooLarge",
      document: RuntimeReply.errorBody(
        message: "Response payload size exceeded maximum allowed payload size (\(limit) bytes).",
        type: "Function.ResponseSizeTooLarge"))
  }

  /// Returns the caller's error for a function that Linux killed for its memory use: the text of any killed process,
  /// with the type `Runtime.OutOfMemory`.
  static func outOfMemory(_ requestID: String, _ exit: ProcessExit) -> FunctionErrorReport {
    FunctionErrorReport(
      headerType: "Runtime.OutOfMemory",
      document: exit.errorDocument(requestID: requestID, type: "Runtime.OutOfMemory"))
  }
}

package enum InitializationPhase: Equatable, Sendable {
  /// The initialization of the environment, before any invocation: `Phase: init`.
  case initialization
  /// The initialization of a replacement process, during the waiting invocation: `Phase: invoke`.
  case invocation
}

struct InitializationEnd: Equatable {
  let phase: InitializationPhase
  let nanoseconds: UInt64
  /// `nil` if the runtime requested an event.
  let failure: InitializationFailure?
}

struct InvocationEnd: Equatable {
  typealias Status = InvocationReport.Status

  let invocation: Invocation
  /// The time from sending the event to the next `/next`, or to the end of the process.
  let nanoseconds: UInt64
  /// The initialization before it; reported once.
  let initializationNanoseconds: UInt64?
  let status: Status
  /// The exit of the process, if it ended the invocation.
  var exit: ProcessExit?
  let at: Moment
}

extension InitializationFailure {
  /// The status in the report of the invocation that failed with it.
  package var status: InvocationReport.Status {
    switch self {
    case .timedOut: .timeout
    case .died: .error(type: "Runtime.ExitError")
    case .notStarted: .error(type: "Runtime.InvalidEntrypoint")
    case .reported(let report): .error(type: report.headerType)
    }
  }
}
