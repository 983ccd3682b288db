import Bytes

/// The offset of the function's clock, so that a test need not wait for a token to expire.
///
/// Allowed only in development: anyone who could set the clock back in a deployment could revive expired tokens.
package enum ClockOffset {
  /// Seconds, with a sign; `serve --clock` and `POST /dev/clock` set it.
  package static let variable = "AUTHORIZER_CLOCK_OFFSET_SECONDS"

  /// Our own limit: no token should live longer than a year.
  static let farthestSeconds: Int64 = 366 * 86_400

  /// Returns the seconds to add to the clock; always 0 without `AUTHORIZER_DEVELOPMENT=1`.
  static func seconds(_ source: some ConfigurationSource) -> Int64 {
    guard isAllowed(source), let text = source.variable(variable) else { return 0 }
    return seconds(text) ?? 0
  }

  /// Returns why the function does not start with this variable; `nil` if nothing is wrong.
  package static func problem(_ source: some ConfigurationSource) -> String? {
    guard let text = source.variable(variable) else { return nil }
    guard isAllowed(source) else {
      return "moves the clock, which requires AUTHORIZER_DEVELOPMENT=1; remove it from the deployment"
    }
    return seconds(text) == nil ? "a whole number of seconds is expected, within 366 days" : nil
  }

  private static func isAllowed(_ source: some ConfigurationSource) -> Bool {
    source.isDevelopment
  }

  private static func seconds(_ text: String) -> Int64? {
    var digits = Array(text.utf8)[...]
    let sign = digits.first
    if sign == .plus || sign == .hyphen { digits.removeFirst() }
    guard !digits.isEmpty else { return nil }
    var seconds: Int64 = 0
    for digit in digits {
      guard digit.isDecimalDigit else { return nil }
      seconds = seconds * 10 + Int64(digit - 0x30)
      guard seconds <= farthestSeconds else { return nil }
    }
    return sign == .hyphen ? -seconds : seconds
  }
}
