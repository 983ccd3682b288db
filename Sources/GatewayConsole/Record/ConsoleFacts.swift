package import JSON

/// What the console asks the program that serves: only it knows the configuration of its functions.
///
/// Its texts may contain what callers sent. The console removes credentials from them.
package protocol ConsoleFacts: Sendable {
  /// Returns the checks of `explain` for an event, or `nil` for a function of another author.
  func explanation(of event: [UInt8], by function: String, at unixSeconds: Int64) -> ConsoleExplanation?

  /// The scopes that rules of the configuration name.
  var scopes: [String] { get }

  /// The key sets of the configured issuers: objects with `issuer`, `source` and `keys`.
  var keySets: [JSONTree] { get }

  /// The revocations of the local store: an object with `available`, `rows` and `how`.
  var revocations: JSONTree { get }

  /// What `doctor` finds: objects with `severity`, `code`, `text`, `file`, `line` and `hint`.
  var findings: [JSONTree] { get }

  var version: String { get }
}

package struct ConsoleExplanation: Sendable {
  package let checks: [DecisionCheck]
  /// The rule that decided, with its place; `nil` where no rule was reached.
  package let rule: String?

  package init(checks: [DecisionCheck], rule: String?) {
    self.checks = checks
    self.rule = rule
  }
}
