import JSON

/// A logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4). Create it from a token that was verified with
/// ``types`` and ``claimRules``.
package struct LogoutToken: Equatable, Sendable {
  /// `jti`, unique for each logout token.
  package let identifier: [UInt8]
  /// `sub`; `nil` if the token has only a session.
  package let subject: [UInt8]?
  /// `sid`; `nil` if all sessions of the user end.
  package let session: [UInt8]?
  /// `iat`, rounded up, in Unix milliseconds.
  package let issuedMilliseconds: Int64

  /// Section 2.4: `typ` is `logout+jwt` where it is explicit.
  package static var types: IssuerProfile.TypeRule { .ifPresent(["logout+jwt", "JWT"]) }
  /// Section 2.4: `iat` and `events` are required, `nonce` is prohibited. The principal, `jti`, is required too.
  package static var claimRules: [ClaimRule] { [.present("iat"), .present("events"), .absent("nonce")] }

  private static let event = "http://schemas.openid.net/event/backchannel-logout"

  /// Makes the checks of section 2.6 that follow those of an ID token.
  ///
  /// - Throws: the rejection of a claim.
  package init(_ token: VerifiedToken) throws(TokenRejection) {
    let reader = ClaimReader(claims: token.claims)
    guard let events = token.claims["events"], events.kind == .object else {
      throw .malformedClaim("events")
    }
    guard let event = events[Self.event] else { throw .wrongType(found: "events") }
    guard event.kind == .object else { throw .malformedClaim("events") }
    subject = try reader.optionalIdentifier("sub")
    session = try reader.optionalIdentifier("sid")
    guard subject != nil || session != nil else { throw .missingClaim("sub") }
    identifier = token.principal
    issuedMilliseconds = try reader.issuedMilliseconds()
  }
}

extension ClaimReader {
  /// An identifier that may be absent.
  func optionalIdentifier(_ name: String) throws(TokenRejection) -> [UInt8]? {
    claims[name] == nil ? nil : try identifier(ClaimPath(name: name))
  }

  /// `iat`, rounded up to seconds, in Unix milliseconds.
  func issuedMilliseconds() throws(TokenRejection) -> Int64 {
    guard let issued = try date("iat", rounding: .up) else { throw .missingClaim("iat") }
    return issued * 1000
  }
}
