internal import Foundation

/// Base64 (RFC 4648 section 4) for binary bodies.
package enum Base64Text {
  package static func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  package static func decoded(_ text: String) -> [UInt8]? { decoded(Array(text.utf8)) }

  package static func decoded(_ text: [UInt8]) -> [UInt8]? {
    Data(base64Encoded: Data(text)).map { Array($0) }
  }
}
