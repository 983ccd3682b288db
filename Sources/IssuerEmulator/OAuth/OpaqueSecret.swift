internal import Bytes
internal import JOSE

/// A random text that a client or a browser presents later. The server stores only its hash.
struct OpaqueSecret: Sendable {
  let text: String

  init(from random: inout some RandomNumberGenerator) {
    let bytes = (0..<OAuthLimits.secretBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
    text = String(decoding: bytes.hexadecimal, as: UTF8.self)
  }

  var hash: SecretHash { SecretHash(of: text) }
}

/// The SHA-256 of a secret. A comparison of hashes reveals nothing about the secret by its time.
struct SecretHash: Hashable, Sendable {
  private let digest: [UInt8]

  init(of text: String) { digest = SHA256Digest.of(Array(text.utf8)) }
}

enum SHA256Digest {
  /// The digest of a text. Ends the program if libcrypto has none: with an empty one, all secrets would be equal.
  static func of(_ bytes: [UInt8]) -> [UInt8] {
    let digest = TokenVerifier(profiles: []).digest(bytes[...])
    precondition(digest.count == 32, "libcrypto has no SHA-256")
    return digest
  }
}
