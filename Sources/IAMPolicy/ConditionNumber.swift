internal import Foundation

/// An exact number in a condition: an integer or a decimal fraction.
struct ConditionNumber: Equatable, Comparable, Sendable {
  private let value: Decimal

  /// The digits that `Decimal` represents exactly.
  private static let maximumDigits = 38

  init?(_ text: String) {
    guard text.wholeMatch(of: /-?[0-9]+(?:\.[0-9]+)?/) != nil, text.count <= Self.maximumDigits,
      let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    else { return nil }
    self.value = value
  }

  static func < (one: ConditionNumber, other: ConditionNumber) -> Bool { one.value < other.value }
}
