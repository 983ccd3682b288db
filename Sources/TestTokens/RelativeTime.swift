import Bytes

/// A time relative to the time of minting, such as `+10m`, `-1h`, `+90s` or `+2d`.
package struct RelativeTime: Equatable, Sendable {
  /// The offset from now in seconds, negative in the past.
  package let seconds: Int64

  /// The largest offset in seconds: 10,000 years of 365.25 days. It is larger than every NumericDate that a verifier
  /// accepts (9999-12-31 is 253,402,300,799) and far below the maximum of `Int64`.
  package static let maximumSeconds: Int64 = 315_576_000_000

  private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

  /// Creates an offset in seconds; `nil` beyond `maximumSeconds`.
  package init?(seconds: Int64) {
    guard (-Self.maximumSeconds...Self.maximumSeconds).contains(seconds) else { return nil }
    self.seconds = seconds
  }

  /// Parses a sign, a whole number in decimal digits and a unit.
  package init?(_ text: String) {
    guard let sign = text.first, sign == "+" || sign == "-", let suffix = text.last,
      let unit = Self.units[suffix]
    else { return nil }
    let digits = text.dropFirst().dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0.isDecimalDigit }),
      let amount = Int64(digits)
    else { return nil }
    let (seconds, overflows) = amount.multipliedReportingOverflow(by: sign == "-" ? -unit : unit)
    guard !overflows else { return nil }
    self.init(seconds: seconds)
  }

  /// Returns the seconds since 1970 (NumericDate, RFC 7519 section 2), limited to the range of `Int64`.
  package func moment(after now: Int64) -> Int64 {
    let (sum, overflows) = now.addingReportingOverflow(seconds)
    return overflows ? (seconds < 0 ? .min : .max) : sum
  }
}
