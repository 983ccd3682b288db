/// One check of a decision, as `explain` shows it.
package struct DecisionCheck: Equatable, Sendable {
  package enum Result: String, Sendable {
    case passed
    case failed
    /// A check before it failed, so it had no input.
    case skipped
  }

  /// The name, such as `expiry`.
  package let name: String
  package let result: Result
  package let reason: String?
  /// What it expects, for people.
  package let expected: String
  /// What it found: text of the caller.
  package let found: String

  package init(name: String, result: Result, reason: String?, expected: String, found: String) {
    self.name = name
    self.result = result
    self.reason = reason
    self.expected = expected
    self.found = found
  }
}
