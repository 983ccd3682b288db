import Bytes

/// A timestamp of RFC 3339, in UTC with milliseconds: `2026-11-21T10:00:00.000Z`.
///
/// Caches the text of the last second, so that further lines of the same second rewrite only the milliseconds.
package struct Timestamp {
  /// The text of the last time that was set.
  private(set) var text: [UInt8]
  private var second: Int64

  init() {
    text = Self.rfc3339(0)
    second = 0
  }

  /// Sets the text to this time, for the years 1970 to 9999.
  mutating func set(unixMilliseconds: Int64) {
    let milliseconds = max(unixMilliseconds, 0)
    guard milliseconds / 1000 == second else {
      text = Self.rfc3339(milliseconds)
      second = milliseconds / 1000
      return
    }
    let rest = Int(milliseconds % 1000)
    text[20] = 0x30 + UInt8(rest / 100)
    text[21] = 0x30 + UInt8(rest / 10 % 10)
    text[22] = 0x30 + UInt8(rest % 10)
  }

  /// Returns the text of a time, for the years 1970 to 9999.
  package static func rfc3339(_ unixMilliseconds: Int64) -> [UInt8] {
    let milliseconds = max(unixMilliseconds, 0)
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    let (year, month, day) = date(daysSince1970: days)
    let seconds = rest / 1000
    var text: [UInt8] = []
    text.reserveCapacity(24)
    append(year, 4, to: &text)
    for (mark, number) in [
      (0x2D, month), (0x2D, day), (0x54, seconds / 3600), (0x3A, seconds / 60 % 60),
      (0x3A, seconds % 60),
    ] as [(UInt8, Int64)] {
      text.append(mark)
      append(number, 2, to: &text)
    }
    text.append(.dot)
    append(rest % 1000, 3, to: &text)
    text.append(0x5A)
    return text
  }

  private static func append(_ number: Int64, _ digits: Int, to text: inout [UInt8]) {
    var divisor: Int64 = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      text.append(0x30 + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// Returns the civil date of a day. It uses eras of 400 years that begin on 1 March (Howard Hinnant,
  /// "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
  private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
