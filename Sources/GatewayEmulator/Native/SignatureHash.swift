internal import Text
internal import Bytes
internal import JOSE
internal import TestTokens

/// SHA-256 and HMAC-SHA-256, the only hash functions of Signature Version 4.
package enum SignatureHash {
  /// The SHA-256 of a text; empty only if libcrypto fails.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] { TokenVerifier(profiles: []).digest(bytes[...]) }

  package static func hexadecimalDigest(_ bytes: [UInt8]) -> String {
    String(decoding: digest(bytes).hexadecimal, as: UTF8.self)
  }

  static func base64Digest(_ bytes: [UInt8]) -> String { Base64Text.encoded(digest(bytes)) }

  /// The HMAC of a text; `nil` only if libcrypto fails.
  static func authenticationCode(_ text: String, key: [UInt8]) -> [UInt8]? {
    let code = try? SigningKey(secret: key, algorithm: .hs256, id: "").signature(over: Array(text.utf8))
    return code?.isEmpty == false ? code : nil
  }
}
