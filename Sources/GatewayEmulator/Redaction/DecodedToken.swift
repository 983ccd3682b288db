internal import Text
internal import Bytes
package import JSON
internal import TestTokens

/// The header and the claims of a token, which anyone who has the token can read. Nothing in them is verified.
package struct DecodedToken {
  package let header: JSONTree
  package let claims: JSONTree
  package let text: String

  /// The longest token that is decoded, in bytes: more than a request has for all its headers.
  private static let maximumBytes = 16 << 10

  /// Returns `nil` for any text but a JWT with JSON objects as header and claims.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes else { return nil }
    let parts = text.utf8.split(separator: .dot, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]) else {
      return nil
    }
    (self.header, self.claims, self.text) = (header, claims, text)
  }

  private static func object(_ part: Substring.UTF8View.SubSequence) -> JSONTree? {
    guard let bytes = Base64Text.decodedForURL(part), let tree = try? JSONTree(parsing: bytes),
      case .object = tree
    else { return nil }
    return tree
  }

  /// The subject; `nil` if it is absent or not a string.
  package var subject: String? { if case .string(let text)? = claims["sub"] { text } else { nil } }

  /// A claim with a time, in seconds since 1970.
  package func seconds(_ name: String) -> Int64? {
    guard case .number(let text)? = claims[name] else { return nil }
    return Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.down)) }
  }
}
