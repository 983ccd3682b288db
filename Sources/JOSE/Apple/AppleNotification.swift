import JSON

/// A server-to-server notification of Sign in with Apple (Apple, "Processing changes for Sign in with Apple accounts").
///
/// Apple posts `{"payload":"<JWT>"}`. The token has the issuer, keys and audience of an identity token, and an `events`
/// member instead of a subject. Create it from a token that was verified with `IssuerPreset.appleNotification`.
package struct AppleNotification: Equatable, Sendable {
  /// Unique for each notification. Apple sends a notification again until the response is 200.
  package let identifier: [UInt8]
  /// The kind of event.
  package let event: Event
  /// The user, as in the `sub` of the user's identity tokens.
  package let subject: [UInt8]
  /// The time of the event in Unix milliseconds.
  package let eventMilliseconds: Int64
  /// The user's email address, if the event is about it.
  package let email: [UInt8]?
  /// Whether the address belongs to Apple's private email relay.
  package let isPrivateEmail: Bool?

  /// The documented kinds of events.
  package enum Event: Equatable, Sendable {
    /// The user has withdrawn the consent to sign in.
    case consentRevoked
    /// The user has deleted the Apple account; documented as `account-delete` once and as `account-deleted` today.
    case accountDeleted
    /// The relay forwards mail again.
    case emailEnabled
    /// The relay no longer forwards mail.
    case emailDisabled
    /// The name of an event that this version does not know.
    case unknown(String)

    init(_ name: String) {
      self =
        switch name {
        case "consent-revoked": .consentRevoked
        case "account-delete", "account-deleted": .accountDeleted
        case "email-enabled": .emailEnabled
        case "email-disabled": .emailDisabled
        default: .unknown(name)
        }
    }
  }

  /// Reads the `events` of a verified notification: a string that contains a JSON object.
  ///
  /// - Throws: `malformedClaim` with the name of the member that differs from Apple's documentation.
  package init(_ token: VerifiedToken) throws(TokenRejection) {
    guard let text = token.claims["events"]?.utf8 else { throw .malformedClaim("events") }
    let events: JSONValue
    do {
      events = try JSONDocument(parsing: text, limits: .token).root
    } catch {
      throw .malformedClaim("events")
    }
    guard events.kind == .object else { throw .malformedClaim("events") }
    guard let name = events["type"]?.text, !name.isEmpty else { throw .malformedClaim("events.type") }
    guard let time = events["event_time"]?.number?.integer, 0...ClaimReader.latestDate * 1000 ~= time else {
      throw .malformedClaim("events.event_time")
    }
    subject = try Self.identifier(events, "sub")
    event = Event(name)
    eventMilliseconds = time
    identifier = token.principal
    if let value = events["email"], value.kind != .null {
      guard let address = value.utf8 else { throw .malformedClaim("events.email") }
      email = address
    } else {
      email = nil
    }
    if let value = events["is_private_email"], value.kind != .null {
      guard let isPrivate = value.flexibleBoolean else { throw .malformedClaim("events.is_private_email") }
      isPrivateEmail = isPrivate
    } else {
      isPrivateEmail = nil
    }
  }

  private static func identifier(_ events: JSONValue, _ name: String) throws(TokenRejection) -> [UInt8] {
    do throws(TokenRejection) {
      let limit = IssuerProfile.maximumPrincipalBytes
      return try ClaimReader(claims: events).identifier(ClaimPath(name: name), limit: limit)
    } catch {
      throw .malformedClaim("events." + name)
    }
  }
}
