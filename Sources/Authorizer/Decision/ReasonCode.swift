package import JOSE

/// The closed list of reasons. Each has an outcome and states whether time or new keys could change it.
///
/// Codes are logged, counted and tested, and never shown to the caller. Codes may be added but are never renamed.
package enum ReasonCode: String, CaseIterable, Sendable {
  case malformedToken, encryptedToken, algorithmNotAllowed, wrongIssuer, wrongAudience, expired
  case lifetimeTooLong, tooOld, missingClaim, malformedClaim, wrongType, ambiguousToken
  case missingToken, unknownKey, signatureMismatch, notYetValid, issuedInFuture, boundToken, revoked
  case missingProof, invalidProof, replayedProof, certificateMismatch
  case insufficientScope, claimNotAllowed, authenticationTooOld, claimNotRoutable, noRule
  case mcpHeaders, toolNotAllowed
  case keysUnavailable, storeUnavailable, invalidEvent, invalidConfiguration, answerTooLarge

  /// The outcome of a decision with this reason.
  package var outcome: Outcome {
    switch self {
    case .malformedToken, .encryptedToken, .algorithmNotAllowed, .wrongIssuer, .wrongAudience, .expired,
      .lifetimeTooLong, .tooOld, .missingClaim, .malformedClaim, .wrongType, .ambiguousToken, .missingToken,
      .unknownKey, .signatureMismatch, .notYetValid, .issuedInFuture, .boundToken, .revoked,
      .missingProof, .invalidProof, .replayedProof, .certificateMismatch:
      .unauthorized
    case .insufficientScope, .claimNotAllowed, .authenticationTooOld, .claimNotRoutable, .noRule, .mcpHeaders,
      .toolNotAllowed:
      .forbidden
    case .keysUnavailable, .storeUnavailable, .invalidEvent, .invalidConfiguration, .answerTooLarge: .failure
    }
  }

  /// Whether neither time nor new keys can make the same token acceptable. Only such a refusal may be cached.
  package var isFinal: Bool {
    switch self {
    case .malformedToken, .encryptedToken, .algorithmNotAllowed, .wrongIssuer, .wrongAudience, .expired,
      .lifetimeTooLong, .tooOld, .missingClaim, .malformedClaim, .wrongType, .ambiguousToken:
      true
    default: false
    }
  }

  /// The reason code of a rejected token, which has the same name; a test compares all of them.
  ///
  /// Found without `init(rawValue:)`, whose table of texts would make the program larger.
  package init(_ code: TokenRejection.Code) {
    self = Self.allCases.first { $0.rawValue.utf8.elementsEqual(code.rawValue.utf8) } ?? .signatureMismatch
  }
}

/// The outcomes of a decision. A failure is not a verdict on the caller.
package enum Outcome: String, CaseIterable, Sendable {
  /// The token is accepted and may reach the requested route.
  case allowed
  /// The token is accepted but may not reach the requested route.
  case forbidden
  /// The token is missing, malformed or rejected.
  case unauthorized
  /// No verdict is possible: no keys, no store, an invalid configuration, or not an authorizer event.
  case failure
}

extension ReasonCode {
  init(_ flaw: CredentialFlaw) {
    switch flaw {
    case .missing: self = .missingToken
    case .ambiguous: self = .ambiguousToken
    case .malformed: self = .malformedToken
    }
  }
}
