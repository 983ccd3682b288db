import Bytes
package import JSON

/// The expected `nonce` of an Apple identity token (Apple, "Verifying a user").
///
/// The claim contains exactly the string that the client passed to Apple. By convention native clients pass the
/// SHA-256 of a random text in lower-case hexadecimal and send the text itself to the backend; web clients often pass
/// the text. This is for the backend that exchanges a token at sign-in: an authorizer does not know the nonce.
package enum NonceExpectation: Equatable, Sendable {
  /// The claim equals this text.
  case exact([UInt8])
  /// The claim equals the SHA-256 of this text in lower-case hexadecimal.
  case sha256Hexadecimal(of: [UInt8])
  /// The request had no nonce, so the token must not have one either.
  case absent
}

/// The reason why a nonce was rejected.
package enum NonceFlaw: Error, Equatable, Sendable {
  /// A nonce was sent and the token has none. `isSupported` is the claim `nonce_supported`: false means that the
  /// platform does not support nonces. The token is rejected in both cases.
  case missing(isSupported: Bool)
  /// The token has a nonce and the request had none.
  case unexpected
  /// The claim is not a string, or `nonce_supported` is not a boolean.
  case malformed
  /// The token has another nonce.
  case mismatch

  /// A stable name for logs and tests.
  package var code: String {
    switch self {
    case .missing: "missing"
    case .unexpected: "unexpected"
    case .malformed: "malformed"
    case .mismatch: "mismatch"
    }
  }
}

extension VerifiedToken {
  /// Compares the token's `nonce` with the expected one in constant time.
  ///
  /// - Throws: `NonceFlaw`.
  package func checkNonce(_ expectation: NonceExpectation) throws(NonceFlaw) {
    let claim = claims["nonce"]
    let expected: [UInt8]
    switch expectation {
    case .absent:
      guard claim == nil else { throw .unexpected }
      return
    case .exact(let text): expected = text
    case .sha256Hexadecimal(let text):
      guard let digest = Digester()?.digest(.sha256, of: text[...]) else { throw .mismatch }
      expected = digest.hexadecimal
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
  /// The boolean, also if it is written as a string: Apple documents `email_verified` and `is_private_email` as
  /// "String or Boolean".
  package var flexibleBoolean: Bool? {
    if let boolean { return boolean }
    if equals("true") { return true }
    return equals("false") ? false : nil
  }
}
