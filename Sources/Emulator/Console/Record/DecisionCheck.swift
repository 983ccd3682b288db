/// One check of a decision, as `explain` shows it.
public struct DecisionCheck: Equatable, Sendable {
  /// How a check ended.
  public enum Result: String, Sendable {
    /// It found what it expects.
    case passed
    /// It did not.
    case failed
    /// A check before it failed, so it had no input.
    case skipped
  }

  /// The name, such as `expiry`.
  public let name: String
  /// How it ended.
  public let result: Result
  /// The reason code of a failed check.
  public let reason: String?
  /// What it expects, for people.
  public let expected: String
  /// What it found: text of the caller.
  public let found: String

  /// Creates the result of one check.
  public init(name: String, result: Result, reason: String?, expected: String, found: String) {
    self.name = name
    self.result = result
    self.reason = reason
    self.expected = expected
    self.found = found
  }
}
