import Bytes
import JOSE

/// What a withdrawal ends: the tokens of one issuer with one value of one claim.
package struct WithdrawalKey: Hashable, Sendable {
  /// The first `issuer` of the authorizer's entry of the issuer, whichever spelling a token has.
  package let issuer: [UInt8]
  /// Which claim.
  package let kind: Kind
  /// The value of the claim in UTF-8.
  package let value: [UInt8]

  /// Which claim of a token is compared.
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// `sub`: all tokens of a user that were issued until then.
    case subject
    /// `sid`: all tokens of a session (OpenID Connect Front-Channel Logout 1.0 section 3).
    case session
    /// `jti`: one token (RFC 7519 section 4.1.7).
    case token
    /// `origin_jti`: all tokens that come from one login by refreshing (Amazon Cognito).
    case lineage

    /// The claim's name, which is also the kind's name in items, files and configurations.
    package var claim: String {
      switch self {
      case .subject: "sub"
      case .session: "sid"
      case .token: "jti"
      case .lineage: "origin_jti"
      }
    }

    /// The kind with this name; `nil` if there is none.
    package init?(claim: [UInt8]) {
      guard let kind = Self.allCases.first(where: { claim.elementsEqual($0.claim.utf8) }) else { return nil }
      self = kind
    }
  }

  /// Creates a key. `issuer` and `value` must be valid UTF-8, as `JSONValue.utf8` and `String.utf8` always are.
  package init(issuer: [UInt8], kind: Kind, value: [UInt8]) {
    self.issuer = issuer
    self.kind = kind
    self.value = value
  }

  /// The `pk` of the key's item: `revocation#2#` and the SHA-256, in small hexadecimal digits, over issuer, kind and
  /// value, each after its length in four bytes, big-endian; `nil` if libcrypto fails.
  package var itemKey: [UInt8]? {
    Fingerprint.sha256(of: [issuer, Array(kind.claim.utf8), value])
      .map { Self.itemPrefix + Array("2#".utf8) + $0.hexadecimal }
  }

  /// The `pk` of a subject's item of the first form, which the authorizer reads where `"issuers"` is a list, and for
  /// users of Sign in with Apple always; `nil` for a subject that begins with `2#`, as the second form's keys do.
  package static func firstItemKey(of subject: [UInt8]) -> [UInt8]? {
    subject.starts(with: "2#".utf8) ? nil : itemPrefix + subject
  }

  /// The beginning of the `pk` of items of both forms; in the first one, the subject follows.
  package static var itemPrefix: [UInt8] { Array("revocation#".utf8) }
}
