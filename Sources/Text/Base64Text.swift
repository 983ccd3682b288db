internal import Bytes
internal import Foundation

/// Base64 (RFC 4648 section 4) and base64url (section 5).
package enum Base64Text {
  package static func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  package static func decoded(_ text: String) -> [UInt8]? { decoded(Array(text.utf8)) }

  package static func decoded(_ text: [UInt8]) -> [UInt8]? {
    Data(base64Encoded: Data(text)).map { Array($0) }
  }

  /// Encodes in base64url without padding.
  package static func encodedForURL(_ bytes: [UInt8]) -> [UInt8] {
    exchanged(Array(Data(bytes).base64EncodedData()), (.plus, .slash), (.hyphen, .underscore))
  }

  /// Decodes base64url with or without padding, or base64.
  package static func decodedForURL(_ part: some Sequence<UInt8>) -> [UInt8]? {
    let digits = exchanged(Array(part), (.hyphen, .underscore), (.plus, .slash))
    return decoded(digits + [UInt8](repeating: .equalsSign, count: (4 - digits.count % 4) % 4))
  }

  /// Returns the digits before the padding, with the last two of one alphabet in place of those of the other.
  private static func exchanged(
    _ text: [UInt8], _ old: (UInt8, UInt8), _ new: (UInt8, UInt8)
  ) -> [UInt8] {
    text.prefix { $0 != .equalsSign }.map { $0 == old.0 ? new.0 : $0 == old.1 ? new.1 : $0 }
  }
}
