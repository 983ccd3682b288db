package import IAMPolicy
package import LambdaEmulator
internal import JSON
internal import Text

extension Evaluation {
  /// Why there is no verdict.
  package enum Failure: Error, Equatable, Sendable {
    /// The function reported an error other than `Unauthorized`.
    case functionError(type: String, message: String)
    /// API Gateway refuses its answer.
    case malformedAnswer(AnswerError)
    /// It returned an answer, but the event is not an authorizer event, so there is no ARN to evaluate it for.
    case notAuthorizerEvent
    /// The process ended.
    case died(ProcessExit)
    /// It took longer than this many milliseconds.
    case timedOut(milliseconds: Int)
    /// It never requested an event.
    case initialization(InitializationFailure)
    /// Its policy depends on a value that the event does not have.
    case undecided(UndecidedPolicy)

    /// The message, in lower case. Control characters of the function's text are replaced by spaces.
    package var description: String { text.blankingControls }

    private var text: String {
      switch self {
      case .functionError(let type, let message): "function error \(type): \(message)"
      case .malformedAnswer(let error): "malformed answer: \(error.description)"
      case .notAuthorizerEvent: "not an event that API Gateway sends to an authorizer"
      case .died(let exit): "the function died: \(exit.description)"
      case .timedOut(let milliseconds): "the function did not answer within \(Self.seconds(milliseconds)) s"
      case .initialization(.reported(let report)):
        "initialization error \(ReportedError(report).type): \(ReportedError(report).message)"
      case .initialization(.died(let exit)): "the function died before its first event: \(exit.description)"
      case .initialization(.timedOut(let milliseconds)):
        "the function did not request an event within \(Self.seconds(milliseconds)) s"
      case .initialization(.notStarted(let reason)): "the function could not be started: \(reason)"
      case .undecided(let undecided): "the policy cannot be evaluated: \(undecided.description)"
      }
    }

    private static func seconds(_ milliseconds: Int) -> String {
      milliseconds % 1000 == 0 ? String(milliseconds / 1000) : String(Double(milliseconds) / 1000)
    }
  }
}

extension InvocationAnswer {
  /// Why there is no response; `nil` for a response.
  package var failure: Evaluation.Failure? {
    switch self {
    case .response: return nil
    case .died(let exit): return .died(exit)
    case .timedOut(let milliseconds): return .timedOut(milliseconds: milliseconds)
    case .initializationFailed(let failure): return .initialization(failure)
    case .error(let report):
      let error = ReportedError(report)
      return .functionError(type: error.type, message: error.message)
    }
  }
}

/// The type and message of an error document; without `errorType`, the type is that of the header.
struct ReportedError {
  let type: String
  let message: String
  /// Whether the document has an `errorType`.
  let hasType: Bool

  init(_ report: FunctionErrorReport) {
    let root = try? JSONDocument(parsing: report.document, limits: .event).root
    type = root?["errorType"]?.text ?? report.headerType
    message = root?["errorMessage"]?.text ?? ""
    hasType = root?["errorType"] != nil
  }
}
