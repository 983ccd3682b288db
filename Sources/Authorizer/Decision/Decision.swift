package import FunctionHost
package import Withdrawals

/// The decision on one event, and the answer for API Gateway.
package struct Decision: Sendable {
  /// The answer for API Gateway.
  package let answer: Answer
  /// What the answer means for the requested route.
  package let outcome: Outcome
  /// Why; `nil` if the caller is allowed.
  package let reason: ReasonCode?
  /// Why the policy contains less than the rules grant: a claim that cannot be part of a path, or an ARN that is too
  /// long.
  package internal(set) var leftOut: ReasonCode?
  /// What the log shows beside the reason: our own text, nothing from the token.
  package internal(set) var detail: String?
  /// The index of the rule that refused the route; `nil` if no rule did.
  package internal(set) var rule: Int?
  /// The scope that the token lacks, as the configuration spells it, if the reason is `insufficientScope`.
  package internal(set) var requiredScope: [UInt8]?
  /// The kinds of keys that were not looked up, because the token has no such claim.
  package internal(set) var notLookedUp: [WithdrawalKey.Kind] = []
  /// The kind of event; `nil` if it was not an authorizer event.
  package internal(set) var eventKind: EventKind?
  /// The configured name of the issuer; `nil` if the token names no configured issuer.
  package internal(set) var issuerName: String?
  /// Eight hexadecimal digits of the SHA-256 of the key ID.
  package internal(set) var keyIDHash: [UInt8]?
  /// Eight hexadecimal digits of the SHA-256 of the token.
  package internal(set) var tokenHash: [UInt8]?
  /// The ID of the request in API Gateway.
  package internal(set) var apiRequestID: APIRequestID?
  /// Whether the caller is a guest: allowed without a token.
  package internal(set) var isGuest = false
  /// The number of key sets that were fetched before the answer.
  package internal(set) var keyFetches = 0
  /// Whether the claims of this one token caused the failure.
  private let isOfToken: Bool

  /// A decision on an accepted token.
  ///
  /// - Parameter reason: why the requested route is refused; `nil` if it is allowed.
  init(_ response: [UInt8], refusing reason: ReasonCode?) {
    answer = .response(response)
    outcome = reason == nil ? .allowed : .forbidden
    self.reason = reason
    isOfToken = false
  }

  /// A decision on a missing, malformed or rejected token.
  init(unauthorized reason: ReasonCode, _ answer: Answer) {
    self.answer = answer
    outcome = .unauthorized
    self.reason = reason
    isOfToken = false
  }

  /// A failure: no verdict.
  ///
  /// - Parameter isOfToken: whether the claims of this one token are the cause.
  init(failure reason: ReasonCode, detail: String, isOfToken: Bool = false) {
    answer = .failure(Failure(reason: reason, detail: detail))
    self.detail = detail.isEmpty ? nil : detail
    outcome = .failure
    self.reason = reason
    self.isOfToken = isOfToken
  }

  /// The level of the log line. A refusal is normal and any stranger can cause one, so it is not a warning. A failure
  /// is an error that the operator must fix. A failure that one caller's claims cause is only a warning, so that the
  /// caller cannot trigger an alarm on errors.
  package var logLevel: LogLevel {
    guard outcome == .failure else { return .info }
    return isOfToken ? .warn : .error
  }
}
