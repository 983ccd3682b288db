internal import Text
internal import Bytes

/// A request of the client, without the part of the URL that selects the API.
package struct GatewayRequest: Sendable {
  /// The method in upper case.
  package let method: String
  /// The path as sent, with the stage if the URL has one; it begins with a slash.
  package var path: String
  /// The path of the URL that the client wrote, which its signature covers: here it may also name the API.
  package let sentPath: String
  /// The custom domain that the request came to; `nil` for the API's own address.
  package var domain: GatewayDomain.Use?
  /// The client certificate of a custom domain with mutual TLS; `nil` elsewhere.
  package var certificate: CallerCertificate?
  /// The query without the question mark; may be empty.
  package let query: String
  /// All header lines in order, names as sent.
  package let headers: [Header]
  package let body: [UInt8]
  /// The client's address.
  package let sourceAddress: String
  /// Whether the body was larger than API Gateway accepts, and is left out.
  package let isBodyTooLarge: Bool

  /// One header line.
  package struct Header: Equatable, Sendable {
    /// The name as sent.
    package let name: String
    /// The value as sent.
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Creates a request.
  ///
  /// - Parameter sentPath: the path of the URL; `nil` if it is `path`.
  package init(
    method: String, path: String, sentPath: String? = nil, query: String = "", headers: [Header],
    body: [UInt8] = [], sourceAddress: String = "127.0.0.1", isBodyTooLarge: Bool = false
  ) {
    self.method = method
    self.path = path
    self.sentPath = sentPath ?? path
    self.query = query
    self.headers = headers
    self.body = body
    self.sourceAddress = sourceAddress
    self.isBodyTooLarge = isBodyTooLarge
  }

  /// Returns the values of all lines of a name.
  ///
  /// - Parameter added: headers that count in place of the request's own lines of their names.
  package func values(
    ofHeader name: String, isCaseSensitive: Bool = false, adding added: [Header] = []
  ) -> [String] {
    let lower = name.lowercased()
    let isAdded = added.contains { $0.name.lowercased() == lower }
    return (isAdded ? added : headers).filter {
      isCaseSensitive ? $0.name.hasSameBytes(as: name) : $0.name.lowercased() == lower
    }.map(\.value)
  }

  /// The decoded names and values of the query, in order; a plus sign is decoded as a space (WHATWG URL, "urlencoded
  /// parsing").
  package var queryItems: [(name: String, value: String)] {
    Substring(query).utf8.split(separator: UInt8(ascii: "&")).map { item in
      let parts = item.split(separator: .equalsSign, maxSplits: 1, omittingEmptySubsequences: false)
      return (
        PercentText.decoded(Substring(parts[0]), plusIsBlank: true),
        parts.count == 2 ? PercentText.decoded(Substring(parts[1]), plusIsBlank: true) : ""
      )
    }
  }
}
