import Bytes
import DynamoDB
import KeyFetcher

/// Endpoint and credentials from the environment. The secrets are passed to libcurl only.
struct Account {
  let region: String
  let endpoint: KeyAddress
  let accessKeyIdentifier: String
  let secretAccessKey: String
  let sessionToken: String?

  /// - Throws: which variable is missing or wrong, never with its value.
  init(variable: (String) -> String?, allowsLoopbackHTTP: Bool) throws(CallFailure) {
    guard let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") else {
      throw Self.failure("AWS_REGION is not set")
    }
    guard Self.isRegion(region) else { throw Self.failure("AWS_REGION is not a valid region") }
    guard let identifier = variable("AWS_ACCESS_KEY_ID"), let secret = variable("AWS_SECRET_ACCESS_KEY")
    else { throw Self.failure("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set") }
    let token = variable("AWS_SESSION_TOKEN")
    // The identifier and the token become parts of HTTP header lines.
    guard Self.isVisible(identifier), Self.isVisible(token ?? "") else {
      throw Self.failure("AWS_ACCESS_KEY_ID or AWS_SESSION_TOKEN contains invalid bytes")
    }
    self.region = region
    accessKeyIdentifier = identifier
    secretAccessKey = secret
    sessionToken = token
    do {
      endpoint = try KeyAddress(
        parsing: Self.endpoint(variable("AWS_ENDPOINT_URL_DYNAMODB"), region), development: true)
    } catch {
      throw Self.failure("AWS_ENDPOINT_URL_DYNAMODB is not a valid endpoint (\(error.code))")
    }
    guard endpoint.scheme == .https || allowsLoopbackHTTP else {
      throw Self.failure("AWS_ENDPOINT_URL_DYNAMODB is plain http, which only development allows")
    }
  }

  /// The configured endpoint, with `/` as its path if it has none, or the region's endpoint (AWS General Reference,
  /// "Amazon DynamoDB endpoints and quotas"). GovCloud has the usual names, China has its own domain, and other
  /// partitions need the variable.
  private static func endpoint(_ configured: String?, _ region: String) -> String {
    guard let configured else {
      let domain = Array(region.utf8).after("cn-") == nil ? "amazonaws.com" : "amazonaws.com.cn"
      return "https://dynamodb." + region + "." + domain + "/"
    }
    let bytes = Array(configured.utf8)
    let rest = bytes.after("https://") ?? bytes.after("http://")
    return rest?.contains(.slash) == false ? configured + "/" : configured
  }

  /// At most 32 lower-case letters, digits and hyphens: the region becomes part of the host name and of the
  /// signature's scope.
  private static func isRegion(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return (1...32).contains(bytes.count) && bytes.first != .hyphen && bytes.last != .hyphen
      && bytes.allSatisfy { $0 == .hyphen || $0.isDecimalDigit || $0 &- UInt8(ascii: "a") < 26 }
  }

  private static func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { $0.isVisible } }

  private static func failure(_ text: String) -> CallFailure { CallFailure(.configuration, text) }
}
