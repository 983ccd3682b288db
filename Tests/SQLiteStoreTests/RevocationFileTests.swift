import Foundation
import JSON
import Synchronization
import TestSupport
import Testing
import UserStore
import Withdrawals

@testable import SQLiteStore

/// The revocation file for the authorizer.
@Suite("SQLite store: revocation file")
struct RevocationFileTests {
  @Test("It is written at the start, and after it was lost or first configured")
  func restored() throws {
    let folder = try StoreFolder()
    _ = try folder.store(revocations: true)
    #expect(try folder.revoked() == [:])
    try folder.store().tell(.revocation, "s", jti: "1", at: 5)
    #expect(try folder.revoked() == [:])
    _ = try folder.store(revocations: true)
    #expect(try folder.revoked() == ["s": 5])
    for damage in [
      "", "{\"revocations\":[]}\n", #" { "revocations" : [{"sub":"s","eventMilliseconds":4}] } "#,
    ] {
      try Data(damage.utf8).write(to: URL(filePath: folder.revocations))
      _ = try folder.store(revocations: true)
      #expect(try folder.revoked() == ["s": 5])
    }
  }

  @Test("An unchanged file is not rewritten")
  func untouched() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    try store.tell(.revocation, "s", jti: "1", at: 5)
    let before = try inode(folder)
    _ = try folder.store(revocations: true)
    try store.tell(.revocation, "s", jti: "1", at: 5)
    try store.tell(.revocation, "s", jti: "2", at: 4)
    try store.tell(.relay(forwards: false), "s", jti: "3", at: 9)
    #expect(try inode(folder) == before)
    try store.tell(.revocation, "s", jti: "4", at: 6)
    #expect(try inode(folder) != before)
    #expect(try folder.revoked() == ["s": 6])
  }

  private func inode(_ folder: StoreFolder) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.revocations)[.systemFileNumber] as? Int
  }

  @Test("If it cannot be written, the event is refused and not stored")
  func refused() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    try store.tell(.revocation, "a", jti: "1", at: 5)
    // No user, not even root, can replace a folder by a file.
    let saved = folder.path("saved.json")
    try FileManager.default.moveItem(atPath: folder.revocations, toPath: saved)
    try FileManager.default.createDirectory(atPath: folder.revocations, withIntermediateDirectories: false)
    let error = #expect(throws: StoreError.self) { try store.tell(.revocation, "b", jti: "2", at: 6) }
    #expect(error?.code == "storeRefused")
    #expect(try store.count("SELECT count(*) FROM revocation") == 1)
    try FileManager.default.removeItem(atPath: folder.revocations)
    try FileManager.default.moveItem(atPath: saved, toPath: folder.revocations)
    #expect(try folder.revoked() == ["a": 5])
    #expect(try store.tell(.revocation, "b", jti: "2", at: 6) == .recorded)
    #expect(try folder.revoked() == ["a": 5, "b": 6])
  }

  /// The contents of existing files that are not revocation files.
  static let foreign: [(text: String, what: String)] = [
    ("{", "is not a revocation file"), ("x", "is not a revocation file"),
    ("[]", "is not a revocation file"), ("{}", "is not a revocation file"),
    ("{\"issuers\":[]}", "is not a revocation file"),
    (#"{"revocations":{}}"#, "is not a revocation file"),
    (#"{"revocations":[5]}"#, "is not a revocation file"),
    (#"{"revocations":[{"sub":5,"eventMilliseconds":7}]}"#, "is not a revocation file"),
    (#"{"revocations":[],"more":1}"#, "is not a revocation file"),
    ("SQLite format 3\u{0}", "is not a revocation file"),
    (String(repeating: "x", count: 17 << 20), "is not a revocation file"),
  ]

  @Test("Another file with its name is refused and not changed", arguments: foreign)
  func keepsForeignFiles(_ text: String, _ what: String) throws {
    let folder = try StoreFolder()
    try Data(text.utf8).write(to: URL(filePath: folder.revocations))
    let error = #expect(throws: StoreError.self) { _ = try folder.store(revocations: true) }
    #expect(error?.code == "storeRefused")
    #expect(error?.detail.contains(what) == true)
    #expect(try folder.bytes("revocations.json") == Data(text.utf8))
    // The file may also appear while the store is open.
    try FileManager.default.removeItem(atPath: folder.revocations)
    let store = try folder.store(revocations: true)
    try Data(text.utf8).write(to: URL(filePath: folder.revocations))
    #expect(throws: error ?? .refused("")) { try store.tell(.revocation, "a", jti: "1", at: 5) }
    #expect(try store.count("SELECT count(*) FROM revocation") == 0)
    #expect(try folder.bytes("revocations.json") == Data(text.utf8))
  }

  @Test(
    "The database and its log are not replaced, by any spelling of their paths",
    arguments: [
      "users.db", "./users.db", "../FOLDER/users.db", ".//users.db", "users.db-wal", "users.db-shm", "hard",
      "soft",
    ])
  func keepsDatabase(_ name: String) throws {
    let folder = try StoreFolder()
    let store = try folder.store()
    try store.signIn("s")
    try FileManager.default.linkItem(atPath: folder.database, toPath: folder.path("hard"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("soft"), withDestinationPath: folder.database)
    let path = folder.path("") + "/" + name.replacing("FOLDER", with: folder.url.lastPathComponent)
    let error = #expect(throws: StoreError.self) {
      _ = try SQLiteStore(
        path: folder.database, revocationFile: path, deadlineMilliseconds: SQLiteStore.deadline,
        now: StoreFolder.wallClock)
    }
    #expect(error?.code == "storeRefused")
    #expect(error?.detail.contains("is a file of the database") == true)
    #expect(try store.find("s") != nil)
    #expect(try folder.isIntact())
  }

  @Test(
    "An existing file or link with a similar name is neither removed nor followed, and the new file is private"
  )
  func planted() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    let victim = folder.revocations + ".victim"
    try Data("precious".utf8).write(to: URL(filePath: victim))
    let made = folder.revocations + ".new"
    try FileManager.default.createSymbolicLink(atPath: made, withDestinationPath: victim)
    try store.tell(.revocation, "a", jti: "1", at: 5)
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: made) == victim)
    #expect(try folder.revoked() == ["a": 5])
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder.revocations)
    try store.tell(.revocation, "a", jti: "2", at: 6)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.count { $0.hasSuffix(".new") } == 1, "no new file is left over")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.revocations)
    #expect(attributes[.type] as? FileAttributeType == .typeRegular)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("A failed commit is not acknowledged, and the next revocation is not lost")
  func failedCommit() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    try store.tell(.revocation, "a", jti: "1", at: 5)
    let before = try store.count("SELECT count(*) FROM event")
    // The transaction's last statement fails after the file was written.
    let error = #expect(throws: StoreError.self) {
      try store.connection.transaction { () throws(StoreError) in
        try store.connection.execute("INSERT INTO revocation VALUES ('b', 6)")
        try RevocationFile(path: folder.revocations, database: folder.database).write(
          from: store.connection, at: StoreFolder.now / 1000)
        try store.connection.execute("INSERT INTO revocation VALUES ('b', 7)")
      }
    }
    #expect(error?.code == "storeUnreadable")
    #expect(try store.count("SELECT count(*) FROM event") == before)
    try store.tell(.revocation, "c", jti: "2", at: 7)
    // What was not stored stays in the file: its sender repeats it.
    #expect(try folder.revoked() == ["a": 5, "b": 6, "c": 7])
  }

  @Test("It never becomes larger than what the authorizer reads")
  func limit() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    let limit = WithdrawalFile.limits.bytes
    func withdraw(_ bytes: Int) throws {
      let value = Array(repeating: UInt8(ascii: "v"), count: bytes)
      let key = WithdrawalKey(issuer: Array("https://a".utf8), kind: .session, value: value)
      let order = WithdrawalOrder(
        identifier: nil, [Withdrawal(key, eventMilliseconds: 6)], receivedMilliseconds: StoreFolder.now)
      _ = try store.withdraw(order, deadlineMilliseconds: SQLiteStore.deadline)
    }
    try withdraw(limit - 1000)
    let full = try folder.bytes("revocations.json")
    #expect(full.count <= limit)
    let error = #expect(throws: StoreError.self) { try withdraw(1000) }
    #expect(error?.code == "storeRefused")
    #expect(error?.detail.contains("would be larger than \(limit) bytes") == true)
    #expect(try folder.bytes("revocations.json") == full)
    #expect(try store.count("SELECT count(*) FROM withdrawal") == 1)
    try store.tell(.revocation, "a", jti: "1", at: 5)
    #expect(full.count..<limit ~= (try folder.bytes("revocations.json").count))
  }

  @Test("A command that locks the folder never replaces an acknowledged revocation")
  func lock() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    let isEnded = Mutex(false)
    let command = Thread {
      while !isEnded.withLock({ $0 }) {
        try? FileCalls.locked(folder.revocations) { () throws(StoreError) in
          let bytes = try FileCalls.beginning(of: folder.revocations, limit: 1 << 20)
          try FileCalls.replace(folder.revocations, with: bytes)
        }
      }
    }
    command.start()
    defer { isEnded.withLock { $0 = true } }
    for number in 1...200 {
      try store.tell(.revocation, "s\(number)", jti: "\(number)", at: 5)
      #expect(try folder.revoked()["s\(number)"] == 5)
    }
  }

  @Test("What a command has added to the file stays until it expires, and the latest event counts")
  func keepsOtherEntries() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    try store.tell(.revocation, "own", jti: "1", at: 5)
    let now = StoreFolder.now
    let key = { (kind: WithdrawalKey.Kind, value: String) in
      WithdrawalKey(issuer: Array("https://a".utf8), kind: kind, value: Array(value.utf8))
    }
    let added: [WithdrawalEntry] = [
      .subject(Array("own".utf8), eventMilliseconds: 9), .subject(Array("other".utf8), eventMilliseconds: 7),
      .withdrawal(Withdrawal(key(.subject, "old"), eventMilliseconds: 1)),
      .withdrawal(Withdrawal(key(.session, "1"), eventMilliseconds: now)),
      .withdrawal(Withdrawal(key(.session, "2"), eventMilliseconds: now - 401 * 86_400_000)),
    ]
    try Data(WithdrawalFile.bytes(of: added)).write(to: URL(filePath: folder.revocations))
    for number in 2...3 {
      try store.tell(.revocation, "another", jti: "\(number)", at: Int64(number))
      #expect(try folder.revoked() == ["own": 9, "other": 7, "another": Int64(number)])
      #expect(try folder.withdrawn(key(.subject, "old")) == 1)
      #expect(try folder.withdrawn(key(.session, "1")) == now)
      #expect(try folder.withdrawn(key(.session, "2")) == nil)
    }
  }

  @Test("Any subject can be written and parsed")
  func subjects() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    let subjects = ["\"", "\\", "\u{0}", "\u{1F600}", "a\nb", " ", "</script>", "e\u{301}"]
    for (index, subject) in subjects.enumerated() {
      try store.tell(.revocation, subject, jti: "\(index)", at: Int64(index))
    }
    let revoked = try folder.revoked()
    for (index, subject) in subjects.enumerated() { #expect(revoked[subject] == Int64(index)) }
    #expect(revoked.count == subjects.count)
  }

  @Test("It has the form of earlier versions until a withdrawal needs the other, and no expired one")
  func forms() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    let session = WithdrawalKey(issuer: Array("https://a".utf8), kind: .session, value: Array("1".utf8))
    try store.tell(.revocation, "s", jti: "1", at: 5)
    #expect(
      try folder.bytes("revocations.json")
        == Data((#"{"revocations":[{"sub":"s","eventMilliseconds":5}]}"# + "\n").utf8))
    for (days, time) in [(0, 6), (401, nil)] as [(Int64, Int64?)] {
      let other = WithdrawalKey(issuer: session.issuer, kind: .token, value: Array("\(days)".utf8))
      let withdrawals = [session, other].suffix(days == 0 ? 2 : 1).map {
        Withdrawal($0, eventMilliseconds: 6)
      }
      _ = try store.withdraw(
        WithdrawalOrder(
          identifier: nil, withdrawals, receivedMilliseconds: StoreFolder.now + days * 86_400_000),
        deadlineMilliseconds: SQLiteStore.deadline)
      #expect(try folder.withdrawn(session) == time)
      #expect(try folder.withdrawn(other) == 6)
      #expect(try folder.withdrawn(.apple(Array("s".utf8))) == 5)
      #expect(try folder.revoked() == ["s": 5])
    }
  }

  @Test("The latest event of each subject applies, in any order of events", arguments: 0..<20)
  func anyOrder(_ seed: UInt64) throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    var random = SeededGenerator(seed: seed)
    try store.signIn("s0")
    var events: [(subject: String, milliseconds: Int64, isRelay: Bool)] = []
    for number in 0..<40 {
      events.append(("s\(number % 4)", Int64(number * 3 + 1), Bool.random(using: &random)))
    }
    var latest: [String: Int64] = [:]
    for event in events where !event.isRelay { latest[event.subject] = event.milliseconds }
    let relay = events.last { $0.isRelay && $0.subject == "s0" }
    for event in events.shuffled(using: &random) {
      // Odd times mean that the relay forwards.
      let kind: AccountEvent.Kind =
        event.isRelay ? .relay(forwards: event.milliseconds % 2 == 1) : .revocation
      let isNew = try store.tell(kind, event.subject, jti: "\(event)", at: event.milliseconds)
      #expect(isNew == .recorded)
    }
    #expect(try folder.revoked() == latest)
    #expect(try store.find("s0")?.relayForwards == relay.map { $0.milliseconds % 2 == 1 })
  }
}
