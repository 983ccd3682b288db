internal import JSON

/// `$context` and its neighbours for one exchange ("Variables for data transformations for API Gateway").
struct ContextVariables: Sendable {
  /// Names known of every kind of API; `authorizer.…` comes besides, `error.…` in gateway responses.
  static let names: Set<String> = [
    "accountId", "apiId", "domainName", "domainPrefix", "extendedRequestId", "httpMethod",
    "identity.sourceIp",
    "identity.userAgent", "path", "protocol", "requestId", "requestTime", "requestTimeEpoch", "resourcePath",
    "routeKey", "stage", "connectionId", "eventType",
  ]
  static let errorNames: Set<String> = ["error.message", "error.messageString", "error.responseType"]

  private var values: [String: String]

  init(_ values: [String: String]) { self.values = values }

  /// Empty for a name that is known and has no value, as API Gateway writes it.
  subscript(_ name: String) -> String { values[name] ?? "" }

  /// The value of an identity source, where there is one.
  func value(_ name: String) -> String? { values[name] }

  mutating func set(_ name: String, _ value: String) { values[name] = value }

  /// What the authorizer gave, by its own names.
  var authorizerValues: [String: String] {
    let prefix = "authorizer."
    return Dictionary(
      values.compactMap {
        $0.key.hasPrefix(prefix) ? (String($0.key.dropFirst(prefix.count)), $0.value) : nil
      }
    ) { first, _ in first }
  }

  /// Whether a template may use the name.
  static func isKnown(_ name: String, withErrors: Bool) -> Bool {
    names.contains(name) || name.hasPrefix("authorizer.") || (withErrors && errorNames.contains(name))
  }
}

/// Times as API Gateway writes them.
enum GatewayTime {
  /// `17/Jun/2024:15:02:03 +0000`, the common log format.
  static func commonLogText(_ unixMilliseconds: Int64) -> String {
    let parts = Parts(unixMilliseconds)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return "\(two(parts.day))/\(months[parts.month - 1])/\(parts.year):\(parts.clock) +0000"
  }

  /// RFC 3339 in UTC with milliseconds.
  static func text(_ unixMilliseconds: Int64) -> String {
    let parts = Parts(unixMilliseconds)
    let milliseconds = String(1000 + unixMilliseconds % 1000).dropFirst()
    return "\(parts.year)-\(two(parts.month))-\(two(parts.day))T\(parts.clock).\(milliseconds)Z"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

  private struct Parts {
    let year: Int
    let month: Int
    let day: Int
    let clock: String

    /// The civil calendar from days since 1970 (era, year of era, day of year), for times from 1970 on.
    init(_ unixMilliseconds: Int64) {
      let seconds = Int(max(unixMilliseconds, 0) / 1000)
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
