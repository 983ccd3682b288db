/// One key set to fetch.
public struct KeyFetchRequest: Equatable, Sendable {
  /// Where from.
  public let address: KeyAddress
  /// The time for a connection, with the look-up of the name and the handshake of TLS, in milliseconds.
  public let connectMilliseconds: Int
  /// The time for everything, in milliseconds. The deadline of the call cuts it short.
  public let totalMilliseconds: Int

  /// A fetch of the key set at this address.
  ///
  /// - Parameters:
  ///   - connectMilliseconds: 2 s by default: a lost SYN is sent again after 1 s (RFC 6298 §2.1).
  ///   - totalMilliseconds: 3 s by default: 1.5 s proved short where functions start cold, and API Gateway gives an
  ///     authorizer 10 s.
  public init(address: KeyAddress, connectMilliseconds: Int = 2000, totalMilliseconds: Int = 3000) {
    self.address = address
    self.connectMilliseconds = connectMilliseconds
    self.totalMilliseconds = totalMilliseconds
  }
}

/// What came with status 200.
public struct FetchedKeySet: Equatable, Sendable {
  /// The body as it came, at most 256 KiB: unparsed, and undecoded where a server compressed it unasked.
  public let body: [UInt8]
  /// The seconds for which the answer stays fresh (RFC 9111 §4.2): `max-age` of Cache-Control less Age; 0 after
  /// `no-store` or `no-cache`, and after a `max-age` that is malformed or contradicts another; nil without any of them.
  public let maximumAgeSeconds: Int64?

  /// A key set with its age; also for a cache's tests.
  public init(body: [UInt8], maximumAgeSeconds: Int64?) {
    self.body = body
    self.maximumAgeSeconds = maximumAgeSeconds
  }
}

/// How a fetch ended.
public typealias KeyFetchResult = Result<FetchedKeySet, KeyFetchError>
