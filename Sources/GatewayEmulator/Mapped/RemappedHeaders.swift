internal import GatewayModel

/// The headers of an integration's answer that a REST API renames to `x-amzn-Remapped-…`, because it sets them itself.
///
/// Documented for all of them ("Amazon API Gateway important notes"), and recorded by LocalStack on AWS for proxies of
/// HTTP backends: `Connection`, `Content-Length`, `Date` and the request ID of an AWS backend.
struct RemappedHeaders {
  private let names: [String]

  private static let common = ["Connection", "Content-Length", "Date", "Server", "WWW-Authenticate"]

  /// The headers of a proxy integration.
  ///
  /// - Parameter isHTTP: whether the backend is an HTTP backend, otherwise a function.
  static func ofProxy(_ isHTTP: Bool) -> RemappedHeaders {
    RemappedHeaders(names: common + (isHTTP ? ["x-amzn-RequestId"] : []))
  }

  func applied(to response: GatewayResponse) -> GatewayResponse {
    var response = response
    response.headers = response.headers.map { header in
      let lower = header.name.lowercased()
      guard let name = names.first(where: { $0.lowercased() == lower }) else { return header }
      return .init("x-amzn-Remapped-" + name, header.value)
    }
    return response
  }
}
