/// HMAC with SHA-256 (RFC 2104, RFC 6234) under one secret: proves that a text of ours comes back unchanged.
public struct MessageAuthentication: Sendable {
  private let secret: SharedSecret

  /// Bytes of a tag.
  public static let tagBytes = 32

  /// Authentication under this secret.
  public init(secret: SharedSecret) { self.secret = secret }

  /// The tag of a message; `nil` where libcrypto fails.
  public func tag(over message: ArraySlice<UInt8>) -> [UInt8]? { Self.tag(over: message, key: secret.bytes) }

  /// Whether this is the message's tag, in a time that does not depend on where it differs.
  public func isTag(_ tag: [UInt8], over message: ArraySlice<UInt8>) -> Bool {
    guard let expected = self.tag(over: message) else { return false }
    return Libcrypto.areEqualInConstantTime(tag, expected)
  }

  static func tag(over message: ArraySlice<UInt8>, key: [UInt8]) -> [UInt8]? {
    Libcrypto.hmac(.sha256, key: key, message: message)
  }
}
