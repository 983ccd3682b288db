internal import LambdaEmulator
internal import Foundation
internal import TestTokens

/// Parses and formats Unix times and durations.
enum Moment {
  @Sendable static func current() -> Int64 { Int64(Date().timeIntervalSince1970) }

  /// Parses `2026-11-21T10:00:00Z` (RFC 3339) or an offset from now such as `+10m`; `nil` for anything else.
  static func parse(_ text: String, at now: Int64) -> Int64? {
    if let distance = RelativeTime(text) { return distance.moment(after: now) }
    let formatter = ISO8601DateFormatter()
    for options: ISO8601DateFormatter.Options in [[], .withFractionalSeconds] {
      formatter.formatOptions = options.union(.withInternetDateTime)
      if let date = formatter.date(from: text) { return Int64(date.timeIntervalSince1970.rounded(.down)) }
    }
    return nil
  }

  /// Returns the error message for an invalid time, for `--NAME`.
  static func problem(_ option: String, _ text: String) -> String {
    let isUnsigned = RelativeTime("+" + text) != nil
    return "\(option) must be a time such as 2026-11-21T10:00:00Z or +10m, found \(text)"
      + (isUnsigned ? "; did you mean +\(text)?" : "")
  }

  /// Returns the time in UTC (RFC 3339); `nil` outside of the years 1970 to 9999.
  static func text(_ seconds: Int64) -> String? {
    guard 0...253_402_300_799 ~= seconds else { return nil }
    let formatter = ISO8601DateFormatter()
    return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
  }

  /// Returns the time and its distance from now: `2026-11-21T10:00:00Z, 3 h 12 min ago`.
  static func text(_ seconds: Int64, seenFrom now: Int64) -> String {
    guard let text = text(seconds) else { return String(seconds) }
    if seconds == now { return text + ", now" }
    return seconds < now
      ? "\(text), \(duration(now - seconds)) ago" : "\(text), in \(duration(seconds - now))"
  }

  /// Returns the two largest units of a duration: `3 h 12 min`, `45 s`.
  static func duration(_ seconds: Int64) -> String {
    let units: [(name: String, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
    var rest = seconds
    var parts: [String] = []
    for unit in units where parts.count < 2 {
      let amount = rest / unit.seconds
      rest %= unit.seconds
      if amount > 0 { parts.append("\(amount) \(unit.name)") } else if !parts.isEmpty { break }
    }
    return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
  }
}
