/// The errors that a caller can get: the closed list of `docs/identity.md`.
enum PublicError: CaseIterable {
  case invalidRequest, invalidCredential, unauthorized, forbidden, notFound, userNotFound
  case methodNotAllowed, notWithdrawable, payloadTooLarge, unsupportedMediaType, temporarilyUnavailable

  var status: Int64 {
    switch self {
    case .invalidRequest: 400
    case .invalidCredential, .unauthorized: 401
    case .forbidden: 403
    case .notFound, .userNotFound: 404
    case .methodNotAllowed: 405
    case .notWithdrawable: 409
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
    case .notWithdrawable: "not_withdrawable"
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
    case .notWithdrawable: "The authorizer does not look up what would end"
    case .payloadTooLarge: "The body is too large"
    case .unsupportedMediaType: "A body of application/json in UTF-8 is expected"
    case .temporarilyUnavailable: "Try again in a moment"
    }
  }
}
