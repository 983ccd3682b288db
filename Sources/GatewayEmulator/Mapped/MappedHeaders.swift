/// What API Gateway does with the headers that a mapping sets. Recorded by localstack
/// (`test_apigateway_header_remapping_http`, `…_aws`).
enum MappedHeaders {
  /// Headers that a mapping to any target must not set; API Gateway answers with a 500.
  private static let forbidden: Set<String> = [
    "content-length", "transfer-encoding", "x-amzn-trace-id", "x-amzn-apigateway-api-id",
  ]
  /// The same for a function or an AWS service.
  private static let forbiddenOnAWS: Set<String> = [
    "authorization", "connection", "expect", "proxy-authenticate", "te",
  ]
  private static let dropped: Set<String> = ["expect", "proxy-authenticate", "te", "via"]
  /// Headers of a response that get the prefix.
  private static let remapped: Set<String> = [
    "authorization", "connection", "content-length", "content-md5", "date", "expect", "host", "max-forwards",
    "proxy-authenticate", "server", "trailer", "upgrade", "user-agent", "www-authenticate",
  ]

  static func isForbidden(_ name: String, onAWS: Bool) -> Bool {
    forbidden.contains(name.lowercased()) || (onAWS && forbiddenOnAWS.contains(name.lowercased()))
  }

  static func isDropped(_ name: String, onAWS: Bool) -> Bool {
    dropped.contains(name.lowercased()) || (onAWS && name.lowercased() == "referer")
  }

  /// Returns the name under which a header of a mapping reaches the client.
  static func responseName(_ name: String) -> String {
    remapped.contains(name.lowercased()) ? "x-amzn-Remapped-" + name : name
  }
}
