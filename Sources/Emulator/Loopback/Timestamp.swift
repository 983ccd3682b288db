internal import Foundation

/// Formats times as in CloudWatch Logs and HTTP.
enum Timestamp {
  /// RFC 3339 in UTC with milliseconds: `2026-11-21T10:00:00.000Z`.
  static func text(_ unixMilliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(unixMilliseconds) / 1000)
      .formatted(
        .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
  }

  /// RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func http(_ date: Date) -> String { date.formatted(fixedDate) }

  private static let fixedDate = Date.VerbatimFormatStyle(
    format:
      "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
    locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
}
