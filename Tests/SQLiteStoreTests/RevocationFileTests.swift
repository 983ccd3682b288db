import Foundation
import Testing
import UserStore

@testable import SQLiteStore

/// What the authorizer is told.
@Suite("The file of revocations")
struct RevocationFileTests {
  @Test("It is there from the start, and after it was lost or named for the first time")
  func restored() throws {
    let folder = try StoreFolder()
    _ = try folder.store(revocations: true)
    #expect(try folder.revoked() == [:])
    try folder.store().tell(.revocation, "s", jti: "1", at: 5)
    #expect(try folder.revoked() == [:])
    _ = try folder.store(revocations: true)
    #expect(try folder.revoked() == ["s": 5])
    for damage in [
      "", "{\"revocations\":[]}\n", #" { "revocations" : [{"sub":"t","eventMilliseconds":7}] } "#,
    ] {
      try Data(damage.utf8).write(to: URL(filePath: folder.revocations))
      _ = try folder.store(revocations: true)
      #expect(try folder.revoked() == ["s": 5])
    }
  }

  @Test("A file that says the same is not written anew")
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

  @Test("Where it cannot be written, nothing is acknowledged and nothing is kept")
  func refused() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    try store.tell(.revocation, "a", jti: "1", at: 5)
    // A folder in the place of the file can be neither read nor replaced, whoever asks.
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

  /// Each stands under the file's name, by another spelling or as another name of the database's files.
  static let foreign: [(text: String, what: String)] = [
    ("{", "is not a file of revocations"), ("x", "is not a file of revocations"),
    ("[]", "is not a file of revocations"), ("{}", "is not a file of revocations"),
    ("{\"issuers\":[]}", "is not a file of revocations"),
    (#"{"revocations":{}}"#, "is not a file of revocations"),
    (#"{"revocations":[5]}"#, "is not a file of revocations"),
    (#"{"revocations":[{"sub":5,"eventMilliseconds":7}]}"#, "is not a file of revocations"),
    (#"{"revocations":[],"more":1}"#, "is not a file of revocations"),
    ("SQLite format 3\u{0}", "is not a file of revocations"),
    (String(repeating: "x", count: 17 << 20), "is not a file of revocations"),
  ]

  @Test("Another file under its name is refused and stays as it is", arguments: foreign)
  func keepsForeignFiles(_ text: String, _ what: String) throws {
    let folder = try StoreFolder()
    try Data(text.utf8).write(to: URL(filePath: folder.revocations))
    let error = #expect(throws: StoreError.self) { _ = try folder.store(revocations: true) }
    #expect(error?.code == "storeRefused")
    #expect(error?.detail.contains(what) == true)
    #expect(try folder.bytes("revocations.json") == Data(text.utf8))
    // It may come while the store is open.
    try FileManager.default.removeItem(atPath: folder.revocations)
    let store = try folder.store(revocations: true)
    try Data(text.utf8).write(to: URL(filePath: folder.revocations))
    #expect(throws: error ?? .refused("")) { try store.tell(.revocation, "a", jti: "1", at: 5) }
    #expect(try store.count("SELECT count(*) FROM revocation") == 0)
    #expect(try folder.bytes("revocations.json") == Data(text.utf8))
  }

  @Test(
    "The database is not replaced, however it and its log are spelled",
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

  @Test("What has a name like a new file's is neither removed nor followed, and the new one is private")
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
    #expect(names.count { $0.hasSuffix(".new") } == 1, "none is left over")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.revocations)
    #expect(attributes[.type] as? FileAttributeType == .typeRegular)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("A commit that fails is acknowledged to nobody, and the next revocation is not lost")
  func failedCommit() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    try store.tell(.revocation, "a", jti: "1", at: 5)
    let before = try store.count("SELECT count(*) FROM event")
    // The transaction's last statement fails after the file was written.
    let error = #expect(throws: StoreError.self) {
      try store.connection.transaction { () throws(StoreError) in
        try store.connection.execute("INSERT INTO revocation VALUES ('b', 6)")
        try RevocationFile(path: folder.revocations, database: folder.database).write(from: store.connection)
        try store.connection.execute("INSERT INTO revocation VALUES ('b', 7)")
      }
    }
    #expect(error?.code == "storeUnreadable")
    #expect(try store.count("SELECT count(*) FROM event") == before)
    try store.tell(.revocation, "c", jti: "2", at: 7)
    #expect(try folder.revoked() == ["a": 5, "c": 7])
  }

  @Test("Any subject is written so that it is read again")
  func subjects() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    let subjects = ["\"", "\\", "\u{0}", "\u{1F600}", "a\nb", "", "</script>", "e\u{301}"]
    for (index, subject) in subjects.enumerated() {
      try store.tell(.revocation, subject, jti: "\(index)", at: Int64(index))
    }
    let revoked = try folder.revoked()
    for (index, subject) in subjects.enumerated() { #expect(revoked[subject] == Int64(index)) }
    #expect(revoked.count == subjects.count)
  }

  @Test("The latest event of each subject holds, in any order of events", arguments: 0..<20)
  func anyOrder(_ seed: UInt64) throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    var random = SeededGenerator(seed)
    try store.signIn("s0")
    var events: [(subject: String, milliseconds: Int64, isRelay: Bool)] = []
    for number in 0..<40 {
      events.append(("s\(number % 4)", Int64(number * 3 + 1), Bool.random(using: &random)))
    }
    var latest: [String: Int64] = [:]
    for event in events where !event.isRelay { latest[event.subject] = event.milliseconds }
    let relay = events.last { $0.isRelay && $0.subject == "s0" }
    for event in events.shuffled(using: &random) {
      // A relay forwards at odd times.
      let kind: AccountEvent.Kind =
        event.isRelay ? .relay(forwards: event.milliseconds % 2 == 1) : .revocation
      let isNew = try store.tell(kind, event.subject, jti: "\(event)", at: event.milliseconds)
      #expect(isNew == .recorded)
    }
    #expect(try folder.revoked() == latest)
    #expect(try store.find("s0")?.relayForwards == relay.map { $0.milliseconds % 2 == 1 })
  }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
