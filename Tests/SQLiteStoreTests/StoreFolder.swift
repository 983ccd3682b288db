import Foundation
import JSON
import Testing
import TestSupport
import UserStore
import Withdrawals

@testable import SQLiteStore

/// A temporary folder with a database.
final class StoreFolder: Sendable {
  let url: URL
  /// A time for the tests, in Unix milliseconds.
  static let now: Int64 = 1_800_000_000_000

  /// The machine's time in Unix milliseconds.
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

  /// Opens a store in this folder.
  func store(
    _ name: String = "users.db", revocations: Bool = false, schema: Schema = .current,
    patience: Int64 = Int64(HangLimit.milliseconds)
  ) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(
      path: path(name), revocationFile: revocations ? self.revocations : nil, schema: schema,
      deadlineMilliseconds: Self.wallClock() + patience, now: Self.wallClock)
  }

  /// Opens a plain connection, for operations that a store does not have.
  func connection(_ name: String = "users.db") throws(StoreError) -> SQLiteConnection {
    try FileCalls.makeIfMissing(path(name))
    return try SQLiteConnection.open(path(name))
  }

  /// The content of the revocation file: milliseconds by subject.
  func revoked() throws -> [String: Int64] {
    let document = try JSONDocument(parsing: Array(bytes("revocations.json")), limits: .configuration)
    let list = try #require(document.root["revocations"])
    var times: [String: Int64] = [:]
    for entry in list.elements where entry["issuer"] == nil {
      let subject = try #require(entry["sub"]?.text)
      times[subject] = try #require(entry["eventMilliseconds"]?.number?.integer)
    }
    return times
  }

  /// The time of a key's entry in the revocation file; `nil` if there is none.
  func withdrawn(_ key: WithdrawalKey) throws -> Int64? {
    let document = try JSONDocument(parsing: Array(bytes("revocations.json")), limits: .configuration)
    let entry = document.root["revocations"]?.elements.first {
      $0["issuer"]?.utf8 == key.issuer && $0["kind"]?.equals(key.kind.claim) == true
        && $0["value"]?.utf8 == key.value
    }
    return entry?["eventMilliseconds"]?.number?.integer
  }

  func isIntact() throws -> Bool {
    // Through a store, which waits for others that are closing.
    let store = try store()
    let row = try store.connection.statement("PRAGMA integrity_check")
    return try row.step() && row.bytes(0) == Array("ok".utf8)
  }
}

extension SQLiteStore {
  static var deadline: Int64 { StoreFolder.wallClock() + Int64(HangLimit.milliseconds) }

  /// Stores a sign-in.
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

  /// The number that a counting query returns.
  func count(_ sql: StaticString) throws(StoreError) -> Int64 { try connection.integer(sql) }
}
