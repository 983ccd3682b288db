import Testing
import UserStore

@testable import SQLiteStore

/// Locks of other connections, and deadlines.
@Suite("SQLite store: locks")
struct LockTests {
  @Test("If another connection holds the lock, the store is unavailable at the deadline")
  func locked() throws {
    let folder = try StoreFolder()
    let store = try folder.store()
    try store.signIn("a")
    let other = try folder.connection()
    try other.execute("BEGIN IMMEDIATE")
    let deadline = StoreFolder.wallClock() + 60
    let error = #expect(throws: StoreError.self) { try store.signIn("b", deadline: deadline) }
    #expect(error?.code == "storeUnavailable")
    // SQLite counts its waits in steps, so 30 ms are tolerated.
    #expect(StoreFolder.wallClock() >= deadline - 30)
    // Reads do not wait for the lock.
    #expect(try store.find("a") != nil)
    try other.execute("ROLLBACK")
    try store.signIn("b")
    #expect(try store.find("b") != nil)
  }

  @Test("After the deadline a call does nothing")
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
