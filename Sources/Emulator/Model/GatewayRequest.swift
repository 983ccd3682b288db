/// A request of the client, without the part of the URL that selects the API.
public struct GatewayRequest: Sendable {
  /// The method in upper case.
  public let method: String
  /// The path as sent, with the stage if the URL has one; it begins with a slash.
  public let path: String
  /// The query without the question mark; may be empty.
  public let query: String
  /// All header lines in order, names as sent.
  public let headers: [Header]
  /// The body.
  public let body: [UInt8]
  /// The client's address.
  public let sourceAddress: String

  /// One header line.
  public struct Header: Equatable, Sendable {
    /// The name as sent.
    public let name: String
    /// The value as sent.
    public let value: String

    /// Creates a header line.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Creates a request.
  public init(
    method: String, path: String, query: String = "", headers: [Header], body: [UInt8] = [],
    sourceAddress: String = "127.0.0.1"
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.sourceAddress = sourceAddress
  }

  /// Returns the values of all lines of a name.
  func values(ofHeader name: String, isCaseSensitive: Bool = false) -> [String] {
    let lower = name.lowercased()
    return headers.filter { isCaseSensitive ? $0.name == name : $0.name.lowercased() == lower }.map(\.value)
  }

  /// The decoded names and values of the query, in order; a plus sign is decoded as a space (WHATWG URL, "urlencoded
  /// parsing").
  var queryItems: [(name: String, value: String)] {
    query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        PercentText.decoded(parts[0], plusIsBlank: true),
        parts.count == 2 ? PercentText.decoded(parts[1], plusIsBlank: true) : ""
      )
    }
  }
}

/// Percent-encoding (RFC 3986 section 2.1).
enum PercentText {
  /// Decodes percent-encoding; invalid sequences remain unchanged.
  static func decoded(_ text: some StringProtocol, plusIsBlank: Bool = false) -> String {
    var bytes: [UInt8] = []
    let source = Array(text.utf8)
    var index = 0
    while index < source.count {
      if source[index] == 0x25, index + 2 < source.count, let high = digit(source[index + 1]),
        let low = digit(source[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(plusIsBlank && source[index] == 0x2B ? 0x20 : source[index])
        index += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

/// A response of API Gateway.
public struct GatewayResponse: Equatable, Sendable {
  /// The status.
  public var status: Int
  /// The header lines in order.
  public var headers: [GatewayRequest.Header]
  /// The body.
  public var body: [UInt8]

  /// Creates a response.
  public init(status: Int, headers: [GatewayRequest.Header] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns the first value of a header.
  public func header(_ name: String) -> String? {
    values(ofHeader: name).first
  }

  /// Returns all values of a header, in order.
  func values(ofHeader name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

/// The IDs and the time of one exchange, passed in from outside of the state machine.
public struct ExchangeIdentity: Equatable, Sendable {
  /// A UUID.
  public let requestID: String
  /// API Gateway's extended request ID: 15 characters and an equals sign.
  public let extendedRequestID: String
  /// The trace ID, `Root=1-…`.
  public let traceID: String
  /// The time of the request by the gateway's clock, in milliseconds since 1970.
  public let unixMilliseconds: Int64

  /// Creates the IDs of one exchange.
  public init(requestID: String, extendedRequestID: String, traceID: String, unixMilliseconds: Int64) {
    self.requestID = requestID
    self.extendedRequestID = extendedRequestID
    self.traceID = traceID
    self.unixMilliseconds = unixMilliseconds
  }
}
