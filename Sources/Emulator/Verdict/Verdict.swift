internal import JSON

/// The four outcomes of an authorizer's answer.
public enum Outcome: String, CaseIterable, Sendable {
  /// The request is passed to the backend.
  case allowed
  /// 403.
  case forbidden
  /// 401.
  case unauthorized
  /// 5xx: no verdict about the caller.
  case failure
}

/// API Gateway's interpretation of a function's answer.
///
/// It depends on the event and the answer only, not on the function's log.
public struct Verdict: Equatable, Sendable {
  /// The kind of the event; `nil` if it is not an authorizer event.
  public let eventKind: EventKind?
  /// The outcome.
  public let outcome: Outcome
  /// The statement that decided, if a policy was evaluated.
  public let decision: PolicyEvaluator.Decision?
  /// The reason, if the outcome is `failure`.
  public let failure: Failure?

  /// Why there is no verdict.
  public enum Failure: Equatable, Sendable {
    /// The function reported an error other than `Unauthorized`.
    case functionError(type: String, message: String)
    /// API Gateway refuses its answer.
    case malformedAnswer(AnswerError)
    /// It returned a policy, but the event is not an authorizer event, so there is no ARN to evaluate it for.
    case notAuthorizerEvent
    /// The process ended.
    case died(ProcessExit)
    /// It took longer than this many milliseconds.
    case timedOut(milliseconds: Int)
    /// It never requested an event.
    case initialization(InitializationFailure)
    /// Its policy depends on a value that the event does not have.
    case undecided(UndecidedPolicy)
  }

  /// The exact error message for a 401 ("API Gateway Lambda authorizers").
  static let unauthorizedMessage = "Unauthorized"

  /// Evaluates an answer.
  ///
  /// - Parameters:
  ///   - event: the function's event.
  ///   - answer: how the invocation ended.
  ///   - unixSeconds: the time of the request. Without it, a policy with time conditions cannot be evaluated.
  public init(event bytes: [UInt8], answer: InvocationAnswer, at unixSeconds: Int64? = nil) {
    let event = AuthorizerEvent(bytes)
    eventKind = event?.kind
    switch Self.judge(answer, event, { ConditionContext(event: bytes, at: unixSeconds) }) {
    case .decided(let decision):
      (outcome, self.decision, failure) = (decision.isAllowed ? .allowed : .forbidden, decision, nil)
    case .simple(let isAuthorized):
      (outcome, decision, failure) = (isAuthorized ? .allowed : .forbidden, nil, nil)
    case .unauthorized: (outcome, decision, failure) = (.unauthorized, nil, nil)
    case .failed(let failure): (outcome, decision, self.failure) = (.failure, nil, failure)
    }
  }

  private enum Judgment {
    case decided(PolicyEvaluator.Decision)
    case simple(Bool)
    case unauthorized
    case failed(Failure)
  }

  private static func judge(
    _ answer: InvocationAnswer, _ event: AuthorizerEvent?, _ context: () -> ConditionContext
  ) -> Judgment {
    if let failure = Failure(answer) {
      // Without an authorizer event there is no caller who could be unauthorized.
      if case .functionError(_, unauthorizedMessage) = failure, event != nil { return .unauthorized }
      return .failed(failure)
    }
    guard case .response(let bytes) = answer, let event else { return .failed(.notAuthorizerEvent) }
    do throws(AnswerError) {
      switch try AuthorizerAnswer(bytes, for: event.kind) {
      case .unauthorized: return .unauthorized
      case .simple(let isAuthorized): return .simple(isAuthorized)
      case .policy(let document):
        return decide(document, for: event.resource, in: context())
      }
    } catch {
      return .failed(.malformedAnswer(error))
    }
  }

  private static func decide(
    _ document: PolicyDocument, for resource: String, in context: ConditionContext
  ) -> Judgment {
    do throws(UndecidedPolicy) {
      return .decided(try PolicyEvaluator(document).decision(for: resource, in: context))
    } catch {
      return .failed(.undecided(error))
    }
  }

  /// The explanation in one line: the statement that decided, or the failure.
  public var explanation: String {
    if let failure { return failure.description }
    if let decision { return decision.description }
    return outcome == .unauthorized
      ? "errorMessage is Unauthorized" : "isAuthorized is \(outcome == .allowed)"
  }
}

extension Verdict.Failure {
  /// The failure of an invocation; `nil` for a response.
  init?(_ answer: InvocationAnswer) {
    switch answer {
    case .response: return nil
    case .died(let exit): self = .died(exit)
    case .timedOut(let milliseconds): self = .timedOut(milliseconds: milliseconds)
    case .initializationFailed(let failure): self = .initialization(failure)
    case .error(let report):
      let error = ReportedError(report)
      self = .functionError(type: error.type, message: error.message)
    }
  }

  /// The message, in lower case. Control characters of the function's text are replaced by spaces.
  public var description: String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }

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

/// The type and message of an error document; without `errorType`, the type is that of the header.
struct ReportedError {
  let type: String
  let message: String

  init(_ report: FunctionErrorReport) {
    let root = try? JSONDocument(parsing: report.document, limits: .event).root
    type = root?["errorType"]?.text ?? report.headerType
    message = root?["errorMessage"]?.text ?? ""
  }
}
