internal import Foundation

/// Times as CloudWatch Logs writes them.
enum Timestamp {
  /// RFC 3339 in UTC with milliseconds: `2026-11-21T10:00:00.000Z`.
  static func text(_ unixMilliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(unixMilliseconds) / 1000)
      .formatted(
        .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
  }
}
