import DynamoDB
import DynamoDBStore
import Foundation
import JSON
import Testing
import TestSupport
import UserStore
import UserStoreContract
import Withdrawals

@Suite("DynamoDB store")
struct DynamoDBStoreTests {
  typealias Store = DynamoDBStore<EmulatedTransport, HastyPace>

  private static func client(_ table: EmulatedTable) -> DynamoDBClient<EmulatedTransport, HastyPace> {
    DynamoDBClient(table: "users", transport: EmulatedTransport(table: table), pace: HastyPace())
  }

  private static func store(_ table: EmulatedTable) -> Store { Store(client(table)) }

  private static var deadline: Int64 { Int64(HangLimit.date.timeIntervalSince1970 * 1000) }

  private static func underTest(_ table: EmulatedTable) -> StoreUnderTest {
    StoreUnderTest(
      clients: 40, open: { store(table) },
      revocationMilliseconds: { subject in
        var client = client(table)
        let key = Array("revocation#".utf8) + subject
        let deadline = client.deadline(afterMilliseconds: Int64(HangLimit.milliseconds))
        return try client.getItem(key, isConsistent: false, deadline: deadline)?.number("eventMilliseconds")
      },
      withdrawnMilliseconds: { key in
        var client = client(table)
        let deadline = client.deadline(afterMilliseconds: Int64(HangLimit.milliseconds))
        let item = try client.getItem(try #require(key.itemKey), isConsistent: false, deadline: deadline)
        return item?.number("eventMilliseconds")
      })
  }

  @Test("It follows the contract", arguments: StoreRule.all)
  func keepsContract(_ rule: StoreRule) throws {
    #expect(try rule.findings(Self.underTest(EmulatedTable())) == [])
  }

  @Test(
    "It follows the contract with failing requests, lost answers and conflicting transactions",
    arguments: StoreRule.all, [true, false])
  func keepsContractWithFaults(_ rule: StoreRule, remembersTokens: Bool) throws {
    let faults = EmulatedTable.Faults(
      before: 10, after: 15, conflicts: 15, remembersTokens: remembersTokens)
    for seed in 1...3 as ClosedRange<UInt64> {
      let findings = try rule.findings(Self.underTest(EmulatedTable(faults, seed: seed)))
      #expect(findings == [], "seed \(seed): \(findings)")
    }
  }

  private static let signIn = SignIn(
    subject: Array("s".utf8),
    profile: {
      var profile = UserProfile()
      profile.email = Array("marie@example.com".utf8)
      profile.familyName = Array("Curie".utf8)
      return profile
    }(), newIdentifier: Array("identifier".utf8),
    nonce: NonceUse(digest: [0, 0x1F, 0xAB], expiresAt: 1_795_000_600), milliseconds: 1_795_000_000_123)

  @Test("Items have the layout of docs/dynamodb.md")
  func layout() throws {
    let table = EmulatedTable()
    var store = Self.store(table)
    _ = try store.keep(Self.signIn, deadlineMilliseconds: Self.deadline)
    for (kind, name) in [(AccountEvent.Kind.revocation, "1"), (.relay(forwards: false), "2")] {
      _ = try store.record(
        AccountEvent(
          identifier: Array(name.utf8), subject: Self.signIn.subject, kind: kind,
          eventMilliseconds: 1_795_000_000_500, receivedMilliseconds: 1_795_000_001_999),
        deadlineMilliseconds: Self.deadline)
    }
    func expect(_ key: String, _ wanted: String) throws {
      var item = try #require(table.item(key))
      if case .string(let mark) = item["mark"]?["S"] {
        #expect(mark.utf8.count == 32)
        item["mark"] = nil
      }
      #expect(item.equalsIgnoringOrder(try JSONTree(parsing: Array(wanted.utf8))), "\(key): \(item)")
    }
    try expect(
      "user#s",
      #"{"pk":{"S":"user#s"},"identifier":{"S":"identifier"},"createdMilliseconds":{"N":"1795000000123"},"version":{"N":"1"},"email":{"S":"marie@example.com"},"emailVerified":{"BOOL":false},"familyName":{"S":"Curie"},"relayForwards":{"BOOL":false},"relayMilliseconds":{"N":"1795000000500"}}"#
    )
    try expect("nonce#001fab", #"{"pk":{"S":"nonce#001fab"},"expires":{"N":"1795000600"}}"#)
    try expect("event#1", #"{"pk":{"S":"event#1"},"expires":{"N":"1797592001"}}"#)
    try expect("event#2", #"{"pk":{"S":"event#2"},"expires":{"N":"1797592001"}}"#)
    // The SHA-256 over https://appleid.apple.com, sub and s, each after its length.
    try expect(
      "revocation#2#416063245ab829535d12eeb4a40e1fd2a46961491780b66b1812c4f763e4c6d9",
      #"{"pk":{"S":"revocation#2#416063245ab829535d12eeb4a40e1fd2a46961491780b66b1812c4f763e4c6d9"},"eventMilliseconds":{"N":"1795000000500"},"kind":{"S":"sub"}}"#
    )
    try expect(
      "revocation#s", #"{"pk":{"S":"revocation#s"},"eventMilliseconds":{"N":"1795000000500"}}"#)
  }

  @Test("A sign-in takes two reads and one write, and no write if nothing changes")
  func requests() throws {
    let table = EmulatedTable()
    var store = Self.store(table)
    _ = try store.keep(Self.signIn, deadlineMilliseconds: Self.deadline)
    // The reads of the revocation and the user.
    #expect(table.operations == ["GetItem", "GetItem", "TransactWriteItems"])
    for (nonce, writes) in [(nil, []), (NonceUse(digest: [1], expiresAt: 1_795_000_600), ["PutItem"])] {
      let before = table.operations.count
      let again = SignIn(
        subject: Self.signIn.subject, profile: UserProfile(), newIdentifier: Array("other".utf8),
        nonce: nonce,
        milliseconds: Self.signIn.milliseconds)
      _ = try store.keep(again, deadlineMilliseconds: Self.deadline)
      #expect(Array(table.operations[before...]) == ["GetItem", "GetItem"] + writes)
    }
  }

  @Test(
    "A sign-in that changes the profile checks the revocation in its transaction, with and without a nonce")
  func profileRequests() throws {
    let table = EmulatedTable()
    var store = Self.store(table)
    for (nonce, name) in [(nil, "A"), (nil, "B"), (NonceUse(digest: [1], expiresAt: 1_795_000_600), "C")] {
      let before = table.operations.count
      var profile = UserProfile()
      profile.transferSubject = Array(name.utf8)
      let signIn = SignIn(
        subject: [0x73], profile: profile, newIdentifier: Array("i".utf8), nonce: nonce, milliseconds: 1)
      _ = try store.keep(signIn, deadlineMilliseconds: Self.deadline)
      #expect(Array(table.operations[before...]) == ["GetItem", "GetItem", "TransactWriteItems"])
    }
  }

  @Test("A notification that revokes takes one write, the first and a later one, and so does a withdrawal")
  func eventRequests() throws {
    let table = EmulatedTable()
    var store = Self.store(table)
    for time in [5000, 6000] as [Int64] {
      let event = AccountEvent(
        identifier: Array("\(time)".utf8), subject: [0x73], kind: .revocation, eventMilliseconds: time,
        receivedMilliseconds: time)
      #expect(try store.record(event, deadlineMilliseconds: Self.deadline) == .recorded)
    }
    let order = WithdrawalOrder(
      identifier: [0x69], [Withdrawal(.apple([0x74]), eventMilliseconds: 1)], receivedMilliseconds: 1)
    #expect(try store.withdraw(order, deadlineMilliseconds: Self.deadline) == .recorded)
    #expect(table.operations == Array(repeating: "TransactWriteItems", count: 3))
  }

  @Test("An event whose item has expired is recorded again, even before DynamoDB deletes the item")
  func expiry() throws {
    for (offset, isSeen) in [(0, true), (1, false)] as [(Int64, Bool)] {
      let table = EmulatedTable()
      table.put(
        "event#1", try JSONTree(parsing: Array(#"{"pk":{"S":"event#1"},"expires":{"N":"1000"}}"#.utf8)))
      var store = Self.store(table)
      let event = AccountEvent(
        identifier: Array("1".utf8), subject: [0x61], kind: .revocation, eventMilliseconds: 5,
        receivedMilliseconds: (1000 + offset) * 1000)
      let recording = try store.record(event, deadlineMilliseconds: Self.deadline)
      #expect((recording == .seenBefore) == isSeen)
    }
  }

  @Test(
    "An invalid user item is unreadable, and the error contains no data",
    arguments: [
      #"{"pk":{"S":"user#s"}}"#,
      #"{"pk":{"S":"user#s"},"identifier":{"S":"secret"},"createdMilliseconds":{"N":"5"}}"#,
      #"{"pk":{"S":"user#s"},"identifier":{"N":"5"},"createdMilliseconds":{"N":"5"},"version":{"N":"1"}}"#,
      #"{"pk":{"S":"user#s"},"identifier":{"S":"secret"},"createdMilliseconds":{"N":"1.5"},"version":{"N":"1"}}"#,
    ])
  func unreadable(_ item: String) throws {
    let table = EmulatedTable()
    table.put("user#s", try JSONTree(parsing: Array(item.utf8)))
    var store = Self.store(table)
    let error = #expect(throws: StoreError.self) {
      try store.user(subject: [0x73], deadlineMilliseconds: Self.deadline)
    }
    #expect(error?.code == "storeUnreadable")
    #expect(error?.detail.contains("secret") == false)
    #expect(throws: error ?? .refused("")) {
      try store.keep(Self.signIn, deadlineMilliseconds: Self.deadline)
    }
    #expect(table.item("nonce#001fab") == nil)
  }

  @Test("A subject that is not UTF-8 is refused, because its key would not be unique")
  func subjectIsNoUTF8() {
    let table = EmulatedTable()
    var store = Self.store(table)
    #expect(throws: StoreError.refused("a key is not UTF-8")) {
      try store.user(subject: [0xFF], deadlineMilliseconds: Self.deadline)
    }
    #expect(table.operations.isEmpty)
  }

  @Test("After the deadline the store is unavailable, and no request is sent")
  func deadlineOver() {
    let table = EmulatedTable()
    var store = Self.store(table)
    #expect(throws: StoreError.unavailable(DynamoDBError.timedOut.description)) {
      try store.keep(Self.signIn, deadlineMilliseconds: Int64(Date().timeIntervalSince1970 * 1000) - 10_000)
    }
    #expect(table.operations.isEmpty)
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: Result<DynamoDBAnswer, CallFailure>
    let code: String

    init(_ name: String, _ code: String) {
      testDescription = name
      answer = .success(DynamoDBAnswer(status: 400, body: Array(#"{"__type":"x#\#(name)"}"#.utf8)))
      self.code = code
    }

    init(_ kind: CallFailure.Kind, _ code: String) {
      testDescription = kind.code
      answer = .failure(CallFailure(kind, "why"))
      self.code = code
    }
  }

  static let kinds: [Kind] = [
    Kind("ThrottlingException", "storeUnavailable"), Kind("TransactionConflictException", "storeUnavailable"),
    Kind("AccessDeniedException", "storeRefused"), Kind("ResourceNotFoundException", "storeRefused"),
    Kind("ValidationException", "storeRefused"), Kind(.connect, "storeUnavailable"),
    Kind(.timeout, "storeUnavailable"), Kind(.tls, "storeUnavailable"), Kind(.process, "storeUnavailable"),
    Kind(.libraryMissing, "storeRefused"), Kind(.configuration, "storeRefused"),
    Kind(.executable, "storeRefused"),
  ]

  private struct Constant: DynamoDBTransport {
    let answer: Result<DynamoDBAnswer, CallFailure>

    func send(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure> { answer }
  }

  @Test("Transient errors are unavailable, permanent ones are refused", arguments: kinds)
  func errors(_ kind: Kind) {
    var store = DynamoDBStore(
      DynamoDBClient(table: "users", transport: Constant(answer: kind.answer), pace: HastyPace()))
    let errors = [
      #expect(throws: StoreError.self) {
        try store.keep(Self.signIn, deadlineMilliseconds: Self.deadline)
      },
      #expect(throws: StoreError.self) {
        try store.record(
          AccountEvent(
            identifier: [0x61], subject: [0x61], kind: .revocation, eventMilliseconds: 1,
            receivedMilliseconds: 1), deadlineMilliseconds: Self.deadline)
      },
    ]
    #expect(errors.map { $0?.code } == [kind.code, kind.code])
  }
}
