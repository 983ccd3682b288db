internal import JSON

/// The four things that can come of an authorizer's work.
public enum Outcome: String, CaseIterable, Sendable {
  /// The request goes on to the backend.
  case allowed
  /// 403.
  case forbidden
  /// 401.
  case unauthorized
  /// 5xx: no verdict about the caller.
  case failure
}

/// What API Gateway makes of a function's answer.
///
/// Derived from the event and the answer alone; what the function says of itself in its log has no part in it.
public struct Verdict: Equatable, Sendable {
  /// The kind of the event; `nil` for what API Gateway would never send to an authorizer.
  public let eventKind: EventKind?
  /// What comes of it.
  public let outcome: Outcome
  /// Which statement decided, where a policy was evaluated.
  public let decision: PolicyEvaluator.Decision?
  /// Why there is no verdict, where the outcome is `failure`.
  public let failure: Failure?

  /// Why there is no verdict.
  public enum Failure: Equatable, Sendable {
    /// The function reported an error other than `Unauthorized`.
    case functionError(type: String, message: String)
    /// It answered something that API Gateway refuses.
    case malformedAnswer(AnswerError)
    /// It answered a policy to an event that no API Gateway sends, so there is nothing to hold it against.
    case notAuthorizerEvent
    /// The process ended.
    case died(ProcessExit)
    /// It took longer than this many milliseconds.
    case timedOut(milliseconds: Int)
    /// It never asked for an event.
    case initialization(InitializationFailure)
    /// Its policy asks for something that the event does not tell.
    case undecided(UndecidedPolicy)
  }

  /// The message that makes a failed authorizer a 401, exactly so ("API Gateway Lambda authorizers").
  static let unauthorizedMessage = "Unauthorized"

  /// Judges an answer.
  ///
  /// - Parameters:
  ///   - event: the bytes that the function was given.
  ///   - answer: how the invocation ended.
  ///   - unixSeconds: the time of the request, for policies with conditions on it; without it such a policy has no
  ///     verdict.
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

  private enum Judgement {
    case decided(PolicyEvaluator.Decision)
    case simple(Bool)
    case unauthorized
    case failed(Failure)
  }

  private static func judge(
    _ answer: InvocationAnswer, _ event: AuthorizerEvent?, _ context: () -> ConditionContext
  ) -> Judgement {
    if let failure = Failure(answer) {
      // An event that is none of API Gateway's has no caller to be unauthorized.
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
  ) -> Judgement {
    do throws(UndecidedPolicy) {
      return .decided(try PolicyEvaluator(document).decision(for: resource, in: context))
    } catch {
      return .failed(.undecided(error))
    }
  }

  /// One line for people: which statement decided, or what failed.
  public var explanation: String {
    if let failure { return failure.description }
    if let decision { return decision.description }
    return outcome == .unauthorized
      ? "errorMessage is Unauthorized" : "isAuthorized is \(outcome == .allowed)"
  }
}

extension Verdict.Failure {
  /// What kept a function from answering; `nil` for a response.
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

  /// For people, in lower case, on one line: a function's own words may hold anything.
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
    case .timedOut(let milliseconds): "the function gave no answer within \(Self.seconds(milliseconds)) s"
    case .initialization(.reported(let report)):
      "initialization error \(ReportedError(report).type): \(ReportedError(report).message)"
    case .initialization(.died(let exit)): "the function died before its first event: \(exit.description)"
    case .initialization(.timedOut(let milliseconds)):
      "the function did not ask for an event within \(Self.seconds(milliseconds)) s"
    case .initialization(.notStarted(let reason)): "the function could not be started: \(reason)"
    case .undecided(let undecided): "no verdict about the policy: \(undecided.description)"
    }
  }

  private static func seconds(_ milliseconds: Int) -> String {
    milliseconds % 1000 == 0 ? String(milliseconds / 1000) : String(Double(milliseconds) / 1000)
  }
}

/// What an error document says; a document that says nothing counts by its header.
struct ReportedError {
  let type: String
  let message: String

  init(_ report: FunctionErrorReport) {
    let root = try? JSONDocument(parsing: report.document, limits: .event).root
    type = root?["errorType"]?.text ?? report.headerType
    message = root?["errorMessage"]?.text ?? ""
  }
}
