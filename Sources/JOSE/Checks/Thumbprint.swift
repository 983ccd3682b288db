/// A SHA-256 in base64url: the thumbprint of a key or a certificate in `cnf`.
package struct Thumbprint: Equatable, Sendable {
  /// 43 characters of base64url's alphabet.
  package let text: [UInt8]

  /// 32 bytes in base64url without padding.
  static let characters = 43

  /// `nil` unless the text has exactly 43 characters of the alphabet. The unused bits of the last one may be set;
  /// such a text equals no digest.
  package init?(_ text: [UInt8]) {
    guard text.count == Self.characters, Base64URL.end(in: text, from: 0) == text.count else { return nil }
    self.text = text
  }

  /// `nil` unless the digest has 32 bytes.
  init?(digest: [UInt8]) {
    guard digest.count == DigestAlgorithm.sha256.bytes else { return nil }
    text = Base64URL.encode(digest)
  }

  /// Whether both are equal, compared in constant time.
  package func matches(_ other: Thumbprint) -> Bool { Libcrypto.areEqualInConstantTime(text, other.text) }
}
