import JOSE
import JSON
import UserStore

/// The body of `POST /auth/verify`: `{"identity_token": …, "nonce"?: …, "user"?: …}`, and nothing else.
struct SignInRequest {
  let token: [UInt8]
  /// As the client has it: what the token's claim is, or what it is the hash of.
  let nonce: [UInt8]?
  /// What the client says of the user.
  let user: AppleUser

  /// 256 bytes, ours: eight times what a random nonce needs.
  static let nonceByteLimit = 256

  /// Reads a body.
  ///
  /// - Throws: `malformedBody`.
  init(_ body: JSONValue) throws(Refusal) {
    token = try body.requiredText("identity_token", limit: RequestBody.maximumBytes)
    nonce = try body.optionalText("nonce", limit: Self.nonceByteLimit)
    if let nonce, nonce.isEmpty || nonce.contains(where: { $0 < 0x21 || $0 > 0x7E }) {
      throw .malformedBody(.malformedMember)
    }
    user = try AppleUser(body["user"])
    for (name, _) in body.members
    where !name.equals("identity_token") && !name.equals("nonce") && !name.equals("user") {
      throw .malformedBody(.unknownMember)
    }
  }
}

/// Apple's `user`, which comes with the first sign-in alone and is signed by nobody (Apple, "Configuring your webpage for Sign
/// in with Apple"): `{"name":{"firstName":…,"lastName":…},"email":…}`, an object or its text, as Apple's form has it.
///
/// Members that Apple may add are ignored.
struct AppleUser {
  private(set) var givenName: [UInt8]?
  private(set) var familyName: [UInt8]?
  private(set) var email: [UInt8]?

  /// Bytes of a first or last name, ours.
  static let nameByteLimit = 256
  /// Bytes of an address (RFC 5321 section 4.5.3.1.3, without the angle brackets).
  static let emailByteLimit = 254

  /// Reads the member; nothing is known where it is absent.
  init(_ member: JSONValue?) throws(Refusal) {
    guard var user = member, user.kind != .null else { return }
    if let text = user.utf8 { user = try RequestBody.value(parsing: text) }
    guard user.kind == .object else { throw .malformedBody(.malformedMember) }
    if let name = user["name"], name.kind != .null {
      guard name.kind == .object else { throw .malformedBody(.malformedMember) }
      givenName = try Self.name(name, "firstName")
      familyName = try Self.name(name, "lastName")
    }
    if let address = try user.optionalText("email", limit: Self.emailByteLimit), !address.isEmpty {
      guard Self.isAddress(address) else { throw .malformedBody(.malformedMember) }
      email = address
    }
  }

  /// Whether a text can be an address: something on both sides of an at sign, no blank, no control character.
  static func isAddress(_ text: [UInt8]) -> Bool {
    text.count <= emailByteLimit && text.dropFirst().dropLast().contains(0x40) && text.first != 0x40
      && text.last != 0x40 && !text.contains(0x20) && !ControlCharacters.occur(in: text)
  }

  /// A name of nothing but blanks is none.
  private static func name(_ name: JSONValue, _ member: String) throws(Refusal) -> [UInt8]? {
    guard let text = try name.optionalText(member, limit: nameByteLimit) else { return nil }
    guard !ControlCharacters.occur(in: text) else { throw .malformedBody(.malformedMember) }
    return text.allSatisfy { $0 == 0x20 } ? nil : text
  }
}

extension UserProfile {
  /// The address in a token; `nil` for none, and for what is no address.
  static func claimedEmail(of token: VerifiedToken) -> [UInt8]? {
    token.claims["email"]?.utf8.flatMap { AppleUser.isAddress($0) ? $0 : nil }
  }

  /// What a verified token tells, and beside it the request: a claim always comes first.
  init(_ token: VerifiedToken, _ user: AppleUser) {
    self.init()
    let claims = token.claims
    if let address = Self.claimedEmail(of: token) {
      email = address
      isEmailVerified = claims["email_verified"]?.flexibleBoolean == true
      if claims["is_private_email"]?.flexibleBoolean == true { relayEmail = address }
    } else {
      email = user.email
    }
    givenName = user.givenName
    familyName = user.familyName
    if let transfer = claims["transfer_sub"]?.utf8, 1...IssuerProfile.maximumPrincipalBytes ~= transfer.count,
      !ControlCharacters.occur(in: transfer)
    {
      transferSubject = transfer
    }
  }
}
