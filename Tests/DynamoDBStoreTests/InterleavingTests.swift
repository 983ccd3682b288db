import DynamoDB
import DynamoDBStore
import Foundation
import Testing
import TestSupport
import UserStore

@Suite("DynamoDB store: interleaved calls")
struct InterleavingTests {
  private static var deadline: Int64 { Int64(HangLimit.date.timeIntervalSince1970 * 1000) }

  private static func store(_ table: EmulatedTable) -> DynamoDBStore<EmulatedTransport, HastyPace> {
    DynamoDBStore(
      DynamoDBClient(table: "users", transport: EmulatedTransport(table: table), pace: HastyPace()))
  }

  private static func signIn(_ name: String, nonce: UInt8?) -> SignIn {
    var profile = UserProfile()
    profile.givenName = Array(name.utf8)
    return SignIn(
      subject: Array("s".utf8), profile: profile, newIdentifier: Array("identifier of \(name)".utf8),
      nonce: nonce.map { NonceUse(digest: [$0], expiresAt: 1_795_000_600) }, milliseconds: 1_795_000_000_000)
  }

  private static func keep(_ signIn: SignIn, in table: EmulatedTable) throws -> SignInOutcome {
    var store = store(table)
    return try store.keep(signIn, deadlineMilliseconds: deadline)
  }

  @Test("The second sign-in finds the user of the first", arguments: [true, false])
  func creation(hasNonces: Bool) throws {
    let table = EmulatedTable()
    let first = Self.signIn("first", nonce: hasNonces ? 1 : nil)
    table.onNextRequest { _ = try Self.keep(first, in: table) }
    let outcome = try Self.keep(Self.signIn("second", nonce: hasNonces ? 2 : nil), in: table)
    guard case .found(let user) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(user.identifier == first.newIdentifier)
    #expect(user.profile.givenName == Array("first".utf8))
    #expect((table.item("nonce#02") != nil) == hasNonces)
  }

  @Test("The first name stays", arguments: [true, false])
  func update(hasNonces: Bool) throws {
    let table = EmulatedTable()
    var nameless = SignIn(
      subject: Array("s".utf8), profile: UserProfile(), newIdentifier: Array("i".utf8), nonce: nil,
      milliseconds: 1)
    _ = try Self.keep(nameless, in: table)
    table.onNextRequest { _ = try Self.keep(Self.signIn("first", nonce: hasNonces ? 1 : nil), in: table) }
    let outcome = try Self.keep(Self.signIn("second", nonce: hasNonces ? 2 : nil), in: table)
    guard case .found(let user) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(user.profile.givenName == Array("first".utf8))
    nameless = Self.signIn("third", nonce: nil)
    #expect(try Self.keep(nameless, in: table) == .found(user))
  }

  @Test(
    "A nonce that another sign-in used meanwhile is refused, and nothing is stored", arguments: [true, false])
  func nonce(isKnown: Bool) throws {
    let table = EmulatedTable()
    if isKnown { _ = try Self.keep(Self.signIn("first", nonce: nil), in: table) }
    let thief = SignIn(
      subject: Array("thief".utf8), profile: UserProfile(), newIdentifier: Array("t".utf8),
      nonce: NonceUse(digest: [1], expiresAt: 1_795_000_600), milliseconds: 1_795_000_000_000)
    table.onNextRequest { _ = try Self.keep(thief, in: table) }
    #expect(try Self.keep(Self.signIn("second", nonce: 1), in: table) == .nonceUsedBefore)
    #expect((table.item("user#s") != nil) == isKnown)
  }

  /// A token's time of issue, and whether a revocation at 5000 refuses it.
  static let issued: [(issuedMilliseconds: Int64?, isRefused: Bool)] = [
    (nil, true), (4999, true), (5000, true), (5001, false),
  ]

  @Test(
    "A revocation between the read and the write refuses the sign-in, and nothing is stored",
    arguments: issued, [true, false])
  func revocation(token: (issuedMilliseconds: Int64?, isRefused: Bool), isKnown: Bool) throws {
    for nonce in [nil, 1] as [UInt8?] {
      let table = EmulatedTable()
      if isKnown {
        let nameless = SignIn(
          subject: Array("s".utf8), profile: UserProfile(), newIdentifier: Array("i".utf8), nonce: nil,
          milliseconds: 1)
        _ = try Self.keep(nameless, in: table)
      }
      let before = table.item("user#s")
      // The first request reads the revocation, which does not exist yet.
      table.onNextRequest {
        var store = Self.store(table)
        _ = try store.record(
          AccountEvent(
            identifier: [0x61], subject: Array("s".utf8), kind: .revocation, eventMilliseconds: 5000,
            receivedMilliseconds: 6000), deadlineMilliseconds: Self.deadline)
      }
      let named = Self.signIn("first", nonce: nonce)
      let signIn = SignIn(
        subject: named.subject, profile: named.profile, newIdentifier: named.newIdentifier,
        nonce: named.nonce,
        milliseconds: named.milliseconds, issuedMilliseconds: token.issuedMilliseconds)
      let outcome = try Self.keep(signIn, in: table)
      #expect((outcome == .revoked) == token.isRefused)
      #expect((table.item("user#s") == before) == token.isRefused)
      #expect((table.item("nonce#01") == nil) == (token.isRefused || nonce == nil))
    }
  }

  @Test("A sign-in whose answer was lost stays stored if a revocation follows")
  func revocationAfterLostAnswer() throws {
    for remembersTokens in [true, false] {
      let table = EmulatedTable(EmulatedTable.Faults(remembersTokens: remembersTokens))
      let signIn = Self.signIn("first", nonce: 1)
      table.loseAnswer(of: "TransactWriteItems") {
        var store = Self.store(table)
        _ = try store.record(
          AccountEvent(
            identifier: [0x61], subject: Array("s".utf8), kind: .revocation, eventMilliseconds: 5000,
            receivedMilliseconds: 6000), deadlineMilliseconds: Self.deadline)
      }
      guard case .created(let user) = try Self.keep(signIn, in: table) else {
        Issue.record("not created")
        continue
      }
      #expect(user.identifier == signIn.newIdentifier)
    }
  }

  @Test("A relay event between read and write is not lost, and causes no second attempt")
  func relay() throws {
    let table = EmulatedTable()
    _ = try Self.keep(
      SignIn(
        subject: Array("s".utf8), profile: UserProfile(), newIdentifier: Array("i".utf8), nonce: nil,
        milliseconds: 1), in: table)
    table.onNextRequest {
      var store = Self.store(table)
      _ = try store.record(
        AccountEvent(
          identifier: [0x61], subject: Array("s".utf8), kind: .relay(forwards: true), eventMilliseconds: 5,
          receivedMilliseconds: 5), deadlineMilliseconds: Self.deadline)
    }
    _ = try Self.keep(Self.signIn("first", nonce: nil), in: table)
    var store = Self.store(table)
    let user = try store.user(subject: Array("s".utf8), deadlineMilliseconds: Self.deadline)
    #expect(user?.relayForwards == true)
    #expect(user?.profile.givenName == Array("first".utf8))
    // The creation, the event, and one write of the profile.
    #expect(table.operations.count { $0 == "TransactWriteItems" } == 3)
  }
}
