/// The answer for API Gateway.
package enum Answer: Equatable, Sendable {
  /// An IAM policy document, a simple response, or a response that means 401 and is not an error.
  case response([UInt8])
  /// The exact error message that makes API Gateway answer 401.
  case unauthorized
  /// Another error: a 5xx, never cached, no verdict on the caller.
  case failure(Failure)
}

/// Why no verdict is possible.
package struct Failure: Equatable, Sendable {
  /// One of the reason codes whose outcome is a failure.
  package let reason: ReasonCode
  /// What is wrong, for the operator; contains nothing from the event.
  package let detail: String

  /// The message for the Runtime API; never the message that means 401.
  package var errorMessage: String { detail.isEmpty ? reason.rawValue : reason.rawValue + ": " + detail }
}
