import DynamoDB
import Testing
import Withdrawals

@Suite("A withdrawal as items of the table")
struct WithdrawalTests {
  static let second = Array(
    "revocation#2#b49729428b8dd4ff432368f4ab70b22d018834a35709998d257fab0ac5e235a1".utf8)
  static let session = Array(
    "revocation#2#0a17490686549d708cb249be58700ab9cd7da870de8e8e1221a7665a4bd744aa".utf8)
  static let first = Array("revocation#alice".utf8)

  private static func withdrawal(_ kind: WithdrawalKey.Kind) -> Withdrawal {
    let issuer = Array("https://id.example.com".utf8)
    return Withdrawal(
      WithdrawalKey(issuer: issuer, kind: kind, value: Array("alice".utf8)),
      eventMilliseconds: 1_700_000_000_123)
  }

  private static func values(_ values: [(String, AttributeValue)]) -> Item {
    var item = Item()
    for (name, value) in values { item.set(name, value) }
    return item
  }

  @Test("a user's withdrawal never expires, another one expires after 400 days")
  func expires() {
    #expect(Self.withdrawal(.subject).expires(writtenAt: 1_700_000_000) == nil)
    for kind in [WithdrawalKey.Kind.session, .token, .lineage] {
      #expect(Self.withdrawal(kind).expires(writtenAt: 1_700_000_000) == 1_734_560_000)
    }
  }

  @Test("an older event never replaces a later one that counts", arguments: [true, false])
  func subject(_ isApple: Bool) {
    let time = ("time", AttributeValue.number(1_700_000_000_123))
    let write = ItemWrite.update(
      Self.second, "SET eventMilliseconds = :time, kind = :kind",
      if: "attribute_not_exists(pk) OR eventMilliseconds < :time OR expires < :now",
      values: Self.values([
        (":time", time.1), (":kind", .string(Array("sub".utf8))), (":now", .number(1_700_000_000)),
      ]))
    let old = ItemWrite.update(
      Self.first, "SET eventMilliseconds = :time",
      if: "attribute_not_exists(pk) OR eventMilliseconds < :time", values: Self.values([(":time", time.1)]))
    #expect(
      Self.withdrawal(.subject).writes(at: 1_700_000_000, isApple: isApple)
        == (isApple ? [write, old] : [write]))
  }

  @Test("a session has one item, which expires", arguments: [true, false])
  func session(_ isApple: Bool) {
    let write = ItemWrite.update(
      Self.session, "SET eventMilliseconds = :time, kind = :kind, expires = :expires",
      if: "attribute_not_exists(pk) OR eventMilliseconds < :time OR expires < :now",
      values: Self.values([
        (":time", .number(1_700_000_000_123)), (":kind", .string(Array("sid".utf8))),
        (":now", .number(1_700_000_000)), (":expires", .number(1_734_560_000)),
      ]))
    #expect(Self.withdrawal(.session).writes(at: 1_700_000_000, isApple: isApple) == [write])
  }

  @Test("undoing deletes each item")
  func deletions() {
    #expect(
      Self.withdrawal(.subject).deletions(isApple: true) == [.delete(Self.second), .delete(Self.first)])
    #expect(Self.withdrawal(.subject).deletions(isApple: false) == [.delete(Self.second)])
    #expect(Self.withdrawal(.session).deletions(isApple: true) == [.delete(Self.session)])
  }

  @Test(
    "an item counts until its expiry has passed",
    arguments: [
      ([("eventMilliseconds", .number(7))], 7),
      ([("eventMilliseconds", .number(7)), ("expires", .number(99))], nil),
      ([("eventMilliseconds", .number(7)), ("expires", .number(100))], 7),
      // An expiry of another type limits nothing.
      ([("eventMilliseconds", .number(7)), ("expires", .string([0x31]))], 7),
      ([("expires", .number(99))], nil),
    ] as [([(String, AttributeValue)], Int64?)])
  func event(_ attributes: [(String, AttributeValue)], _ event: Int64?) throws {
    #expect(try Withdrawal.eventMilliseconds(in: Self.values(attributes), at: 100) == event)
  }

  @Test(
    "an item without the time of its event is an error, never absent",
    arguments: [
      [], [("eventMilliseconds", .string([0x31]))], [("expires", .number(100))],
    ] as [[(String, AttributeValue)]])
  func missingEvent(_ attributes: [(String, AttributeValue)]) {
    #expect(throws: Withdrawal.MissingEvent.self) {
      try Withdrawal.eventMilliseconds(in: Self.values(attributes), at: 100)
    }
  }
}
