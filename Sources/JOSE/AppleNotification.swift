import JSON

/// A server-to-server notification of Sign in with Apple (Apple, "Processing changes for Sign in with Apple accounts").
///
/// Apple posts `{"payload":"<JWT>"}`; the token has issuer, keys and audience of an identity token and an `events` member
/// in place of a subject. Made from a token that was verified with `IssuerPreset.appleNotification`.
public struct AppleNotification: Equatable, Sendable {
  /// Unique for each notification: Apple repeats one until it is answered with 200.
  public let identifier: [UInt8]
  /// What has happened.
  public let event: Event
  /// The user, as in the `sub` of his identity tokens.
  public let subject: [UInt8]
  /// When it happened, in Unix milliseconds.
  public let eventMilliseconds: Int64
  /// The user's address, where the event is about it.
  public let email: [UInt8]?
  /// Whether the address is one of Apple's relay.
  public let isPrivateEmail: Bool?

  /// What Apple tells of.
  public enum Event: Equatable, Sendable {
    /// The user has withdrawn the consent to sign in.
    case consentRevoked
    /// The user has deleted the Apple account; documented as `account-delete` once and as `account-deleted` today.
    case accountDeleted
    /// The relay forwards mail again.
    case emailEnabled
    /// The relay no longer forwards mail.
    case emailDisabled
    /// An event that this version does not know, by its name.
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

  /// Reads the `events` of a verified notification: a string that holds a JSON object.
  ///
  /// - Throws: `malformedClaim` with the member that is not as Apple documents it.
  public init(_ token: VerifiedToken) throws(TokenRejection) {
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
