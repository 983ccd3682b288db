import JSON

/// A security event token (RFC 8417) of the OpenID Shared Signals Framework 1.0. Create it from a token that was
/// verified with ``types`` and ``claimRules``, and that need not expire.
package struct SecurityEventToken: Equatable, Sendable {
  /// `jti`, unique for each token (RFC 8417 section 2.2).
  package let identifier: [UInt8]
  /// What happened.
  package let event: Event

  /// The kinds of events that this version distinguishes.
  package enum Event: Equatable, Sendable {
    /// Sessions or credentials ended: tokens issued up to then are refused. The time is in Unix milliseconds, and not
    /// later than `iat`: no event is told before it happens, and a repetition must not end later tokens.
    case withdrawal(Subject?, atMilliseconds: Int64)
    /// The transmitter checks whether its tokens are received (Shared Signals Framework 1.0 section 8.1.4).
    case verification
    /// Events that end nothing here.
    case other
  }

  /// Whom an event concerns (RFC 9493), in the forms that name a user of an issuer.
  package struct Subject: Equatable, Sendable {
    /// `iss` as it came: not necessarily the token's.
    package let issuer: [UInt8]
    /// `sub`.
    package let user: [UInt8]
    /// The `sid` of the only session that ended; `nil` for all.
    package let session: [UInt8]?
  }

  /// RFC 8417 section 2.3: the type is explicit.
  package static var types: IssuerProfile.TypeRule {
    // Not stored: Swift 6.3 makes an invalid module of a constant with an array in a case.
    .required(["secevent+jwt"])
  }
  /// Shared Signals Framework 1.0 section 4.1: no `exp` and no `sub`, so that the token is none for access.
  package static var claimRules: [ClaimRule] {
    [.present("iat"), .present("events"), .absent("exp"), .absent("sub")]
  }

  private static let names = "https://schemas.openid.net/secevent/"
  /// CAEP 1.0 section 3, RISC 1.0 section 2.
  private static let withdrawals = [
    "caep/event-type/session-revoked", "caep/event-type/credential-change",
    "risc/event-type/account-disabled", "risc/event-type/account-purged",
    "risc/event-type/account-credential-change-required", "risc/event-type/sessions-revoked",
  ]
  /// Of these the only one about a session. The others end more than the session that they may name.
  private static let sessionRevoked = withdrawals[0]
  private static let verification = "ssf/event-type/verification"

  /// Reads a verified token.
  ///
  /// - Throws: the rejection of a claim. An unknown form of `sub_id` is no error, but `nil`.
  package init(_ token: VerifiedToken) throws(TokenRejection) {
    let reader = ClaimReader(claims: token.claims)
    guard let events = token.claims["events"], events.kind == .object, events.memberCount > 0 else {
      throw .malformedClaim("events")
    }
    let issued = try reader.issuedMilliseconds()
    var latest: Int64?
    var isOfSession = true
    var isVerification = false
    // Several are names of the same event (RFC 8417 section 2).
    for (name, payload) in events.members {
      guard payload.kind == .object else { throw .malformedClaim("events") }
      if Self.withdrawals.contains(where: { name.equals(Self.names + $0) }) {
        latest = max(latest ?? 0, try Self.time(of: payload, reader, until: issued))
        isOfSession = isOfSession && name.equals(Self.names + Self.sessionRevoked)
      } else if name.equals(Self.names + Self.verification) {
        isVerification = true
      }
    }
    if let latest {
      let subject = try Self.subject(token.claims["sub_id"], isOfSession: isOfSession)
      event = .withdrawal(subject, atMilliseconds: latest)
    } else {
      event = isVerification ? .verification : .other
    }
    identifier = token.principal
  }

  /// `event_timestamp` (CAEP 1.0 section 2), else `toe` (RFC 8417 section 2.2), else `iat`. A time with milliseconds
  /// instead of seconds is far in the future, and not refused: the event must not be lost.
  private static func time(
    of payload: JSONValue, _ claims: ClaimReader, until issued: Int64
  ) throws(TokenRejection) -> Int64 {
    let name = payload["event_timestamp"] == nil ? "toe" : "event_timestamp"
    guard let value = payload["event_timestamp"] ?? claims.claims["toe"] else { return issued }
    guard let seconds = value.number?.bounds?.ceiling, seconds >= 0 else { throw .malformedClaim(name) }
    return seconds < issued / 1000 ? seconds * 1000 : issued
  }

  /// `nil` for a form that does not name a user of an issuer (RFC 9493 section 3.2).
  private static func subject(_ value: JSONValue?, isOfSession: Bool) throws(TokenRejection) -> Subject? {
    guard let value, let format = value["format"] else { return nil }
    if format.equals("iss_sub") { return user(value, session: nil) }
    // Another member limits whom the event concerns (Shared Signals Framework 1.0 section 3.1).
    guard format.equals("complex"), let user = value["user"], user["format"]?.equals("iss_sub") == true,
      value.members.allSatisfy({ member in
        ["format", "user", "session"].contains { member.name.equals($0) }
      })
    else { return nil }
    guard isOfSession, let session = value["session"] else { return self.user(user, session: nil) }
    guard session["format"]?.equals("opaque") == true,
      let identifier = try? ClaimReader(claims: session).identifier(ClaimPath(name: "id"))
    else { return nil }
    return self.user(user, session: identifier)
  }

  private static func user(_ value: JSONValue, session: [UInt8]?) -> Subject? {
    let reader = ClaimReader(claims: value)
    guard let issuer = value["iss"]?.utf8, !issuer.isEmpty,
      let subject = try? reader.identifier(ClaimPath(name: "sub"))
    else { return nil }
    return Subject(issuer: issuer, user: subject, session: session)
  }
}
