internal import Text

/// Base64url without padding (RFC 7515 section 2, RFC 4648 section 5), canonical in both directions.
enum Base64URL {
  static func encode(_ bytes: [UInt8]) -> [UInt8] { Base64Text.encodedForURL(bytes) }

  static func text(_ bytes: [UInt8]) -> String { String(decoding: encode(bytes), as: UTF8.self) }

  /// The bytes; `nil` if the text has an invalid character, an impossible length or unused bits that are set.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    Base64Text.decodedForURL(text).flatMap { encode($0) == text ? $0 : nil }
  }
}
