/// Why a token is not good: a fact about the token, never about us.
///
/// Each case carries what was found, for `explain` and for tests; logs and metrics take `code` alone.
public enum TokenRejection: Error, Equatable, Sendable {
  /// Not a compact JWS of the strict form.
  case malformedToken(TokenFlaw)
  /// A JWE, or a JWS that says it is encrypted or compressed.
  case encryptedToken
  /// The header's algorithm is unknown or not one the issuer signs with.
  case algorithmNotAllowed(found: String)
  /// No configured issuer has this `iss`.
  case wrongIssuer(found: String)
  /// No configured audience is among the token's.
  case wrongAudience(found: [String])
  /// `exp` has passed, leeway included. Times are Unix seconds.
  case expired(at: Int64, now: Int64)
  /// `exp` − `iat` is longer than the issuer's limit, leeway included.
  case lifetimeTooLong(seconds: Int64, limit: Int64)
  /// `iat` lies further back than the issuer's limit.
  case tooOld(seconds: Int64, limit: Int64)
  /// A registered claim that the verifier itself needs is absent.
  case missingClaim(String)
  /// A claim is present with a type or value its definition does not allow.
  case malformedClaim(String)
  /// `typ`, or a claim that tells kinds of token apart, is of another kind.
  case wrongType(found: String)
  /// `cnf` binds the token to these, and the issuer's configuration accepts no proof.
  case boundToken(to: [TokenBinding])
  /// No usable key of the issuer has this `kid` (and fits the algorithm).
  case unknownKey
  /// The signature was not made by the key over these bytes.
  case signatureMismatch
  /// `nbf` lies ahead, leeway included.
  case notYetValid(from: Int64, now: Int64)
  /// `iat` lies ahead, leeway included.
  case issuedInFuture(at: Int64, now: Int64)

  /// The reason code of the closed list.
  public var code: Code {
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

  /// The stable names under which rejections are logged, counted and tested.
  public enum Code: String, CaseIterable, Sendable {
    case malformedToken, encryptedToken, algorithmNotAllowed, wrongIssuer, wrongAudience, expired
    case lifetimeTooLong, tooOld, missingClaim, malformedClaim, wrongType, boundToken
    case unknownKey, signatureMismatch, notYetValid, issuedInFuture
  }
}

/// What is wrong with the form of a token.
public enum TokenFlaw: Equatable, Sendable {
  /// More bytes than a token may have.
  case tooLarge(bytes: Int, limit: Int)
  /// The scheme before it is none under which its issuer's tokens are accepted.
  case scheme
  /// A byte outside of base64url's alphabet and the dot (RFC 8725bis: "legal compact format").
  case illegalByte(offset: Int)
  /// Other than three segments.
  case segments(Int)
  /// A segment is not canonical base64url.
  case base64url(Segment)
  /// A segment is empty.
  case empty(Segment)
  /// A segment is not strict JSON; `code` and `offset` are the JSON reader's.
  case json(Segment, code: String, offset: Int)
  /// A segment is JSON but no object.
  case notAnObject(Segment)
  /// A header member is absent or of the wrong type or size.
  case headerMember(String)
  /// A header member asks for something this verifier does not do (`crit`, `b64`, nested `cty`).
  case unsupportedHeaderMember(String)

  /// The three parts of a compact JWS (RFC 7515 section 7.1).
  public enum Segment: String, Sendable { case header, payload, signature }
}
