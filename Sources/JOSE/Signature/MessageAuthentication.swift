/// HMAC with SHA-256 (RFC 2104, RFC 6234) and one secret. Detects changes of a text that this software has issued.
package struct MessageAuthentication: Sendable {
  private let secret: SharedSecret

  /// The length of a tag in bytes.
  package static let tagBytes = 32

  /// Creates tags with this secret.
  package init(secret: SharedSecret) { self.secret = secret }

  /// The tag of a message; `nil` if libcrypto fails.
  package func tag(over message: ArraySlice<UInt8>) -> [UInt8]? { Self.tag(over: message, key: secret.bytes) }

  /// Whether this is the message's tag, compared in constant time.
  package func isTag(_ tag: [UInt8], over message: ArraySlice<UInt8>) -> Bool {
    guard let expected = self.tag(over: message) else { return false }
    return Libcrypto.areEqualInConstantTime(tag, expected)
  }

  static func tag(over message: ArraySlice<UInt8>, key: [UInt8]) -> [UInt8]? {
    Libcrypto.hmac(.sha256, key: key, message: message)
  }
}
