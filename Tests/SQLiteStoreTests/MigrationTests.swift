import Testing
import UserStore

@testable import SQLiteStore

/// The migration of files of earlier versions.
@Suite("SQLite store: migrations")
struct MigrationTests {
  static let first = Schema.current.migrations
  static let second: [StaticString] = [
    "ALTER TABLE user ADD COLUMN nickname TEXT NOT NULL DEFAULT 'none'; PRAGMA user_version = 3"
  ]
  static let third: [StaticString] = [
    "CREATE TABLE device (identifier TEXT PRIMARY KEY) STRICT; PRAGMA user_version = 4"
  ]

  @Test("An older file gets the missing migrations and keeps its users")
  func older() throws {
    let folder = try StoreFolder()
    try folder.store(schema: Schema(migrations: Self.first)).signIn("a")
    let store = try folder.store(schema: Schema(migrations: Self.first + Self.second + Self.third))
    #expect(try store.find("a") != nil)
    #expect(try store.count("SELECT count(*) FROM user WHERE nickname = 'none'") == 1)
    #expect(try store.count("SELECT count(*) FROM device") == 0)
    #expect(try store.count("PRAGMA user_version") == 4)
  }

  @Test("A file of the first version keeps its revocations, and can store withdrawals")
  func firstVersion() throws {
    let folder = try StoreFolder()
    let first = Schema(migrations: Array(Self.first.prefix(1)))
    try folder.store(schema: first).connection.execute("INSERT INTO revocation VALUES ('s', 5)")
    let store = try folder.store(revocations: true)
    #expect(try folder.revoked() == ["s": 5])
    try store.tell(.revocation, "s", jti: "1", at: 7)
    #expect(try folder.revoked() == ["s": 7])
    #expect(try store.count("SELECT eventMilliseconds FROM withdrawal") == 7)
  }

  @Test("A new file gets all migrations")
  func new() throws {
    let folder = try StoreFolder()
    let store = try folder.store(schema: Schema(migrations: Self.first + Self.second))
    #expect(try store.count("PRAGMA user_version") == 3)
  }

  static let failing: [[StaticString]] = [
    second + [
      "CREATE TABLE device (identifier TEXT); INSERT INTO nowhere VALUES (1); PRAGMA user_version = 4"
    ],
    second + ["CREATE TABLE device (identifier TEXT)"],
  ]

  @Test("If one migration fails, none is applied", arguments: failing.indices)
  func broken(_ index: Int) throws {
    let folder = try StoreFolder()
    try folder.store().signIn("a")
    let error = #expect(throws: StoreError.self) {
      try folder.store(schema: Schema(migrations: Self.first + Self.failing[index]))
    }
    #expect(error?.code == "storeUnreadable")
    let store = try folder.store()
    #expect(try store.find("a") != nil)
    #expect(try store.count("PRAGMA user_version") == 2)
    #expect(
      try store.count("SELECT count(*) FROM pragma_table_info('user') WHERE name = 'nickname'") == 0)
  }

  @Test("Concurrent stores migrate once")
  func atOnce() throws {
    let folder = try StoreFolder()
    let outcomes = Threads.run(16) { _ in
      Result { () throws(StoreError) in try folder.store(revocations: true).count("PRAGMA user_version") }
    }
    #expect(outcomes == Array(repeating: .success(2), count: 16))
    #expect(try folder.isIntact())
  }
}
