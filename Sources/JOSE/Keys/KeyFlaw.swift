/// The reason why a key of a key set cannot be used. The other keys of the set remain usable.
package enum KeyFlaw: Error, Equatable, Sendable {
  case notAnObject
  /// A member that does not conform to its definition, and the reason.
  case malformedMember(String, MemberFlaw)
  /// `use` or `key_ops` does not allow signature verification.
  case notForSignatures(member: String)
  /// The private half of the key is in the set, in this member or in another one. Everyone who read the set can sign.
  case privateKeyPublished
  /// A symmetric key in a public document.
  case symmetric
  case unsupportedType, unsupportedCurve
  /// `alg` is unknown or does not fit the key's type and curve.
  case algorithmMismatch
  /// A modulus outside 2048 to 8192 bits.
  case rsaBits(Int)
  /// A public exponent that is even, too small or too large.
  case rsaExponent
  /// The modulus matches the fingerprint of the ROCA generator (CVE-2017-15361).
  case roca
  case notOnCurve
  /// An Ed25519 point of small order: its signatures prove nothing.
  case smallOrder
  /// Another key of the set has the same `kid` and the same algorithms, but different material.
  case duplicateKeyID
  case refusedByLibcrypto

  /// A stable name for logs, tools and tests.
  package var code: String { row.code }

  /// The member with the flaw; `nil` if the flaw is not in one member. For a published private key it is `d`, even if
  /// another key of the set contains that private part.
  package var member: String? { row.member }

  /// A description of the reason, without text from the key set.
  package var description: String { row.description }

  /// Whether the flaw is a mistake of the issuer. Keys for encryption and keys of other types are normal in a key set.
  package var isMistake: Bool { row.isMistake }

  /// The table of all flaws. Tools, logs and messages have no other words for them.
  private var row: Row {
    switch self {
    case .notAnObject: Row("notAnObject", nil, "it is not a JSON object")
    case .malformedMember(let name, let flaw): Row("malformedMember", name, "\(name) \(flaw.description)")
    case .notForSignatures(let name):
      Row("notForSignatures", name, "\(name) does not allow the key to verify signatures", isMistake: false)
    case .privateKeyPublished:
      Row(
        "privateKeyPublished", "d",
        "its private key is in the set: everyone who can read the set can sign tokens")
    case .symmetric: Row("symmetric", "k", "a secret (kty oct) is not allowed in a key set")
    case .unsupportedType: Row("unsupportedType", "kty", "kty is not RSA, EC or OKP", isMistake: false)
    case .unsupportedCurve:
      Row("unsupportedCurve", "crv", "crv is not P-256, P-384, P-521 or Ed25519", isMistake: false)
    case .algorithmMismatch:
      Row(
        "algorithmMismatch", "alg", "alg is unknown, or does not fit the key's type and curve",
        isMistake: false)
    case .rsaBits(let bits): Row("rsaBits", "n", "n has \(bits) bits; 2048 to 8192 are accepted")
    case .rsaExponent:
      Row(
        "rsaExponent", "e",
        "e is even, too small or too large; odd numbers from the minimum (65537 by default) to 2^32 are"
          + " accepted")
    case .roca: Row("roca", "n", "n matches the fingerprint of the ROCA generator (CVE-2017-15361)")
    case .notOnCurve: Row("notOnCurve", "x", "x and y are not a point on the curve")
    case .smallOrder:
      Row("smallOrder", "x", "x is a point of small order, whose signatures prove nothing")
    case .duplicateKeyID:
      Row("duplicateKeyID", "kid", "another key of the set has the same kid and algorithm")
    case .refusedByLibcrypto: Row("refusedByLibcrypto", nil, "libcrypto refuses it")
    }
  }

  private struct Row {
    let code: String
    let member: String?
    let description: String
    let isMistake: Bool

    init(_ code: String, _ member: String?, _ description: String, isMistake: Bool = true) {
      self.code = code
      self.member = member
      self.description = description
      self.isMistake = isMistake
    }
  }
}

/// A flaw of one member of a key.
package enum MemberFlaw: Equatable, Sendable {
  case missing
  case notText
  case notAList
  case empty
  /// The member has more bytes than the limit.
  case tooLong(limit: Int)
  /// Neither base64url nor base64: another character, white space, mixed alphabets, a wrong length or padding.
  case notBase64
  case zero
  /// An even RSA modulus; a valid one is the product of two odd primes.
  case even
  /// The number of bytes, and the number that the curve requires.
  case length(Int, expected: Int)
  /// A non-canonical encoding of a point (RFC 8032 section 5.1.3).
  case notCanonical

  /// The description that follows the member's name in a message.
  package var description: String {
    switch self {
    case .missing: "is missing"
    case .notText: "is not a string"
    case .notAList: "is not an array"
    case .empty: "is empty"
    case .tooLong(let limit): "has more than \(limit) bytes"
    case .notBase64: "is not base64url"
    case .zero: "is zero"
    case .even: "is an even number"
    case .length(let count, let expected): "has \(count) bytes instead of \(expected)"
    case .notCanonical: "is not the canonical encoding of a point"
    }
  }
}

/// A deviation from RFC 7518 in the encoding of a key's number. The key is unambiguous, so it is used: CILogon, Cloud
/// Foundry UAA, IBM App ID, OpenAM and Oracle Access Manager publish such keys.
package struct EncodingDeviation: Equatable, Sendable {
  package let member: String
  /// The deviation from the RFC.
  package let kind: Kind

  /// An encoding that is accepted in key sets, but never in tokens.
  package enum Kind: String, Sendable {
    /// Zero octets before the number (RFC 7518 section 2, Base64urlUInt: the minimum number of octets).
    case leadingZero
    /// `=` at the end (RFC 7515 section 2: all trailing `=` characters are omitted).
    case padding
    /// `+` and `/` instead of `-` and `_` (RFC 4648 section 4 instead of section 5).
    case standardAlphabet
  }

  /// A description of the deviation, without text from the key set.
  package var description: String {
    switch kind {
    case .leadingZero: "\(member) begins with a zero octet"
    case .padding: "\(member) is padded with ="
    case .standardAlphabet: "\(member) is base64, not base64url"
    }
  }
}
