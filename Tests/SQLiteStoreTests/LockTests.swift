import Foundation
import Testing
import UserStore

@testable import SQLiteStore

/// Locks that others hold, and time that is over.
@Suite("Waiting for the file of users")
struct LockTests {
  @Test("A lock that another holds makes the store unavailable when the call's time is over")
  func locked() throws {
    let folder = try StoreFolder()
    let store = try folder.store()
    try store.signIn("a")
    let other = try folder.connection()
    try other.execute("BEGIN IMMEDIATE")
    let deadline = StoreFolder.wallClock() + 60
    let error = #expect(throws: StoreError.self) { try store.signIn("b", deadline: deadline) }
    #expect(error?.code == "storeUnavailable")
    // SQLite counts what it waits for; 30 ms are left to its steps.
    #expect(StoreFolder.wallClock() >= deadline - 30)
    // Who only reads waits for nobody.
    #expect(try store.find("a") != nil)
    try other.execute("ROLLBACK")
    try store.signIn("b")
    #expect(try store.find("b") != nil)
  }

  @Test("Nothing is begun when no time is left")
  func pastDeadline() throws {
    let folder = try StoreFolder()
    let store = try folder.store()
    let past = StoreFolder.wallClock()
    let errors = [
      #expect(throws: StoreError.self) { try store.signIn("a", deadline: past) },
      #expect(throws: StoreError.self) {
        try store.tell(.revocation, "a", jti: "1", at: 1, deadline: past - 1)
      },
      #expect(throws: StoreError.self) {
        try store.user(subject: [], deadlineMilliseconds: past)
      },
    ]
    #expect(errors.map { $0?.code } == Array(repeating: "storeUnavailable", count: 3))
    #expect(try store.find("a") == nil)
  }
}
