import FunctionHost
import JSON
import UserStore

/// The response document about a user: `{"data":{…}}`.
enum UserDocument {
  /// The document of a user.
  ///
  /// - Parameter isNew: whether this sign-in created the user; `nil` without a sign-in.
  static func bytes(_ user: User, isNew: Bool? = nil) -> [UInt8] {
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writer.name("data")
    writer.beginObject()
    writer.member("user_id", user.identifier)
    writer.member("apple_user_id", user.subject)
    writer.member("email", user.profile.email)
    writer.name("email_verified")
    writer.boolean(user.profile.isEmailVerified)
    writer.member("given_name", user.profile.givenName)
    writer.member("family_name", user.profile.familyName)
    if let isNew {
      writer.name("is_new_user")
      writer.boolean(isNew)
    }
    writer.member("created_at", time(user.createdMilliseconds))
    writer.name("profile_complete")
    writer.boolean(user.profile.isComplete)
    writer.name("auth_state")
    writer.string(user.profile.isComplete ? "authenticated" : "profileSetup")
    writer.endObject()
    writer.endObject()
    return writer.takeBytes()
  }

  /// The document of a nonce and its lifetime in seconds.
  static func bytes(nonce: [UInt8], lifetimeSeconds: Int64) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("data")
    writer.beginObject()
    writer.member("nonce", nonce)
    writer.name("expires_in")
    writer.integer(lifetimeSeconds)
    writer.endObject()
    writer.endObject()
    return writer.takeBytes()
  }

  /// A time as RFC 3339 in UTC, without fractions of a second because many parsers reject them by default.
  private static func time(_ unixMilliseconds: Int64) -> [UInt8] {
    Timestamp.rfc3339(unixMilliseconds).prefix(19) + [0x5A]
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ text: [UInt8]?) {
    self.name(name)
    if let text { string(utf8: text) } else { null() }
  }
}
