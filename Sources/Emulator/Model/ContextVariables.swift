internal import JSON

/// The `$context` variables of one exchange ("Variables for data transformations for API Gateway").
struct ContextVariables: Sendable {
  /// The known names for all kinds of APIs. `authorizer.…` is also known, and `error.…` in gateway responses.
  static let names: Set<String> = [
    "accountId", "apiId", "domainName", "domainPrefix", "extendedRequestId", "httpMethod",
    "identity.apiKey", "identity.apiKeyId", "identity.sourceIp",
    "identity.userAgent", "path", "protocol", "requestId", "requestTime", "requestTimeEpoch", "resourcePath",
    "routeKey", "stage", "connectionId", "eventType",
  ]
  static let errorNames: Set<String> = ["error.message", "error.messageString", "error.responseType"]

  private var values: [String: String]

  init(_ values: [String: String]) { self.values = values }

  /// Returns the value, or the empty string for a variable without a value, as API Gateway does.
  subscript(_ name: String) -> String { values[name] ?? "" }

  /// Returns the value, or `nil` for a variable without a value.
  func value(_ name: String) -> String? { values[name] }

  mutating func set(_ name: String, _ value: String) { values[name] = value }

  /// The authorizer's values by name, without the prefix.
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
