import Bytes
import JOSE

/// The body of a request to a receiver.
enum SignalRequest {
  /// The token of a request of this kind.
  ///
  /// - Throws: `unsupportedMediaType`, `bodyTooLarge`, or `malformedBody`.
  static func token(of request: ProxyRequest, _ kind: SignalKind) throws(Refusal) -> [UInt8] {
    let type =
      kind == .logout ? "application/x-www-form-urlencoded" : "application/secevent+jwt"
    guard RequestBody.isType(request.contentTypes, type) else { throw .unsupportedMediaType }
    let body = try request.bytes(limit: RequestBody.maximumBytes)
    return kind == .logout ? try field("logout_token", inForm: body) : body
  }

  /// The value of the only field with this name. Others are ignored (OpenID Connect Back-Channel Logout 1.0 section 2.5).
  private static func field(_ name: String, inForm body: [UInt8]) throws(Refusal) -> [UInt8] {
    var found: [UInt8]?
    for field in body.split(separator: 0x26) {
      let end = field.firstIndex(of: .equalsSign) ?? field.endIndex
      guard PercentEncoding.decode(Array(field[..<end]))?.elementsEqual(name.utf8) == true else { continue }
      guard found == nil, let value = PercentEncoding.decode(Array(field[end...].dropFirst())) else {
        throw .malformedBody(.malformedMember)
      }
      found = value
    }
    guard let found, !found.isEmpty else { throw .malformedBody(.missingMember) }
    return found
  }
}

/// The error of a 400 to a sender.
enum SignalError {
  case invalidRequest, invalidKey, invalidIssuer, invalidAudience, authenticationFailed

  /// `nil` for refusals that are no 400.
  init?(_ refusal: Refusal) {
    switch refusal {
    case .wrongAuthorization: self = .authenticationFailed
    case .token(.unknownKey), .token(.signatureMismatch), .token(.algorithmNotAllowed): self = .invalidKey
    case .token(.wrongIssuer): self = .invalidIssuer
    case .signal(.wrongAudience): self = .invalidAudience
    case .token, .signal, .malformedBody, .unsupportedMediaType, .bodyTooLarge, .subjectNotSupported:
      self = .invalidRequest
    default: return nil
    }
  }

  /// The error code of RFC 8935 section 2.4, and the description.
  private var texts: (code: String, description: String) {
    switch self {
    case .invalidRequest: ("invalid_request", "The request or its token is not what this endpoint takes")
    case .invalidKey: ("invalid_key", "The token is not signed with a key of its issuer")
    case .invalidIssuer: ("invalid_issuer", "The issuer of the token is not the one of this receiver")
    case .invalidAudience: ("invalid_audience", "The audience of the token is not the one of this receiver")
    case .authenticationFailed: ("authentication_failed", "Authorization is missing or wrong")
    }
  }

  /// The members of the body. Back-Channel Logout has the errors of RFC 6749, of which one fits all tokens.
  func members(for kind: SignalKind) -> [(name: String, value: String)] {
    let (code, description) = texts
    switch kind {
    case .event: return [("err", code), ("description", description)]
    case .logout:
      let isToken = if case .authenticationFailed = self { false } else { true }
      return [("error", isToken ? "invalid_request" : code), ("error_description", description)]
    }
  }
}
