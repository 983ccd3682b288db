public import JOSE

/// The closed list of reasons; each has its outcome and says whether time or new keys could change it.
///
/// Codes are logged, counted and tested, never shown to the caller. The list is extended, never renamed.
public enum ReasonCode: String, CaseIterable, Sendable {
  case malformedToken, encryptedToken, algorithmNotAllowed, wrongIssuer, wrongAudience, expired
  case lifetimeTooLong, tooOld, missingClaim, malformedClaim, wrongType, ambiguousToken
  case missingToken, unknownKey, signatureMismatch, notYetValid, issuedInFuture, boundToken, revoked
  case insufficientScope, claimNotAllowed, claimNotRoutable, noRule
  case keysUnavailable, storeUnavailable, invalidEvent, invalidConfiguration, answerTooLarge

  /// What a decision with this reason amounts to.
  public var outcome: Outcome {
    switch self {
    case .malformedToken, .encryptedToken, .algorithmNotAllowed, .wrongIssuer, .wrongAudience, .expired,
      .lifetimeTooLong, .tooOld, .missingClaim, .malformedClaim, .wrongType, .ambiguousToken, .missingToken,
      .unknownKey, .signatureMismatch, .notYetValid, .issuedInFuture, .boundToken, .revoked:
      .unauthorized
    case .insufficientScope, .claimNotAllowed, .claimNotRoutable, .noRule: .forbidden
    case .keysUnavailable, .storeUnavailable, .invalidEvent, .invalidConfiguration, .answerTooLarge: .failure
    }
  }

  /// Whether neither time nor new keys can make the same token good. Only such a refusal may ever be cached.
  public var isFinal: Bool {
    switch self {
    case .malformedToken, .encryptedToken, .algorithmNotAllowed, .wrongIssuer, .wrongAudience, .expired,
      .lifetimeTooLong, .tooOld, .missingClaim, .malformedClaim, .wrongType, .ambiguousToken:
      true
    default: false
    }
  }

  /// The code of a token's rejection.
  public init(_ code: TokenRejection.Code) {
    switch code {
    case .malformedToken: self = .malformedToken
    case .encryptedToken: self = .encryptedToken
    case .algorithmNotAllowed: self = .algorithmNotAllowed
    case .wrongIssuer: self = .wrongIssuer
    case .wrongAudience: self = .wrongAudience
    case .expired: self = .expired
    case .lifetimeTooLong: self = .lifetimeTooLong
    case .tooOld: self = .tooOld
    case .missingClaim: self = .missingClaim
    case .malformedClaim: self = .malformedClaim
    case .wrongType: self = .wrongType
    case .boundToken: self = .boundToken
    case .unknownKey: self = .unknownKey
    case .signatureMismatch: self = .signatureMismatch
    case .notYetValid: self = .notYetValid
    case .issuedInFuture: self = .issuedInFuture
    }
  }
}

/// The outcomes of a decision; a failure is no verdict about the caller.
public enum Outcome: String, CaseIterable, Sendable {
  /// The token is good and may reach what was asked.
  case allowed
  /// The token is good and may not.
  case forbidden
  /// No token, or one that is bad in any way.
  case unauthorized
  /// We cannot know: no keys, no store, no sound configuration, no authorizer event.
  case failure
}
