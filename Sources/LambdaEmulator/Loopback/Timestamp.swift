internal import Bytes
internal import Foundation
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

  /// Reads what `basic` writes, from 1970 on, in seconds; `nil` for any other text.
  package static func seconds(basic text: String) -> Int64? {
    let digits = text.utf8.filter(\.isDecimalDigit).map { Int($0 - .digitZero) }
    guard digits.count == 14 else { return nil }
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    let parts = DateComponents(
      year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10),
      minute: number(10..<12), second: number(12..<14))
    // A day that the month does not have, such as 31 June, would be one of the next month.
    let seconds = calendar.date(from: parts).map { Int64($0.timeIntervalSince1970) }
    return seconds.flatMap { basic($0 * 1000).hasSameBytes(as: text) ? $0 : nil }
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

    init(_ unixMilliseconds: Int64) {
      let date = Date(timeIntervalSince1970: Double(max(unixMilliseconds, 0) / 1000))
      let parts = Timestamp.calendar.dateComponents(
        [.year, .month, .day, .weekday, .hour, .minute, .second], from: date)
      (year, month, day) = (parts.year ?? 0, parts.month ?? 1, parts.day ?? 0)
      weekday = (parts.weekday ?? 1) - 1
      clock = [parts.hour, parts.minute, parts.second].map { two($0 ?? 0) }.joined(separator: ":")
    }
  }

  private static let calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
