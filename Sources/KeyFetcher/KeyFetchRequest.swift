/// The request for one key set.
package struct KeyFetchRequest: Equatable, Sendable {
  /// The address of the key set.
  package let address: KeyAddress
  /// The time limit for the connection in milliseconds, including name resolution and TLS handshake.
  package let connectMilliseconds: Int
  /// The total time limit in milliseconds. The deadline of the call can end the fetch earlier.
  package let totalMilliseconds: Int

  /// Creates a request for the key set at this address.
  ///
  /// - Parameters:
  ///   - connectMilliseconds: 2 s by default, because a lost SYN is sent again after 1 s (RFC 6298 §2.1).
  ///   - totalMilliseconds: 3 s by default: 1.5 s was too short during cold starts, and the limit of API Gateway for an
  ///     authorizer is 10 s.
  package init(address: KeyAddress, connectMilliseconds: Int = 2000, totalMilliseconds: Int = 3000) {
    self.address = address
    self.connectMilliseconds = connectMilliseconds
    self.totalMilliseconds = totalMilliseconds
  }
}

/// The response with status 200.
package struct KeySetResponse: Equatable, Sendable {
  /// The unchanged body, at most 256 KiB. It is not parsed, and not decompressed if the server compressed it.
  package let body: [UInt8]
  /// The seconds for which the answer stays fresh (RFC 9111 §4.2): `max-age` of Cache-Control minus Age; 0 for
  /// `no-store`, `no-cache`, a malformed `max-age` or several different ones; nil without any of them.
  package let maximumAgeSeconds: Int64?

  /// Creates an answer.
  package init(body: [UInt8], maximumAgeSeconds: Int64?) {
    self.body = body
    self.maximumAgeSeconds = maximumAgeSeconds
  }
}

package typealias KeyFetchResult = Result<KeySetResponse, KeyFetchError>
