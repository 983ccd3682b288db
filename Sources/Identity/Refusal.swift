package import JOSE
package import JSON
package import UserStore

/// Why a request was not carried out. The caller gets a status, a code and a message; the log gets the reason.
package enum Refusal: Error, Equatable, Sendable {
  /// No route has this path.
  case unknownPath
  /// A path with a percent sign that begins no encoded byte (RFC 3986 section 2.1).
  case malformedPath
  /// The route allows other methods, as `Allow` lists.
  case methodNotAllowed(allowed: String)
  /// Not the route's type, such as `application/json` in UTF-8.
  case unsupportedMediaType
  /// The body exceeds the size limit.
  case bodyTooLarge
  /// Not the JSON object that the route expects.
  case malformedBody(BodyFlaw)
  /// The token was rejected.
  case token(TokenRejection.Code)
  /// A signal was rejected although its sender signed it. The sender does not repeat it, so an operator must act.
  case signal(TokenRejection.Code)
  /// The user withdrew consent after the token was issued.
  case revoked
  /// The nonce was rejected.
  case nonce(NonceRejection)
  /// No authorizer identified the caller.
  case noCaller
  /// The authorizer verified the caller's token against another issuer.
  case foreignIssuer
  /// The caller requests another user.
  case anotherUser
  /// The caller has never signed in.
  case userNotFound
  /// `Authorization` is not the receiver's.
  case wrongAuthorization
  /// The subject of an event is no user of its sender, or has an unknown form. The sender does not repeat it, so an
  /// operator must act.
  case subjectNotSupported
  /// The authorizer does not look up the key, or the token has none.
  case notWithdrawable
  /// The sender's keys are not available.
  case keysUnavailable
  /// A sender may have a newer key, which the limit on fetches did not allow to fetch.
  case keysNotRefreshed
  /// The store failed.
  case store(StoreError)
  /// The kernel has no random bytes, or libcrypto fails.
  case cryptographyUnavailable

  /// The error that the caller gets.
  var publicError: PublicError {
    switch self {
    case .unknownPath: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .unsupportedMediaType: .unsupportedMediaType
    case .bodyTooLarge: .payloadTooLarge
    case .malformedBody, .malformedPath, .wrongAuthorization, .subjectNotSupported: .invalidRequest
    case .notWithdrawable: .notWithdrawable
    case .token, .signal, .nonce, .revoked: .invalidCredential
    case .noCaller: .unauthorized
    case .foreignIssuer, .anotherUser: .forbidden
    case .userNotFound: .userNotFound
    case .keysUnavailable, .keysNotRefreshed, .store, .cryptographyUnavailable: .temporarilyUnavailable
    }
  }

  /// A stable name for the log; never shown to the caller.
  package var reason: String {
    switch self {
    case .unknownPath: "unknownPath"
    case .malformedPath: "malformedPath"
    case .methodNotAllowed: "methodNotAllowed"
    case .unsupportedMediaType: "unsupportedMediaType"
    case .bodyTooLarge: "bodyTooLarge"
    case .malformedBody(let flaw): flaw.code
    case .token(let code), .signal(let code): code.rawValue
    case .nonce(let rejection): rejection.code
    case .revoked: "revoked"
    case .noCaller: "noCaller"
    case .foreignIssuer: "foreignIssuer"
    case .anotherUser: "anotherUser"
    case .userNotFound: "userNotFound"
    case .wrongAuthorization: "wrongAuthorization"
    case .subjectNotSupported: "subjectNotSupported"
    case .notWithdrawable: "notWithdrawable"
    case .keysUnavailable: "keysUnavailable"
    case .keysNotRefreshed: "keysNotRefreshed"
    case .store(let error): error.code
    case .cryptographyUnavailable: "cryptographyUnavailable"
    }
  }
}

/// What is wrong with a body.
package enum BodyFlaw: Equatable, Sendable {
  /// The event declares base64, but the body is not.
  case base64
  /// Not strict JSON, or over its limits.
  case notJSON(JSONError)
  /// JSON, but not an object.
  case notAnObject
  /// A required member is missing.
  case missingMember
  /// A member is of the wrong kind, too long, or holds control characters.
  case malformedMember
  case unknownMember

  var code: String {
    switch self {
    case .base64: "bodyNotBase64"
    case .notJSON: "bodyNotJSON"
    case .notAnObject: "bodyNotAnObject"
    case .missingMember: "missingMember"
    case .malformedMember: "malformedMember"
    case .unknownMember: "unknownMember"
    }
  }
}

/// Why a nonce is rejected.
package enum NonceRejection: Error, Equatable, Sendable {
  /// The server issues nonces, and the request has none.
  case missing
  /// Not issued by this function: wrong form or authentication code.
  case forged
  case expired
  /// Its time of issue is in the future.
  case fromFuture
  /// The client created it, and the token was not issued within the last minute.
  case tokenTooOld
  /// The token's claim does not match the request.
  case claim(NonceFlaw)
  /// It was used before.
  case usedBefore

  var code: String {
    switch self {
    case .missing: "nonceMissing"
    case .forged: "nonceForged"
    case .expired: "nonceExpired"
    case .fromFuture: "nonceFromFuture"
    case .tokenTooOld: "nonceTokenTooOld"
    case .claim(let flaw): "nonceClaim." + flaw.code
    case .usedBefore: "nonceUsedBefore"
    }
  }
}
