import Bytes
import DynamoDB
import UserStore
import Withdrawals

/// The names of the table's items and attributes (docs/dynamodb.md). Stored data outlives every version of this
/// program, so a name never changes its meaning.
enum Layout {
  static let expires = "expires"
  static let mark = "mark"
  static let eventMilliseconds = "eventMilliseconds"
  static let identifier = "identifier"
  static let createdMilliseconds = "createdMilliseconds"
  static let version = "version"
  static let email = "email"
  static let isEmailVerified = "emailVerified"
  static let relayEmail = "relayEmail"
  static let givenName = "givenName"
  static let familyName = "familyName"
  static let transferSubject = "transferSubject"
  static let relayForwards = "relayForwards"
  static let relayMilliseconds = "relayMilliseconds"

  /// The condition for items that may be created only once until they expire. DynamoDB deletes expired items up to
  /// days later (DynamoDB, "Time to Live").
  static let isFree = "attribute_not_exists(pk) OR expires < :now"

  /// A key of this kind.
  static func key(_ kind: String, _ name: [UInt8]) throws(StoreError) -> [UInt8] {
    try checkText(name)
    return Array(kind.utf8) + name
  }

  /// Refuses invalid UTF-8, because replacement characters could make two names one key.
  static func checkText(_ name: [UInt8]) throws(StoreError) {
    guard String(decoding: name, as: UTF8.self).utf8.elementsEqual(name) else {
      throw .refused("a key is not UTF-8")
    }
  }

  /// The key of the item with a user's revocation: that of the first form, if the subject has one.
  static func revocationKey(of subject: [UInt8]) throws(StoreError) -> [UInt8] {
    try checkText(subject)
    let key = WithdrawalKey.firstItemKey(of: subject) ?? WithdrawalKey.apple(subject).itemKey
    guard let key else { throw .refused("libcrypto fails") }
    return key
  }

  static func now(_ milliseconds: Int64) -> Item {
    var values = Item()
    values.set(":now", .number(milliseconds / 1000))
    return values
  }
}

extension ItemCheck {
  /// Checks that no revocation refuses the sign-in's token (``SignIn/isRefused(byRevocationAt:)``).
  static func unrevoked(_ key: [UInt8], _ signIn: SignIn) -> ItemCheck {
    guard let issued = signIn.issuedMilliseconds else { return ItemCheck(key, "attribute_not_exists(pk)") }
    var values = Item()
    values.set(":issued", .number(issued))
    return ItemCheck(key, "attribute_not_exists(pk) OR eventMilliseconds < :issued", values: values)
  }
}

/// The write of an item that is stored once, such as a message's identifier.
struct Receipt {
  let key: [UInt8]
  let mark: [UInt8]
  let write: ItemWrite

  /// The receipt of a message.
  init(_ identifier: [UInt8], mark: [UInt8], receivedMilliseconds: Int64) throws(StoreError) {
    self.init(
      key: try Layout.key("event#", identifier), mark: mark,
      expires: receivedMilliseconds / 1000 + AccountEvent.rememberedSeconds,
      milliseconds: receivedMilliseconds)
  }

  /// One use of a nonce.
  init(_ nonce: NonceUse, mark: [UInt8], milliseconds: Int64) {
    self.init(
      key: Array("nonce#".utf8) + nonce.digest.hexadecimal, mark: mark, expires: nonce.expiresAt,
      milliseconds: milliseconds)
  }

  private init(key: [UInt8], mark: [UInt8], expires: Int64, milliseconds: Int64) {
    (self.key, self.mark) = (key, mark)
    var item = Item.key(key)
    item.set(Layout.mark, .string(mark))
    item.set(Layout.expires, .number(expires))
    write = .put(item, if: Layout.isFree, values: Layout.now(milliseconds))
  }
}

/// A user with the version number that was read.
struct StoredUser {
  let user: User
  private let version: Int64
  private let key: [UInt8]

  static func key(_ subject: [UInt8]) throws(StoreError) -> [UInt8] { try Layout.key("user#", subject) }

  /// `nil` if a required attribute is missing or has another type.
  init?(_ item: Item, subject: [UInt8], key: [UInt8]) {
    guard let identifier = item.string(Layout.identifier),
      let created = item.number(Layout.createdMilliseconds), let version = item.number(Layout.version)
    else { return nil }
    var profile = UserProfile()
    profile.email = item.string(Layout.email)
    profile.isEmailVerified = item.boolean(Layout.isEmailVerified) ?? false
    profile.relayEmail = item.string(Layout.relayEmail)
    profile.givenName = item.string(Layout.givenName)
    profile.familyName = item.string(Layout.familyName)
    profile.transferSubject = item.string(Layout.transferSubject)
    user = User(
      identifier: identifier, subject: subject, createdMilliseconds: created, profile: profile,
      relayForwards: item.boolean(Layout.relayForwards))
    self.version = version
    self.key = key
  }

  /// The write of a relay event. Nothing is stored for an unknown user: Apple reports the relay again when they sign in.
  static func relay(_ forwards: Bool, of subject: [UInt8], at milliseconds: Int64) throws(StoreError)
    -> ItemWrite
  {
    var values = Item()
    values.set(":time", .number(milliseconds))
    values.set(":forwards", .boolean(forwards))
    return .update(
      try key(subject), "SET relayForwards = :forwards, relayMilliseconds = :time",
      if: "attribute_exists(pk) AND (attribute_not_exists(relayMilliseconds) OR relayMilliseconds < :time)",
      values: values)
  }

  static func creation(of user: User, _ key: [UInt8]) -> ItemWrite {
    var item = Item.key(key)
    item.set(Layout.identifier, .string(user.identifier))
    item.set(Layout.createdMilliseconds, .number(user.createdMilliseconds))
    item.set(Layout.version, .number(1))
    for (name, value) in attributes(of: user.profile) { item.set(name, value) }
    return .put(item, if: "attribute_not_exists(pk)")
  }

  /// The write of a changed profile, on condition that no other call changed the user meanwhile. Leaves the relay
  /// attributes unchanged.
  func update(to profile: UserProfile) -> ItemWrite {
    var values = Item()
    values.set(":version", .number(version))
    values.set(":next", .number(version &+ 1))
    var expression = "SET version = :next"
    for (name, value) in Self.attributes(of: profile) {
      expression += ", " + name + " = :" + name
      values.set(":" + name, value)
    }
    return .update(key, expression, if: "version = :version", values: values)
  }

  /// The attributes that are not `nil`. None need be removed, since a profile loses no value
  /// (``UserProfile/updated(by:)``).
  private static func attributes(of profile: UserProfile) -> [(name: String, value: AttributeValue)] {
    var attributes: [(name: String, value: AttributeValue)] = []
    let texts = [
      (Layout.email, profile.email), (Layout.relayEmail, profile.relayEmail),
      (Layout.givenName, profile.givenName), (Layout.familyName, profile.familyName),
      (Layout.transferSubject, profile.transferSubject),
    ]
    for (name, text) in texts {
      if let text { attributes.append((name, .string(text))) }
    }
    attributes.append((Layout.isEmailVerified, .boolean(profile.isEmailVerified)))
    return attributes
  }
}
