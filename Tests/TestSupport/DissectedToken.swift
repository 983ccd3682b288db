import Foundation
package import JSON

/// A token split into its parts without validation. Foundation decodes them, and not the code under test.
package struct DissectedToken {
  package let segments: [String]

  package init(_ text: some StringProtocol) {
    segments = String(text).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  package var headerText: String { String(decoding: base64URLDecoded(segments[0]), as: UTF8.self) }
  package var payloadText: String { String(decoding: base64URLDecoded(segments[1]), as: UTF8.self) }
  package var signature: [UInt8] { base64URLDecoded(segments[2]) }
  package var signingInput: [UInt8] { Array("\(segments[0]).\(segments[1])".utf8) }

  package func header() throws -> JSONTree { try JSONTree(parsing: Array(headerText.utf8)) }
  package func payload() throws -> JSONTree { try JSONTree(parsing: Array(payloadText.utf8)) }
}

/// Decodes base64url with Foundation, after conversion to its alphabet and padding.
package func base64URLDecoded(_ text: String) -> [UInt8] {
  let standard = text.replacing("-", with: "+").replacing("_", with: "/")
  let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  return Data(base64Encoded: standard + padding).map { Array($0) } ?? []
}

package func base64URLEncoded(_ bytes: [UInt8]) -> String {
  Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
    "=", with: "")
}
