internal import Foundation

/// The identity validation expression of a TOKEN authorizer: a value that does not match is a 401 without a call.
///
/// The whole value must match, as with Java's `matches` that API Gateway is written with.
public struct ValidationExpression: Equatable, Sendable {
  /// As written in the template.
  public let text: String
  private let expression: NSRegularExpression

  /// `nil` for what is no regular expression.
  public init?(_ text: String) {
    guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(text))\\z") else { return nil }
    self.text = text
    self.expression = expression
  }

  func matches(_ value: String) -> Bool {
    expression.firstMatch(in: value, range: NSRange(value.startIndex..., in: value)) != nil
  }
}
