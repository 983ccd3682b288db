/// What was decided about one event, and what API Gateway is told.
public struct Decision: Sendable {
  /// What goes back to API Gateway.
  public let answer: Answer
  /// What it amounts to for the route that was asked.
  public let outcome: Outcome
  /// Why; `nil` where the caller is allowed.
  public let reason: ReasonCode?
  /// Why the policy holds less than the rules grant: a claim that no path can hold, or an ARN that is too long.
  public internal(set) var leftOut: ReasonCode?
  /// What the log says beside the reason: our own words, nothing of the token's.
  public internal(set) var detail: String?
  /// The scope that the token lacks, as the configuration spells it, where the reason is `insufficientScope`.
  public internal(set) var requiredScope: [UInt8]?
  /// Which event it was, where it was one.
  public internal(set) var eventKind: EventKind?
  /// The configured name of the issuer, where the token named one of ours.
  public internal(set) var issuerName: String?
  /// Eight hexadecimal digits of the SHA-256 of the key's identifier.
  public internal(set) var keyIDHash: [UInt8]?
  /// Eight hexadecimal digits of the SHA-256 of the token.
  public internal(set) var tokenHash: [UInt8]?
  /// Key sets that were asked for before the answer.
  public internal(set) var keyFetches = 0
  /// Whether the claims of this one token caused the failure.
  private let isOfToken: Bool

  /// A verdict about a good token.
  ///
  /// - Parameter reason: why the route that was asked is refused; `nil` where it is allowed.
  init(_ response: [UInt8], refusing reason: ReasonCode?) {
    answer = .response(response)
    outcome = reason == nil ? .allowed : .forbidden
    self.reason = reason
    isOfToken = false
  }

  /// A token that is none, or none that we accept.
  init(unauthorized reason: ReasonCode, _ answer: Answer) {
    self.answer = answer
    outcome = .unauthorized
    self.reason = reason
    isOfToken = false
  }

  /// No verdict.
  ///
  /// - Parameter isOfToken: whether the claims of this one token are the cause.
  init(failure reason: ReasonCode, detail: String, isOfToken: Bool = false) {
    answer = .failure(Failure(reason: reason, detail: detail))
    outcome = .failure
    self.reason = reason
    self.isOfToken = isOfToken
  }

  /// How much it matters. A refusal is what an authorizer is for, and any stranger can cause one at will, so it is no
  /// warning. A failure is ours to mend, an error; but where one caller's claims cause it, that caller must not be able to
  /// ring an alarm on errors.
  public var logLevel: LogLevel {
    guard outcome == .failure else { return .info }
    return isOfToken ? .warn : .error
  }
}

/// What API Gateway is told.
public enum Answer: Equatable, Sendable {
  /// An IAM policy document, a simple response, or what is configured to say 401 without an error.
  case response([UInt8])
  /// The exact word that makes API Gateway answer 401.
  case unauthorized
  /// Another error: 5xx, never cached, no verdict about the caller.
  case failure(Failure)

  /// `errorMessage` of a 401: capital U, nothing before or after. Any other text is a 500 (API Gateway, "Use API Gateway
  /// Lambda authorizers").
  public static let unauthorizedMessage = "Unauthorized"
}

/// Why we cannot know.
public struct Failure: Equatable, Sendable {
  /// One of the codes whose outcome is a failure.
  public let reason: ReasonCode
  /// What is wrong, for the operator; quotes nothing of the event.
  public let detail: String

  /// The message for the Runtime API; never the word that means 401.
  public var errorMessage: String { detail.isEmpty ? reason.rawValue : reason.rawValue + ": " + detail }
}
