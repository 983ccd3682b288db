internal import Text

/// Formats times from 1970 on as AWS and HTTP do, all in UTC.
package enum Timestamp {
  /// RFC 3339 with milliseconds: `2026-11-21T10:00:00.000Z`.
  package static func text(_ unixMilliseconds: Int64) -> String {
    let parts = Parts(unixMilliseconds)
    let milliseconds = String(1000 + unixMilliseconds % 1000).dropFirst()
    return "\(parts.year)-\(two(parts.month))-\(two(parts.day))T\(parts.clock).\(milliseconds)Z"
  }

  /// The common log format of API Gateway: `17/Jun/2024:15:02:03 +0000`.
  package static func commonLog(_ unixMilliseconds: Int64) -> String {
    let parts = Parts(unixMilliseconds)
    return "\(two(parts.day))/\(months[parts.month - 1])/\(parts.year):\(parts.clock) +0000"
  }

  /// RFC 9110 section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func http(_ unixMilliseconds: Int64) -> String {
    let parts = Parts(unixMilliseconds)
    let day = "\(two(parts.day)) \(months[parts.month - 1]) \(parts.year)"
    return "\(weekdays[parts.weekday]), \(day) \(parts.clock) GMT"
  }

  /// `java.util.Date.toString`, in which the Cognito authorizer writes times: `Mon Jun 15 05:56:21 UTC 2026`.
  package static func calendar(_ unixMilliseconds: Int64) -> String {
    let parts = Parts(unixMilliseconds)
    let day = "\(weekdays[parts.weekday]) \(months[parts.month - 1]) \(two(parts.day))"
    return "\(day) \(parts.clock) UTC \(parts.year)"
  }

  /// ISO 8601, basic format: `20260615T055621Z`.
  package static func basic(_ unixMilliseconds: Int64) -> String {
    let parts = Parts(unixMilliseconds)
    return
      "\(parts.year)\(two(parts.month))\(two(parts.day))T\(parts.clock.replacingBytes(of: ":", with: ""))Z"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

  private struct Parts {
    let year: Int
    let month: Int
    let day: Int
    /// From Sunday.
    let weekday: Int
    let clock: String

    /// Converts days since 1970 to calendar dates (era, year of era, day of year), for times from 1970 on.
    init(_ unixMilliseconds: Int64) {
      let seconds = Int(max(unixMilliseconds, 0) / 1000)
      weekday = (seconds / 86_400 + 4) % 7
      let days = seconds / 86_400 + 719_468
      let dayOfEra = days % 146_097
      let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
      let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
      let shifted = (5 * dayOfYear + 2) / 153
      day = dayOfYear - (153 * shifted + 2) / 5 + 1
      month = shifted < 10 ? shifted + 3 : shifted - 9
      year = yearOfEra + days / 146_097 * 400 + (month <= 2 ? 1 : 0)
      let rest = seconds % 86_400
      clock = "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    }
  }
}
