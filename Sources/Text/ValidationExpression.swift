/// The identity validation expression of an authorizer. A value that does not match is a 401, and the authorizer is not
/// invoked.
///
/// The whole value must match, as with `matches` of Java, which API Gateway uses. Template and value may both be hostile,
/// so the search takes time in proportion to the value.
package struct ValidationExpression: Equatable, Sendable {
  private let pattern: RegularExpression

  /// As written in the template.
  package var text: String { pattern.text }

  /// Reads an expression.
  ///
  /// - Throws: what is invalid or not supported.
  package init(_ text: String) throws(RegularExpression.Unknown) { pattern = try RegularExpression(text) }

  /// - Parameter partIsEnough: whether a part of the value may match, where AWS leaves that open.
  package func matches(_ value: String, partIsEnough: Bool = false) -> Bool {
    partIsEnough ? pattern.matchesPart(of: value) : pattern.matchesWhole(value)
  }

  /// What it accepts, for people: found by samples, because most expressions describe a token.
  package var words: String {
    let token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"
    for (start, words) in [("Bearer ", "Bearer and a "), ("", "a ")] where matches(start + token) {
      if !matches(start + "a") { return words + "JWT" }
      if !start.isEmpty { return words + "token" }
    }
    return "what the validation expression accepts"
  }
}
