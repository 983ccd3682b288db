import Bytes
import JOSE
import JSON
import UserStore

/// The body of `POST /auth/verify`: `{"identity_token": …, "nonce"?: …, "user"?: …}`, without other members.
struct SignInRequest {
  let token: [UInt8]
  /// The client's nonce: the token's claim is this nonce or its hash.
  let nonce: [UInt8]?
  /// The user data that the client sent.
  let user: AppleUser

  /// 256 bytes. Our own limit: eight times the length of a random nonce.
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

/// Apple's `user`, which comes only with the first sign-in and is not signed (Apple, "Configuring your webpage for
/// Sign in with Apple"): `{"name":{"firstName":…,"lastName":…},"email":…}`, an object, or its JSON text as in Apple's
/// form post.
///
/// Ignores unknown members, since Apple may add some.
struct AppleUser {
  private(set) var givenName: [UInt8]?
  private(set) var familyName: [UInt8]?
  private(set) var email: [UInt8]?

  /// Bytes of a first or last name. Our own limit.
  static let nameByteLimit = 256
  /// Bytes of an address (RFC 5321 section 4.5.3.1.3, without the angle brackets).
  static let emailByteLimit = 254

  /// Reads the member; all values are `nil` if it is absent.
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

  /// Whether a text can be an address: text on both sides of an at sign, no space, no control character.
  static func isAddress(_ text: [UInt8]) -> Bool {
    text.count <= emailByteLimit && text.dropFirst().dropLast().contains(0x40) && text.first != 0x40
      && text.last != 0x40 && !text.contains(.space) && !ControlCharacters.occur(in: text)
  }

  /// A first or last name; `nil` if it consists of spaces.
  private static func name(_ name: JSONValue, _ member: String) throws(Refusal) -> [UInt8]? {
    guard let text = try name.optionalText(member, limit: nameByteLimit) else { return nil }
    guard !ControlCharacters.occur(in: text) else { throw .malformedBody(.malformedMember) }
    return text.allSatisfy { $0 == .space } ? nil : text
  }
}

extension UserProfile {
  /// The email address in a token; `nil` if it is absent or no address.
  static func claimedEmail(of token: VerifiedToken) -> [UInt8]? {
    token.claims["email"]?.utf8.flatMap { AppleUser.isAddress($0) ? $0 : nil }
  }

  /// Combines the claims of a verified token with the request's user data. A claim takes precedence.
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
