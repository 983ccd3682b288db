internal import Bytes
internal import JSON

/// The log line that the authorizer writes for each decision: `"message":"decision"`.
///
/// The harness only shows it and never derives an outcome from it.
package struct DecisionRecord: Equatable, Sendable {
  package let outcome: String
  /// `reason`, absent for an allowed request.
  package let reason: String?
  /// `issuer`, the name from the configuration, if known.
  package let issuer: String?
  /// `microseconds`, measured by the function.
  package let microseconds: Int?
  /// `requiredScope`, which the token lacks.
  package let requiredScope: String?
  /// `detail`, the store's message.
  package let detail: String?

  /// Returns `nil` if the line is not such a record or belongs to another request.
  init?(line: FunctionLogLine, requestID: String, message: String = "decision") {
    guard line.stream == .standardOutput, line.text.utf8.first == .openingBrace,
      let document = try? JSONDocument(parsing: Array(line.text.utf8), limits: .event)
    else { return nil }
    let root = document.root
    guard root["message"]?.equals(message) == true, root["requestId"]?.equals(requestID) == true,
      let outcome = root["outcome"]?.text
    else { return nil }
    self.outcome = outcome
    reason = root["reason"]?.text
    issuer = root["issuer"]?.text
    requiredScope = root["requiredScope"]?.text
    detail = root["detail"]?.text
    microseconds = root["microseconds"]?.number?.integer.map(Int.init)
  }
}
