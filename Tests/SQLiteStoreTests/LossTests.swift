import Foundation
import Testing
import TestSupport
import UserStore

@testable import SQLiteStore

/// Acknowledged writes survive failures of the process and the disk.
@Suite("SQLite store: durability", .hangLimit)
struct LossTests {
  @Test("A process killed during writes loses nothing, thirty times")
  func kills() throws {
    let folder = try StoreFolder()
    var acknowledged: [String] = []
    for round in 0..<30 {
      let writer = try UserWriter(folder, prefix: "r\(round)", users: 100_000)
      // Some are killed before their first line, while they open the file.
      writer.read(lines: Int.random(in: 0..<40))
      writer.stop()
      let (status, lines) = try writer.finish()
      #expect(status == SIGKILL)
      acknowledged += lines
    }
    #expect(acknowledged.count > 100)
    try check(acknowledged, in: folder)
  }

  @Test("Two concurrent processes store all their writes")
  func twoProcesses() throws {
    let folder = try StoreFolder()
    let writers = try ["a", "b"].map { try UserWriter(folder, prefix: $0, users: 60) }
    let ends = try writers.map { try $0.finish() }
    #expect(ends.map(\.status) == [0, 0])
    #expect(ends.map(\.lines.count) == [120, 120])
    try check(ends.flatMap(\.lines), in: folder)
  }

  @Test("A file that cannot grow is refused, and earlier writes remain")
  func fileLimit() throws {
    let folder = try StoreFolder()
    let (status, lines) = try UserWriter(folder, prefix: "a", users: 100_000, fileLimit: 200 << 10).finish()
    #expect(status == 1)
    #expect(lines.last?.hasPrefix("storeRefused: ") == true, "\(lines.last ?? "")")
    #expect(lines.count > 10)
    try check(lines.dropLast(), in: folder)
    try folder.store().signIn("later")
  }

  @Test("A full database is refused, and earlier writes remain")
  func fullDatabase() throws {
    let folder = try StoreFolder()
    let store = try folder.store()
    try store.connection.execute("PRAGMA max_page_count = 20")
    var stored: [String] = []
    let error = #expect(throws: StoreError.self) {
      for number in 0..<100_000 {
        try store.signIn("user-\(number)")
        stored.append("user user-\(number)")
      }
    }
    #expect(error?.code == "storeRefused")
    #expect(stored.count > 100)
    try check(stored, in: folder)
    try store.connection.execute("PRAGMA max_page_count = 2000")
    try store.signIn("later")
  }

  @Test(
    "A read-only file is refused and not changed",
    .enabled(if: getuid() == 0, "switching to another user requires root"))
  func readOnly() throws {
    let folder = try StoreFolder()
    try folder.store(revocations: true).signIn("a")
    let before = try folder.bytes()
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.database)
    let (status, lines) = try UserWriter(folder, prefix: "b", users: 1, user: 65_534).finish()
    #expect(status == 1)
    #expect(lines.count == 1 && lines.first?.hasPrefix("storeRefused: ") == true, "\(lines)")
    #expect(try folder.bytes() == before)
  }

  private func check(_ acknowledged: some Sequence<String>, in folder: StoreFolder) throws {
    #expect(try folder.isIntact())
    let store = try folder.store(revocations: true)
    let revoked = try folder.revoked()
    for line in acknowledged {
      let words = line.split(separator: " ").map(String.init)
      try #require(words.count == 2, "\(line)")
      if words[0] == "user" {
        #expect(try store.find(words[1]) != nil, "\(line)")
      } else {
        #expect(revoked[words[1]] != nil, "\(line)")
      }
    }
  }
}
