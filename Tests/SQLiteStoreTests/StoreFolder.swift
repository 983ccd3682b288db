import Foundation
import JSON
import Testing
import TestSupport
import UserStore

@testable import SQLiteStore

/// A folder of its own with a database in it; goes with the test.
final class StoreFolder: Sendable {
  let url: URL
  /// A moment of the tests, in Unix milliseconds.
  static let now: Int64 = 1_800_000_000_000

  /// The time of this machine, in Unix milliseconds.
  @Sendable static func wallClock() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "sqlite-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var database: String { path("users.db") }
  var revocations: String { path("revocations.json") }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func bytes(_ name: String = "users.db") throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

  /// A store on this folder's files.
  func store(
    _ name: String = "users.db", revocations: Bool = false, schema: Schema = .current,
    patience: Int64 = Int64(HangLimit.milliseconds)
  ) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(
      path: path(name), revocationFile: revocations ? self.revocations : nil, schema: schema,
      deadlineMilliseconds: Self.wallClock() + patience, now: Self.wallClock)
  }

  /// A bare connection, for what a store never does.
  func connection(_ name: String = "users.db") throws(StoreError) -> SQLiteConnection {
    try FileCalls.makeIfMissing(path(name))
    return try SQLiteConnection.open(path(name))
  }

  /// What the file of revocations says: milliseconds by subject.
  func revoked() throws -> [String: Int64] {
    let document = try JSONDocument(parsing: Array(bytes("revocations.json")), limits: .configuration)
    let list = try #require(document.root["revocations"])
    var times: [String: Int64] = [:]
    for entry in list.elements {
      let subject = try #require(entry["sub"]?.text)
      times[subject] = try #require(entry["eventMilliseconds"]?.number?.integer)
    }
    return times
  }

  func isIntact() throws -> Bool {
    // A store waits for others that are being closed.
    let store = try store()
    let row = try store.connection.statement("PRAGMA integrity_check")
    return try row.step() && row.bytes(0) == Array("ok".utf8)
  }
}

extension SQLiteStore {
  static var deadline: Int64 { StoreFolder.wallClock() + Int64(HangLimit.milliseconds) }

  /// A sign-in of a subject, at a moment and with a nonce where one is given.
  @discardableResult
  func signIn(
    _ subject: String, nonce: NonceUse? = nil,
    at milliseconds: Int64 = StoreFolder.now, deadline: Int64 = SQLiteStore.deadline
  ) throws(StoreError) -> SignInOutcome {
    try keep(
      SignIn(
        subject: Array(subject.utf8), profile: UserProfile(), newIdentifier: Array("id of \(subject)".utf8),
        nonce: nonce, milliseconds: milliseconds),
      deadlineMilliseconds: deadline)
  }

  @discardableResult
  func tell(
    _ kind: AccountEvent.Kind, _ subject: String, jti: String, at event: Int64,
    received: Int64 = StoreFolder.now, deadline: Int64 = SQLiteStore.deadline
  ) throws(StoreError) -> Recording {
    try record(
      AccountEvent(
        identifier: Array(jti.utf8), subject: Array(subject.utf8), kind: kind, eventMilliseconds: event,
        receivedMilliseconds: received),
      deadlineMilliseconds: deadline)
  }

  func find(_ subject: String) throws(StoreError) -> User? {
    try user(subject: Array(subject.utf8), deadlineMilliseconds: Self.deadline)
  }

  /// How many rows a query counts.
  func count(_ sql: StaticString) throws(StoreError) -> Int64 { try connection.integer(sql) }
}
