internal import Text
internal import Foundation

/// A date in a condition: a W3C profile of ISO 8601 (www.w3.org/TR/NOTE-datetime) or Unix seconds.
///
/// Four digits are refused, because they could be a year or Unix seconds.
struct ConditionDate: Equatable, Comparable, Sendable {
  let unixMilliseconds: Int64

  init(unixMilliseconds: Int64) { self.unixMilliseconds = unixMilliseconds }

  init?(_ text: String) {
    if let seconds = Int64(text), !text.hasBytePrefix("+") {
      guard text.count != 4, seconds.magnitude <= Self.maximumSeconds else { return nil }
      unixMilliseconds = seconds * 1000
      return
    }
    let form =
      /([0-9]{4})-([0-9]{2})(?:-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:[0-9]{2}))?)?/
    guard let match = text.wholeMatch(of: form) else { return nil }
    let parts = match.output
    guard let year = Int(parts.1), let month = Int(parts.2), let day = Int(parts.3 ?? "1"),
      (1...12).contains(month),
      (1...(month == 12 ? 31 : Self.days(year, month + 1, 1) - Self.days(year, month, 1))).contains(day)
    else { return nil }
    var milliseconds = Int64(Self.days(year, month, day)) * 86_400_000
    if let hour = parts.4.flatMap({ Int64($0) }), let minute = parts.5.flatMap({ Int64($0) }) {
      let second = parts.6.flatMap { Int64($0) } ?? 0
      guard hour < 24, minute < 60, second < 60 else { return nil }
      milliseconds += (hour * 3600 + minute * 60 + second) * 1000
      let fraction = (parts.7 ?? "").prefix(3)
      milliseconds += Int64(fraction + String(repeating: "0", count: 3 - fraction.count)) ?? 0
      guard let zone = parts.8, let offset = Self.offset(zone) else { return nil }
      milliseconds -= offset * 60_000
    }
    unixMilliseconds = milliseconds
  }

  /// The date in RFC 3339 format, in UTC with seconds.
  var text: String {
    let date = Date(timeIntervalSince1970: (Double(unixMilliseconds) / 1000).rounded(.down))
    return ISO8601DateFormatter().string(from: date)
  }

  static func < (one: ConditionDate, other: ConditionDate) -> Bool {
    one.unixMilliseconds < other.unixMilliseconds
  }

  /// The end of the year 9999, the last date that the format can represent.
  private static let maximumSeconds: Int64 = 253_402_300_799

  private static func offset(_ zone: Substring) -> Int64? {
    if zone == "Z" { return 0 }
    let parts = zone.dropFirst(bytes: 1).splitBytes(at: ":").compactMap { Int64($0) }
    guard parts.count == 2, parts[0] < 24, parts[1] < 60 else { return nil }
    return (parts[0] * 60 + parts[1]) * (zone.hasBytePrefix("-") ? -1 : 1)
  }

  /// Returns the days from 1970-01-01 in the proleptic Gregorian calendar. Years begin in March here, so the leap day
  /// is the last day.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let monthFromMarch = (month + 9) % 12
    let days = 365 * year + year / 4 - year / 100 + year / 400
    return days + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
  }
}
