/// The identity validation expression of an authorizer. A value that does not match is a 401, and the authorizer is not
/// invoked.
///
/// The whole value must match, as with `matches` of Java, which API Gateway uses. Template and value may both be hostile,
/// so the search takes time in proportion to the value.
public struct ValidationExpression: Equatable, Sendable {
  private let pattern: TextPattern

  /// As written in the template.
  public var text: String { pattern.text }

  /// Reads an expression.
  ///
  /// - Throws: what is invalid or not supported.
  public init(_ text: String) throws(TextPattern.Unknown) { pattern = try TextPattern(text) }

  func matches(_ value: String, _ extent: UnsettledBehaviors.Extent = .whole) -> Bool {
    extent == .whole ? pattern.matchesWhole(value) : pattern.matchesPart(of: value)
  }
}
