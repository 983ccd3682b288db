public import JSON

/// Where a claim stands in a payload: a member's name, or names joined by dots for members of members.
///
/// A member whose whole name is the text comes first, since names such as `https://example.com/roles` hold dots.
public struct ClaimPath: Equatable, Sendable {
  /// The path as it was written.
  public let text: String
  private let steps: [[UInt8]]

  /// A path; `nil` where it is empty or has an empty step.
  public init?(_ text: String) {
    let steps = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false).map { Array($0) }
    guard !steps.contains(where: { $0.isEmpty }) else { return nil }
    self.text = text
    self.steps = steps
  }

  /// A path of one step; the name is not empty.
  public init(name: String) {
    text = name
    steps = [Array(name.utf8)]
  }

  /// The claim at this path; `nil` where it is absent.
  public func value(in claims: JSONValue) -> JSONValue? {
    if let value = claims[text] { return value }
    guard steps.count > 1 else { return nil }
    var value = claims
    for step in steps {
      guard let next = value.member(named: step) else { return nil }
      value = next
    }
    return value
  }
}
