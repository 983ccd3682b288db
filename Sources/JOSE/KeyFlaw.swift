/// Why a key of a key set cannot be used. One bad key never spoils the others.
public enum KeyFlaw: Error, Equatable, Sendable {
  case notAnObject
  /// A member that does not hold what its definition asks for, and why.
  case malformedMember(String, MemberFlaw)
  /// `use` or `key_ops` says the key is for something else.
  case notForSignatures(member: String)
  /// The private half of the key stands in the set, in this member or in another one: whoever read it can sign.
  case privateKeyPublished
  /// A secret in a public document.
  case symmetric
  case unsupportedType, unsupportedCurve
  /// `alg` is unknown or does not fit the key's type and curve.
  case algorithmMismatch
  /// A modulus outside of 2048 to 8192 bits.
  case rsaBits(Int)
  /// An even, tiny or huge public exponent.
  case rsaExponent
  /// The modulus carries the fingerprint of the ROCA generator (CVE-2017-15361).
  case roca
  case notOnCurve
  /// An Ed25519 point of small order: signatures under it prove nothing.
  case smallOrder
  /// Another key of the set has the same `kid` and the same algorithms, and other material.
  case duplicateKeyID
  case refusedByLibcrypto

  /// A stable name for logs, tools and tests.
  public var code: String {
    switch self {
    case .notAnObject: "notAnObject"
    case .malformedMember: "malformedMember"
    case .notForSignatures: "notForSignatures"
    case .privateKeyPublished: "privateKeyPublished"
    case .symmetric: "symmetric"
    case .unsupportedType: "unsupportedType"
    case .unsupportedCurve: "unsupportedCurve"
    case .algorithmMismatch: "algorithmMismatch"
    case .rsaBits: "rsaBits"
    case .rsaExponent: "rsaExponent"
    case .roca: "roca"
    case .notOnCurve: "notOnCurve"
    case .smallOrder: "smallOrder"
    case .duplicateKeyID: "duplicateKeyID"
    case .refusedByLibcrypto: "refusedByLibcrypto"
    }
  }

  /// The member that the flaw is in; `nil` where it is in none.
  public var member: String? {
    switch self {
    case .notAnObject, .refusedByLibcrypto: nil
    case .malformedMember(let name, _), .notForSignatures(let name): name
    case .privateKeyPublished: "d"
    case .symmetric: "k"
    case .unsupportedType: "kty"
    case .unsupportedCurve: "crv"
    case .algorithmMismatch: "alg"
    case .rsaBits, .roca: "n"
    case .rsaExponent: "e"
    case .notOnCurve, .smallOrder: "x"
    case .duplicateKeyID: "kid"
    }
  }

  /// The reason in words, without the issuer's text.
  public var description: String {
    switch self {
    case .notAnObject: "it is not a JSON object"
    case .malformedMember(let name, let flaw): "\(name) \(flaw.description)"
    case .notForSignatures(let name): "\(name) says that the key is not for verifying signatures"
    case .privateKeyPublished: "its private half stands in the set: whoever has read it can sign"
    case .symmetric: "a secret has no place in a key set"
    case .unsupportedType: "kty is not RSA, EC or OKP"
    case .unsupportedCurve: "crv is not P-256, P-384, P-521 or Ed25519"
    case .algorithmMismatch: "alg is unknown, or does not fit the key's type and curve"
    case .rsaBits(let bits): "n has \(bits) bits; 2048 to 8192 are accepted"
    case .rsaExponent: "e is even, too small or too large; odd numbers from 65537 to 2^32 are accepted"
    case .roca: "n carries the fingerprint of the ROCA generator (CVE-2017-15361)"
    case .notOnCurve: "x and y are not a point of the curve"
    case .smallOrder: "x is a point of small order, under which signatures prove nothing"
    case .duplicateKeyID: "kid and algorithm are also those of another key of the set"
    case .refusedByLibcrypto: "libcrypto refuses it"
    }
  }

  /// Whether the flaw tells of a mistake. Keys for encryption and of other types belong in a set and are nothing to speak of.
  public var isMistake: Bool {
    switch self {
    case .notForSignatures, .unsupportedType, .unsupportedCurve, .algorithmMismatch: false
    default: true
    }
  }
}

/// What is wrong with one member of a key.
public enum MemberFlaw: Equatable, Sendable {
  case missing
  case notText
  case notAList
  case empty
  /// More bytes than this.
  case tooLong(limit: Int)
  /// Neither base64url nor base64: another character, white space, mixed alphabets, a wrong length or padding.
  case notBase64
  case zero
  /// A modulus is the product of two odd primes.
  case even
  /// So many bytes, where the curve asks for others.
  case length(Int, expected: Int)
  /// A second spelling of a point (RFC 8032 section 5.1.3).
  case notCanonical

  /// What follows the member's name.
  public var description: String {
    switch self {
    case .missing: "is missing"
    case .notText: "is not a string"
    case .notAList: "is not an array"
    case .empty: "is empty"
    case .tooLong(let limit): "has more than \(limit) bytes"
    case .notBase64: "is not base64url"
    case .zero: "is zero"
    case .even: "is an even number"
    case .length(let count, let expected): "has \(count) bytes in place of \(expected)"
    case .notCanonical: "is not the canonical encoding of a point"
    }
  }
}

/// How a number of a key is written against RFC 7518. It is the same key all the same, so the key is used: CILogon, Cloud
/// Foundry UAA, IBM App ID, OpenAM and Oracle Access Manager write theirs so.
public struct KeySpelling: Equatable, Sendable {
  /// The member.
  public let member: String
  /// What is unusual about it.
  public let deviation: Deviation

  /// A spelling that is accepted in key sets, and never in tokens.
  public enum Deviation: String, Sendable {
    /// Zero octets before the number (RFC 7518 section 2, Base64urlUInt: the minimum number of octets).
    case leadingZero
    /// `=` at the end (RFC 7515 section 2: all trailing `=` characters omitted).
    case padding
    /// `+` and `/` in place of `-` and `_` (RFC 4648 section 4 in place of 5).
    case standardAlphabet
  }

  /// What is unusual, in words, without the issuer's text.
  public var description: String {
    switch deviation {
    case .leadingZero: "\(member) begins with a zero octet"
    case .padding: "\(member) is padded with ="
    case .standardAlphabet: "\(member) is base64, not base64url"
    }
  }
}
