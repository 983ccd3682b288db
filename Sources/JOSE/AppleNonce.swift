public import JSON

/// What the `nonce` of an Apple identity token must be (Apple, "Verifying a user").
///
/// The claim carries exactly the string that the client passed to Apple. By convention native clients pass the SHA-256 of
/// a random text in lower-case hexadecimal and give the text itself to the backend; web clients often pass the text.
/// An authorizer sees no request of its own to compare with, so this is for the exchange of a token at sign-in.
public enum NonceExpectation: Equatable, Sendable {
  /// The claim is this text.
  case exact([UInt8])
  /// The claim is the SHA-256 of this text in lower-case hexadecimal.
  case sha256Hexadecimal(of: [UInt8])
  /// The request brought no nonce, so the token must not have one: both or neither.
  case absent
}

/// Why a nonce is not the one that is expected.
public enum NonceFlaw: Error, Equatable, Sendable {
  /// A nonce was sent and the token has none. `isSupported` is `nonce_supported`: where it is false, the platform could
  /// not carry one, and the answer is still no.
  case missing(isSupported: Bool)
  /// The token has a nonce and the request brought none.
  case unexpected
  /// The claim is no string, or `nonce_supported` no boolean.
  case malformed
  /// Another nonce.
  case mismatch

  /// A stable name for logs and tests.
  public var code: String {
    switch self {
    case .missing: "missing"
    case .unexpected: "unexpected"
    case .malformed: "malformed"
    case .mismatch: "mismatch"
    }
  }
}

extension VerifiedToken {
  /// Compares the token's `nonce` with what the request brought, in a time that does not depend on where they differ.
  ///
  /// - Throws: `NonceFlaw`.
  public func checkNonce(_ expectation: NonceExpectation) throws(NonceFlaw) {
    let claim = claims["nonce"]
    let expected: [UInt8]
    switch expectation {
    case .absent:
      guard claim == nil else { throw .unexpected }
      return
    case .exact(let text): expected = text
    case .sha256Hexadecimal(let text):
      guard let digest = Digester()?.digest(.sha256, of: text[...]) else { throw .mismatch }
      expected = Hexadecimal.encode(digest[...])
    }
    guard let claim else {
      let isSupported = try flexibleBoolean("nonce_supported") ?? false
      throw .missing(isSupported: isSupported)
    }
    guard let found = claim.utf8 else { throw .malformed }
    guard !expected.isEmpty, Libcrypto.areEqualInConstantTime(found, expected) else { throw .mismatch }
  }

  /// A boolean that Apple writes as `true` or as `"true"`.
  private func flexibleBoolean(_ name: String) throws(NonceFlaw) -> Bool? {
    guard let value = claims[name] else { return nil }
    guard let boolean = value.flexibleBoolean else { throw .malformed }
    return boolean
  }
}

extension JSONValue {
  /// A boolean, or its text: Apple documents `email_verified` and `is_private_email` as "String or Boolean".
  public var flexibleBoolean: Bool? {
    if let boolean { return boolean }
    if equals("true") { return true }
    return equals("false") ? false : nil
  }
}

/// Lower-case hexadecimal digits.
enum Hexadecimal {
  static func encode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
  }
}
