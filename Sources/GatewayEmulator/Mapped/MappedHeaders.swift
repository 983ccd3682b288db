internal import GatewayModel

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

  /// Returns the answer of a proxy integration with the headers renamed that a REST API sets itself.
  ///
  /// Documented for all of them ("Amazon API Gateway important notes"), and recorded by LocalStack on AWS for proxies of
  /// HTTP backends: `Connection`, `Content-Length`, `Date` and the request ID of an AWS backend.
  static func remapped(_ response: GatewayResponse, isHTTP: Bool) -> GatewayResponse {
    let names = ["Connection", "Content-Length", "Date", "Server", "WWW-Authenticate"]
    var response = response
    response.headers = response.headers.map { header in
      let lower = header.name.lowercased()
      let name = (names + (isHTTP ? ["x-amzn-RequestId"] : [])).first { $0.lowercased() == lower }
      return name.map { .init("x-amzn-Remapped-" + $0, header.value) } ?? header
    }
    return response
  }
}
