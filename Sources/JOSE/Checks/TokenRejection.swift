package import JSON

/// The reason why a token is rejected. It is always a property of the token, never an internal error.
///
/// Associated values contain the found value for `explain` and for tests; logs and metrics use only `code`.
package enum TokenRejection: Error, Equatable, Sendable {
  /// Not a valid compact JWS.
  case malformedToken(TokenFlaw)
  /// A JWE, or a JWS whose header requires encryption or compression.
  case encryptedToken
  /// The header's algorithm is unknown, or the issuer does not use it.
  case algorithmNotAllowed(found: String)
  /// No configured issuer has this `iss`.
  case wrongIssuer(found: String)
  /// The token's audience contains no configured audience.
  case wrongAudience(found: [String])
  /// `exp` has passed, leeway included. Times are Unix seconds.
  case expired(at: Int64, now: Int64)
  /// `exp` − `iat` is longer than the issuer's limit, leeway included.
  case lifetimeTooLong(seconds: Int64, limit: Int64)
  /// The token is older (since `iat`) than the issuer's limit.
  case tooOld(seconds: Int64, limit: Int64)
  /// A claim that the verifier requires is absent.
  case missingClaim(String)
  /// A claim has a type or value that its definition does not allow.
  case malformedClaim(String)
  /// `typ`, or a claim that distinguishes kinds of token, belongs to another kind.
  case wrongType(found: String)
  /// `cnf` has bindings that the issuer's configuration does not check.
  case boundToken(to: [TokenBinding])
  /// No usable key of the issuer has this `kid` and fits the algorithm.
  case unknownKey
  /// The key did not make this signature of these bytes.
  case signatureMismatch
  /// `nbf` is in the future, leeway included.
  case notYetValid(from: Int64, now: Int64)
  /// `iat` is in the future, leeway included.
  case issuedInFuture(at: Int64, now: Int64)

  /// The reason code.
  package var code: Code {
    switch self {
    case .malformedToken: .malformedToken
    case .encryptedToken: .encryptedToken
    case .algorithmNotAllowed: .algorithmNotAllowed
    case .wrongIssuer: .wrongIssuer
    case .wrongAudience: .wrongAudience
    case .expired: .expired
    case .lifetimeTooLong: .lifetimeTooLong
    case .tooOld: .tooOld
    case .missingClaim: .missingClaim
    case .malformedClaim: .malformedClaim
    case .wrongType: .wrongType
    case .boundToken: .boundToken
    case .unknownKey: .unknownKey
    case .signatureMismatch: .signatureMismatch
    case .notYetValid: .notYetValid
    case .issuedInFuture: .issuedInFuture
    }
  }

  /// The stable reason codes for logs, metrics and tests.
  package enum Code: String, CaseIterable, Sendable {
    case malformedToken, encryptedToken, algorithmNotAllowed, wrongIssuer, wrongAudience, expired
    case lifetimeTooLong, tooOld, missingClaim, malformedClaim, wrongType, boundToken
    case unknownKey, signatureMismatch, notYetValid, issuedInFuture
  }
}

/// A flaw in the form of a token.
package enum TokenFlaw: Equatable, Sendable {
  /// More bytes than the limit.
  case tooLarge(bytes: Int, limit: Int)
  /// The issuer's tokens are not accepted with the scheme before the token.
  case scheme
  /// A byte that is neither in base64url's alphabet nor a dot (RFC 8725bis: "legal compact format").
  case illegalByte(offset: Int)
  /// The number of segments is not three.
  case segments(Int)
  /// A segment is not canonical base64url.
  case base64url(Segment)
  case empty(Segment)
  /// A segment is not strict JSON.
  case json(Segment, JSONError)
  /// A segment is JSON, but not an object.
  case notAnObject(Segment)
  /// A header member is absent or of the wrong type or size.
  case headerMember(String)
  /// A header member requires an unsupported feature (`crit`, `b64`, nested `cty`).
  case unsupportedHeaderMember(String)

  /// The three parts of a compact JWS (RFC 7515 section 7.1).
  package enum Segment: String, Sendable { case header, payload, signature }
}
