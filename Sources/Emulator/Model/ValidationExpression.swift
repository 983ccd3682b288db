internal import Foundation

/// The identity validation expression of a TOKEN authorizer. A value that does not match is a 401, and the authorizer
/// is not invoked.
///
/// The whole value must match, as with `matches` of Java, which API Gateway uses.
public struct ValidationExpression: Equatable, Sendable {
  /// As written in the template.
  public let text: String
  private let expression: NSRegularExpression

  /// Returns `nil` for an invalid regular expression.
  public init?(_ text: String) {
    guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(text))\\z") else { return nil }
    self.text = text
    self.expression = expression
  }

  func matches(_ value: String) -> Bool {
    expression.firstMatch(in: value, range: NSRange(value.startIndex..., in: value)) != nil
  }
}
