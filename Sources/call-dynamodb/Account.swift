import DynamoDB
import KeyFetcher

/// Where DynamoDB is, and as whom it is called: what the environment says. The secrets go to libcurl and nowhere else.
struct Account {
  let region: String
  let endpoint: KeyAddress
  let accessKeyIdentifier: String
  let secretAccessKey: String
  let sessionToken: String?

  /// - Throws: what is missing or wrong, by the variable's name and never with its value.
  init(variable: (String) -> String?, allowsLoopbackHTTP: Bool) throws(CallFailure) {
    guard let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") else {
      throw Self.failure("AWS_REGION is not set")
    }
    guard Self.isRegion(region) else { throw Self.failure("AWS_REGION is no region") }
    guard let identifier = variable("AWS_ACCESS_KEY_ID"), let secret = variable("AWS_SECRET_ACCESS_KEY")
    else { throw Self.failure("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set") }
    let token = variable("AWS_SESSION_TOKEN")
    // The identifier and the token become parts of lines of the head.
    guard Self.isVisible(identifier), Self.isVisible(token ?? "") else {
      throw Self.failure("AWS_ACCESS_KEY_ID or AWS_SESSION_TOKEN has bytes that no credentials have")
    }
    self.region = region
    accessKeyIdentifier = identifier
    secretAccessKey = secret
    sessionToken = token
    do {
      endpoint = try KeyAddress(
        parsing: Self.endpoint(variable("AWS_ENDPOINT_URL_DYNAMODB"), region), development: true)
    } catch {
      throw Self.failure("AWS_ENDPOINT_URL_DYNAMODB is no endpoint (\(error.code))")
    }
    guard endpoint.scheme == .https || allowsLoopbackHTTP else {
      throw Self.failure("AWS_ENDPOINT_URL_DYNAMODB is plain http, which is for development")
    }
  }

  /// The endpoint that is configured, with the path that AWS's tools let out, or the region's own (AWS General Reference,
  /// "Amazon DynamoDB endpoints and quotas"). Of other partitions than China's, GovCloud has the usual names, and the
  /// closed ones need the variable.
  private static func endpoint(_ configured: String?, _ region: String) -> String {
    guard let configured else {
      let domain = Array(region.utf8).after("cn-") == nil ? "amazonaws.com" : "amazonaws.com.cn"
      return "https://dynamodb." + region + "." + domain + "/"
    }
    let bytes = Array(configured.utf8)
    let rest = bytes.after("https://") ?? bytes.after("http://")
    return rest?.contains(UInt8(ascii: "/")) == false ? configured + "/" : configured
  }

  /// Small letters, digits and hyphens, at most 32: it becomes a part of a host's name and of the signature's scope.
  private static func isRegion(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let hyphen = UInt8(ascii: "-")
    return (1...32).contains(bytes.count) && bytes.first != hyphen && bytes.last != hyphen
      && bytes.allSatisfy { $0 == hyphen || $0.isDecimalDigit || $0 &- UInt8(ascii: "a") < 26 }
  }

  private static func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }

  private static func failure(_ text: String) -> CallFailure { CallFailure(.configuration, text) }
}
