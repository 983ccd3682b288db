internal import Foundation

/// Base64 of RFC 4648 section 4, for bodies that are no text.
enum Base64Text {
  static func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// `nil` for what is none.
  static func decoded(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }
}
