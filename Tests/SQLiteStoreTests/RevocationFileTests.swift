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
    for damage in ["", "{", "{\"revocations\":[]}\n", String(repeating: "x", count: 100_000)] {
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
    // A folder in the place of the temporary file cannot be opened for writing, whoever asks.
    try FileManager.default.createDirectory(
      atPath: folder.revocations + ".new", withIntermediateDirectories: false)
    let error = #expect(throws: StoreError.self) { try store.tell(.revocation, "b", jti: "2", at: 6) }
    #expect(error?.code == "storeRefused")
    #expect(try folder.revoked() == ["a": 5])
    #expect(try store.count("SELECT count(*) FROM revocation") == 1)
    try FileManager.default.removeItem(atPath: folder.revocations + ".new")
    #expect(try store.tell(.revocation, "b", jti: "2", at: 6) == .recorded)
    #expect(try folder.revoked() == ["a": 5, "b": 6])
  }

  @Test("A leftover of a process that was killed is written over")
  func leftover() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    try Data(repeating: 0x78, count: 10_000).write(to: URL(filePath: folder.revocations + ".new"))
    try store.tell(.revocation, "a", jti: "1", at: 5)
    #expect(try folder.revoked() == ["a": 5])
  }

  @Test("What stands in the way of a new file is taken away and never followed, and the new one is private")
  func planted() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    let victim = folder.revocations + ".victim"
    try Data("precious".utf8).write(to: URL(filePath: victim))
    try FileManager.default.createSymbolicLink(
      atPath: folder.revocations + ".new", withDestinationPath: victim)
    try store.tell(.revocation, "a", jti: "1", at: 5)
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    #expect(try folder.revoked() == ["a": 5])
    let made = folder.revocations + ".new"
    #expect(FileManager.default.createFile(atPath: made, contents: Data()))
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: made)
    try store.tell(.revocation, "a", jti: "2", at: 6)
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
        try RevocationFile(path: folder.revocations).write(from: store.connection)
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
