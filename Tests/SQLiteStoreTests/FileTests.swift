import Foundation
import Testing
import UserStore

@testable import SQLiteStore

/// The store's handling of its own and other files.
@Suite("SQLite store: database file")
struct FileTests {
  @Test("A new file and its log are readable only by their owner")
  func mode() throws {
    let folder = try StoreFolder()
    let store = try folder.store(revocations: true)
    try store.signIn("a")
    for name in ["users.db", "users.db-wal", "revocations.json"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
    #expect(try store.connection.integer("PRAGMA application_id") == 0x6175_7468)
    #expect(try store.connection.integer("PRAGMA synchronous") == 2)
  }

  @Test("Users remain after the store was closed")
  func reopening() throws {
    let folder = try StoreFolder()
    var profile = UserProfile()
    profile.email = Array("a@example.com".utf8)
    profile.isEmailVerified = true
    profile.relayEmail = []
    profile.givenName = [0x41, 0x00, 0xFF]
    profile.familyName = Array("O'Neill; DROP TABLE user".utf8)
    profile.transferSubject = Array("t".utf8)
    let signIn = SignIn(
      subject: Array("s".utf8), profile: profile, newIdentifier: Array("i".utf8), nonce: nil, milliseconds: 5)
    let user = User(
      identifier: Array("i".utf8), subject: Array("s".utf8), createdMilliseconds: 5, profile: profile)
    #expect(try folder.store().keep(signIn, deadlineMilliseconds: SQLiteStore.deadline) == .created(user))
    #expect(try folder.store().find("s") == user)
  }

  struct Path: Sendable {
    let path: @Sendable (StoreFolder) -> String
    let code: String
  }

  static let bad = [
    Path(path: { _ in "" }, code: "storeRefused"),
    Path(path: { "\($0.url.path)/a\0b" }, code: "storeRefused"),
    Path(path: { $0.path("missing/users.db") }, code: "storeRefused"),
    Path(path: { $0.url.path }, code: "storeRefused"),
    Path(path: { _ in "/dev/full" }, code: "storeRefused"),
  ]

  @Test("A path that cannot be a database is refused", arguments: bad)
  func paths(_ path: Path) throws {
    let folder = try StoreFolder()
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(
        path: path.path(folder), deadlineMilliseconds: SQLiteStore.deadline, now: StoreFolder.wallClock)
    }
    #expect(error?.code == path.code)
  }

  @Test(
    "A file name is never read as a URI or an in-memory database",
    arguments: [":memory:", "file:users?mode=memory"])
  func names(_ name: String) throws {
    let folder = try StoreFolder()
    try folder.store(name).signIn("a")
    #expect(try folder.bytes(name).starts(with: Data("SQLite format 3".utf8)))
  }

  struct Stranger: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (StoreFolder) throws -> Void
  }

  static let strangers = [
    Stranger(testDescription: "a text") {
      try Data("name,mail\nx,y\n".utf8).write(to: URL(filePath: $0.database))
    },
    Stranger(testDescription: "another program's database") {
      try $0.connection().execute("CREATE TABLE user (subject TEXT); INSERT INTO user VALUES ('theirs')")
    },
    Stranger(testDescription: "another application's database") {
      try $0.connection().execute("PRAGMA application_id = 7; PRAGMA user_version = 1")
    },
    Stranger(testDescription: "a later version's file") {
      _ = try $0.store()
      try $0.connection().execute("PRAGMA user_version = 99")
    },
    Stranger(testDescription: "a file with our identifier and no version") {
      try $0.connection().execute("PRAGMA application_id = 0x61757468")
    },
    Stranger(testDescription: "a truncated database") { folder in
      try folder.store().signIn("a")
      try Data(folder.bytes().prefix(700)).write(to: URL(filePath: folder.database))
    },
  ]

  @Test("Another program's file is unreadable, and is not changed", arguments: strangers)
  func strangersStay(_ stranger: Stranger) throws {
    let folder = try StoreFolder()
    try stranger.make(folder)
    let before = try folder.bytes()
    let error = #expect(throws: StoreError.self) { try folder.store(revocations: true) }
    #expect(error?.code == "storeUnreadable", "\(error?.detail ?? "")")
    #expect(try folder.bytes() == before)
    #expect(!FileManager.default.fileExists(atPath: folder.revocations))
  }

  @Test("A damaged page is an error, not an empty answer")
  func damage() throws {
    let folder = try StoreFolder()
    do {
      let store = try folder.store()
      for number in 0..<50 { try store.signIn("user-\(number)") }
    }
    var bytes = try folder.bytes()
    // All pages except the first, which contains the schema.
    for index in 4096..<bytes.count { bytes[index] = 0xA5 }
    try bytes.write(to: URL(filePath: folder.database))
    let store = try folder.store()
    let found = #expect(throws: StoreError.self) { try store.find("user-7") }
    let stored = #expect(throws: StoreError.self) { try store.signIn("new") }
    #expect([found?.code, stored?.code] == ["storeUnreadable", "storeUnreadable"])
  }
}
