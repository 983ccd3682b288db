public import JOSE
public import JSON
public import UserStore

/// Why a request is not done. The caller learns a status, a code and a sentence; the log gets the reason.
public enum Refusal: Error, Equatable, Sendable {
  /// No route of ours.
  case unknownPath
  /// A path with a percent sign that begins no encoded byte (RFC 3986 section 2.1).
  case malformedPath
  /// The route knows other methods: what `Allow` says.
  case methodNotAllowed(allowed: String)
  /// Not `application/json` in UTF-8.
  case unsupportedMediaType
  /// More bytes than a body may have.
  case bodyTooLarge
  /// Not the JSON object that the route takes.
  case malformedBody(BodyFlaw)
  /// The token is not good.
  case token(TokenRejection.Code)
  /// The user has withdrawn since the token was issued.
  case revoked
  /// The nonce is not good.
  case nonce(NonceRejection)
  /// No authorizer has said who calls.
  case noCaller
  /// The authorizer has verified the caller by another issuer.
  case foreignIssuer
  /// The caller asks about somebody else.
  case anotherUser
  /// The caller has never signed in.
  case userNotFound
  /// Apple's keys cannot be had.
  case keysUnavailable
  /// The store did not do it.
  case store(StoreError)
  /// The kernel has no random bytes, or libcrypto fails.
  case cryptographyUnavailable

  /// What the caller is told.
  var publicError: PublicError {
    switch self {
    case .unknownPath: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .unsupportedMediaType: .unsupportedMediaType
    case .bodyTooLarge: .payloadTooLarge
    case .malformedBody, .malformedPath: .invalidRequest
    case .token, .nonce, .revoked: .invalidCredential
    case .noCaller: .unauthorized
    case .foreignIssuer, .anotherUser: .forbidden
    case .userNotFound: .userNotFound
    case .keysUnavailable, .store, .cryptographyUnavailable: .temporarilyUnavailable
    }
  }

  /// A stable name for the log; never shown to the caller.
  public var reason: String {
    switch self {
    case .unknownPath: "unknownPath"
    case .malformedPath: "malformedPath"
    case .methodNotAllowed: "methodNotAllowed"
    case .unsupportedMediaType: "unsupportedMediaType"
    case .bodyTooLarge: "bodyTooLarge"
    case .malformedBody(let flaw): flaw.code
    case .token(let code): code.rawValue
    case .nonce(let rejection): rejection.code
    case .revoked: "revoked"
    case .noCaller: "noCaller"
    case .foreignIssuer: "foreignIssuer"
    case .anotherUser: "anotherUser"
    case .userNotFound: "userNotFound"
    case .keysUnavailable: "keysUnavailable"
    case .store(let error): error.code
    case .cryptographyUnavailable: "cryptographyUnavailable"
    }
  }
}

/// What is wrong with a body.
public enum BodyFlaw: Equatable, Sendable {
  /// The event says base64, and it is not.
  case base64
  /// Not strict JSON, or over its limits.
  case notJSON(JSONError)
  /// JSON, but no object.
  case notAnObject
  /// A member that must be there is not.
  case missingMember
  /// A member is of the wrong kind, too long, or holds control characters.
  case malformedMember
  /// A member that nobody asked for.
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

/// Why a nonce is not good.
public enum NonceRejection: Error, Equatable, Sendable {
  /// The server issues nonces, and the request brought none.
  case missing
  /// Not one of ours: shape or authentication code.
  case forged
  /// Its time is over.
  case expired
  /// It was issued later than now.
  case fromFuture
  /// The client made it, and the token was not issued a moment ago.
  case tokenTooOld
  /// The token's claim and the request do not fit each other.
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

/// What a caller is told: the closed list of `docs/identity.md`.
enum PublicError: CaseIterable {
  case invalidRequest, invalidCredential, unauthorized, forbidden, notFound, userNotFound
  case methodNotAllowed, payloadTooLarge, unsupportedMediaType, temporarilyUnavailable

  var status: Int64 {
    switch self {
    case .invalidRequest: 400
    case .invalidCredential, .unauthorized: 401
    case .forbidden: 403
    case .notFound, .userNotFound: 404
    case .methodNotAllowed: 405
    case .payloadTooLarge: 413
    case .unsupportedMediaType: 415
    case .temporarilyUnavailable: 503
    }
  }

  var code: String {
    switch self {
    case .invalidRequest: "invalid_request"
    case .invalidCredential: "invalid_credential"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "not_found"
    case .userNotFound: "user_not_found"
    case .methodNotAllowed: "method_not_allowed"
    case .payloadTooLarge: "payload_too_large"
    case .unsupportedMediaType: "unsupported_media_type"
    case .temporarilyUnavailable: "temporarily_unavailable"
    }
  }

  var message: String {
    switch self {
    case .invalidRequest: "The request is not what this endpoint takes"
    case .invalidCredential, .unauthorized: "Invalid or expired token"
    case .forbidden: "Access denied"
    case .notFound: "No such endpoint"
    case .userNotFound: "No such user"
    case .methodNotAllowed: "Another method is expected"
    case .payloadTooLarge: "The body is too large"
    case .unsupportedMediaType: "A body of application/json in UTF-8 is expected"
    case .temporarilyUnavailable: "Try again in a moment"
    }
  }
}
