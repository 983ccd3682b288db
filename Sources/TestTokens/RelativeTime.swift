/// A moment relative to the time of minting, such as `+10m`, `-1h`, `+90s` or `+2d`.
public struct RelativeTime: Equatable, Sendable {
  /// Distance from now in seconds, negative in the past.
  public let seconds: Int64

  /// The farthest distance in seconds: 10,000 years of 365.25 days, past every NumericDate that a verifier may take
  /// (9999-12-31 is 253,402,300,799) and far from the end of `Int64`.
  public static let maximumSeconds: Int64 = 315_576_000_000

  /// Seconds in a unit: `s`, `m`, `h`, `d`.
  private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

  /// A distance in seconds; `nil` beyond `maximumSeconds`.
  public init?(seconds: Int64) {
    guard (-Self.maximumSeconds...Self.maximumSeconds).contains(seconds) else { return nil }
    self.seconds = seconds
  }

  /// A sign, a whole number in decimal digits, a unit, and nothing else.
  public init?(_ text: String) {
    guard let sign = text.first, sign == "+" || sign == "-", let suffix = text.last,
      let unit = Self.units[suffix]
    else { return nil }
    let digits = text.dropFirst().dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let amount = Int64(digits)
    else { return nil }
    let (seconds, overflows) = amount.multipliedReportingOverflow(by: sign == "-" ? -unit : unit)
    guard !overflows else { return nil }
    self.init(seconds: seconds)
  }

  /// Seconds since 1970 (NumericDate, RFC 7519 section 2); at the ends of `Int64` it stays there.
  public func moment(after now: Int64) -> Int64 {
    let (sum, overflows) = now.addingReportingOverflow(seconds)
    return overflows ? (seconds < 0 ? .min : .max) : sum
  }
}
