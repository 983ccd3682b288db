import Bytes
package import JSON

/// The path of a claim in a payload: a member's name, or names joined by dots for nested members.
///
/// A member with the whole text as its name takes precedence, since names such as `https://example.com/roles` contain
/// dots. A path of separate names has no such second meaning. A class, so that checks refer to the configured path and do
/// not copy it.
package final class ClaimPath: Equatable, Sendable {
  /// The path as it was written.
  package let text: String
  /// The whole text, if a member may have it as its name.
  package let whole: [UInt8]?
  /// The names from the top down, where no member has the whole text as its name.
  package let steps: [[UInt8]]

  /// Creates a path; `nil` if it is empty or has an empty step.
  package init?(_ text: String) {
    let steps = text.utf8.split(separator: .dot, omittingEmptySubsequences: false).map { Array($0) }
    guard !steps.contains(where: { $0.isEmpty }) else { return nil }
    self.text = text
    whole = Array(text.utf8)
    self.steps = steps
  }

  /// Creates a path of one step; the name must not be empty.
  package init(name: String) {
    text = name
    whole = Array(name.utf8)
    steps = [Array(name.utf8)]
  }

  /// Creates a path of separate names, in which dots mean nothing; `nil` without names or with an empty one.
  package init?(steps: [String]) {
    guard !steps.isEmpty, !steps.contains(where: { $0.isEmpty }) else { return nil }
    text = steps.joined(separator: " > ")
    whole = steps.count == 1 ? Array(steps[0].utf8) : nil
    self.steps = steps.map { Array($0.utf8) }
  }

  /// Whether both have the same text and the same steps.
  package static func == (left: ClaimPath, right: ClaimPath) -> Bool {
    left === right || left.whole == right.whole && left.steps == right.steps
  }

  /// The claim at this path; `nil` if it is absent.
  package func value(in claims: JSONValue) -> JSONValue? {
    if let whole, let value = claims.member(named: whole) { return value }
    guard steps.count > 1 else { return nil }
    var value = claims
    for step in steps {
      guard let next = value.member(named: step) else { return nil }
      value = next
    }
    return value
  }
}
