import Foundation
import Testing

@testable import FunctionHost

@Suite("FunctionEnvironment")
struct FunctionEnvironmentTests {
  let environment = FunctionEnvironment()

  /// A temporary folder, removed after the test.
  final class Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "authorizer-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
      let file = url.appending(path: name)
      try Data(bytes).write(to: file)
      return file.path
    }
  }

  @Test("a whole file is read, up to the limit", arguments: [0, 1, 16_383, 16_384, 16_385, 100_000])
  func file(count: Int) throws {
    let folder = try Folder()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = try folder.file("a b \u{E9}.json", bytes)
    #expect(try environment.file(path, limit: count) == bytes)
    #expect(try environment.file(path, limit: count + 1) == bytes)
    guard count > 0 else { return }
    #expect(throws: FileError.tooLarge(limit: count - 1)) { try environment.file(path, limit: count - 1) }
    #expect(throws: FileError.tooLarge(limit: 0)) { try environment.file(path, limit: 0) }
  }

  @Test("only regular files are read: a device is endless, a pipe would block the start")
  func irregular() throws {
    #expect(throws: FileError.unreadable(errno: EINVAL)) { try environment.file("/dev/zero", limit: 1 << 20) }
    let pipe = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID())").path
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    defer { _ = unsafe unlink(pipe) }
    #expect(throws: FileError.unreadable(errno: EINVAL)) { try environment.file(pipe, limit: 1 << 20) }
    #expect(FileError.unreadable(errno: EINVAL).description == "not a regular file")
  }

  @Test("reports why a file cannot be read")
  func unreadable() throws {
    let folder = try Folder()
    let path = try folder.file("a", [1])
    #expect(throws: FileError.unreadable(errno: ENOENT)) { try environment.file(path + "b", limit: 1) }
    #expect(throws: FileError.unreadable(errno: EISDIR)) { try environment.file(folder.url.path, limit: 1) }
    #expect(throws: FileError.unreadable(errno: ENOTDIR)) { try environment.file(path + "/b", limit: 1) }
  }

  @Test("reports a file without read permission", .enabled(if: getuid() != 0, "root may read every file"))
  func forbidden() throws {
    let folder = try Folder()
    let path = try folder.file("a", [1])
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    #expect(throws: FileError.unreadable(errno: EACCES)) { try environment.file(path, limit: 1) }
  }

  static let descriptions: [(error: FileError, text: String)] = [
    (.unreadable(errno: ENOENT), "no such file"), (.unreadable(errno: EACCES), "permission denied"),
    (.unreadable(errno: EISDIR), "it is a directory"), (.unreadable(errno: 5), "cannot be read (errno 5)"),
    (.tooLarge(limit: 262_144), "larger than 262144 bytes"),
  ]

  @Test("the description of a file error is one phrase", arguments: descriptions)
  func description(error: FileError, text: String) {
    #expect(error.description == text)
  }

  @Test("reads variables of the process")
  func variables() {
    let path = ProcessInfo.processInfo.environment["PATH"]
    #expect(environment.variable("PATH") == path)
    #expect(path?.isEmpty == false)
    #expect(environment.variable("AUTHORIZER_TESTS_SET_NOWHERE") == nil)
  }

  @Test("one clock is wall-clock time, the other is monotonic")
  func clocks() {
    let before = Date().timeIntervalSince1970
    let now = environment.unixMilliseconds
    let after = Date().timeIntervalSince1970
    #expect(Int64(before * 1000) - 1 <= now)
    #expect(now <= Int64(after * 1000) + 1)
    let first = environment.monotonicMicroseconds
    #expect(first > 0)
    #expect(environment.monotonicMicroseconds >= first)
  }
}
