import Bytes

/// A JSON number in its original spelling. No decision depends on binary floating point.
package struct JSONNumber: Equatable, Sendable {
  /// The number as written, valid by RFC 8259 section 6.
  package let source: [UInt8]

  init(_ source: [UInt8]) { self.source = source }

  /// The number as written.
  package var text: String { String(decoding: source, as: UTF8.self) }

  /// The value as an `Int64`; `nil` if it is not a whole number in that range (`1e2` and `1.0` are whole).
  package var integer: Int64? {
    guard let (lower, upper) = bounds, lower == upper else { return nil }
    return lower
  }

  /// The value rounded down and up, equal for a whole number; `nil` outside the range of `Int64`.
  ///
  /// The result is exact for any length. The cost depends only on the number of digits, also for `1e999999999`.
  package var bounds: (floor: Int64, ceiling: Int64)? {
    if let whole = Self.shortInteger(source.span) { return (whole, whole) }
    guard let decimal = Decimal(source) else { return nil }
    return decimal.bounds
  }

  /// A fast path for at most eighteen digits, which always fit in an `Int64`: every NumericDate.
  static func shortInteger(_ source: Span<UInt8>) -> Int64? {
    guard source.count <= 18 else { return nil }
    var value: Int64 = 0
    for index in source.indices {
      guard source[index].isDecimalDigit else { return nil }
      value = value * 10 + Int64(source[index] &- .digitZero)
    }
    return value
  }
}

/// A number as significant digits and a power of ten.
private struct Decimal {
  private var isNegative = false
  /// Digit values without leading zeros.
  private var digits: [UInt8] = []
  /// The value is 0.digits × 10^pointPosition.
  private var pointPosition = 0

  /// A larger exponent means zero or overflow for any digits, since texts are shorter than 6 MiB.
  private static let exponentLimit = 100_000_000

  init?(_ source: [UInt8]) {
    var exponent = 0
    var exponentIsNegative = false
    var part = Part.integer
    for byte in source {
      switch (byte, part) {
      case (0x2D, .exponent): exponentIsNegative = true
      case (0x2D, _): isNegative = true
      case (0x2B, _): break
      case (0x2E, _): part = .fraction
      case (0x65, _), (0x45, _): part = .exponent
      case (0x30...0x39, .exponent):
        exponent = min(exponent * 10 + Int(byte - 0x30), Self.exponentLimit)
      case (0x30...0x39, _): append(byte - 0x30, in: part)
      default: return nil
      }
    }
    pointPosition += exponentIsNegative ? -exponent : exponent
  }

  private enum Part { case integer, fraction, exponent }

  private mutating func append(_ digit: UInt8, in part: Part) {
    if digits.isEmpty, digit == 0 {
      if part == .fraction { pointPosition -= 1 }
      return
    }
    digits.append(digit)
    if part == .integer { pointPosition += 1 }
  }

  var bounds: (floor: Int64, ceiling: Int64)? {
    guard !digits.isEmpty else { return (0, 0) }
    // 19 digits before the point may fit in an Int64, 20 never do.
    guard pointPosition <= 19 else { return nil }
    var whole: Int64 = 0
    for position in 0..<max(pointPosition, 0) {
      let digit = Int64(position < digits.count ? digits[position] : 0)
      let (tens, overflowTens) = whole.multipliedReportingOverflow(by: 10)
      let (sum, overflowSum) = tens.subtractingReportingOverflow(digit)
      if overflowTens || overflowSum { return nil }
      // Negative accumulation reaches Int64.min, which has no positive counterpart.
      whole = sum
    }
    let hasFraction = digits.dropFirst(max(pointPosition, 0)).contains { $0 != 0 }
    if isNegative {
      let (floor, overflow) = whole.subtractingReportingOverflow(hasFraction ? 1 : 0)
      return overflow ? nil : (floor, whole)
    }
    let (positive, overflow) = Int64(0).subtractingReportingOverflow(whole)
    if overflow { return nil }
    let (ceiling, overflowCeiling) = positive.addingReportingOverflow(hasFraction ? 1 : 0)
    return overflowCeiling ? nil : (positive, ceiling)
  }
}
