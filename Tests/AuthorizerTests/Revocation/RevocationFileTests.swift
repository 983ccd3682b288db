import Foundation
import JSON
import Testing
import Withdrawals

@testable import Authorizer
@testable import FunctionHost

@Suite("Reading the revocation file")
struct RevocationFileTests {
  /// A temporary folder, removed after the test.
  final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "revocations-\(UUID().uuidString)").path
    var file: String { path + "/revocations.json" }

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes and renames the file, as the identity function does.
    func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file), options: .atomic) }

    var source: RevocationFile { RevocationFile(path: file, FunctionEnvironment()) }
  }

  static func text(_ entries: [(String, Int64)]) -> String {
    let list = entries.map { #"{"sub":"\#($0.0)","eventMilliseconds":\#($0.1)}"# }.joined(separator: ",")
    return #"{"revocations":[\#(list)]}"#
  }

  private func ask(_ source: inout RevocationFile, _ subject: String) -> RevocationAnswer {
    source.answer(about: [Array("revocation#\(subject)".utf8)], at: 0, endMilliseconds: nil)
  }

  @Test("finds each subject in any order, and no other subject")
  func found() throws {
    let folder = try Folder()
    let subjects = (0..<200).map { "user-\($0 * 7 % 200)" }
    try folder.write(Self.text(subjects.enumerated().map { ($1, Int64($0)) }))
    var source = folder.source
    for (index, subject) in subjects.enumerated() {
      #expect(ask(&source, subject) == .events([Int64(index)]))
    }
    for stranger in ["", "user", "user-200", "user-0 ", "USER-0", "\u{0}"] {
      #expect(ask(&source, stranger) == .events([nil]))
    }
  }

  @Test("a file that is replaced or changed is read again, even if its size is the same")
  func replaced() throws {
    let folder = try Folder()
    try folder.write(Self.text([]))
    var source = folder.source
    #expect(ask(&source, "a") == .events([nil]))
    try folder.write(Self.text([("a", 1)]))
    #expect(ask(&source, "a") == .events([1]))
    try folder.write(Self.text([("a", 2)]))
    #expect(ask(&source, "a") == .events([2]))
    try Data(Self.text([("b", 2)]).utf8).write(to: URL(filePath: folder.file))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: folder.file)
    #expect(ask(&source, "a") == .events([nil]))
    #expect(ask(&source, "b") == .events([2]))
  }

  static let broken = [
    "", " ", "{", "[]", "{}", #"{"revocations":{}}"#, #"{"revocations":null}"#, #"{"revocation":[]}"#,
    #"{"revocations":[],"more":1}"#, #"{"revocations":[1]}"#, #"{"revocations":[{}]}"#,
    #"{"revocations":[{"sub":"a"}]}"#, #"{"revocations":[{"sub":"","eventMilliseconds":1}]}"#,
    #"{"revocations":[{"sub":1,"eventMilliseconds":1}]}"#,
    #"{"revocations":[{"sub":"a","eventMilliseconds":"1"}]}"#,
    #"{"revocations":[{"sub":"a","eventMilliseconds":1.5}]}"#,
    #"{"revocations":[{"sub":"a","eventMilliseconds":1,"more":1}]}"#,
    #"{"revocations":[]}x"#,
  ]

  @Test("an invalid file means unavailable, even after a valid one", arguments: broken)
  func isBroken(_ text: String) throws {
    let folder = try Folder()
    try folder.write(Self.text([("a", 1)]))
    var source = folder.source
    #expect(ask(&source, "b") == .events([nil]))
    try folder.write(text)
    let problem = RevocationAnswer.unavailable(folder.file + ": not a revocation file")
    for subject in ["a", "b", "b"] { #expect(ask(&source, subject) == problem) }
    try folder.write(Self.text([]))
    #expect(ask(&source, "b") == .events([nil]))
  }

  @Test("a missing file means unavailable, with or without its folder")
  func missing() throws {
    let folder = try Folder()
    var source = folder.source
    #expect(ask(&source, "a") == .unavailable(folder.file + ": no such file"))
    var elsewhere = RevocationFile(path: folder.path + "/none/r.json", FunctionEnvironment())
    #expect(ask(&elsewhere, "a") == .unavailable(folder.path + "/none/r.json: no such file"))
    try folder.write(Self.text([]))
    #expect(ask(&source, "a") == .events([nil]))
    try FileManager.default.removeItem(atPath: folder.file)
    #expect(ask(&source, "a") == .unavailable(folder.file + ": no such file"))
    try FileManager.default.createDirectory(atPath: folder.file, withIntermediateDirectories: false)
    #expect(ask(&source, "a") == .unavailable(folder.file + ": it is a directory"))
  }

  @Test("a file that is too large is never read in part")
  func tooLarge() throws {
    let folder = try Folder()
    let limit = WithdrawalFile.limits.bytes
    try folder.write(Self.text([]) + String(repeating: " ", count: limit))
    var source = folder.source
    #expect(ask(&source, "a") == .unavailable(folder.file + ": larger than \(limit) bytes"))
  }

  private static let key = WithdrawalKey(issuer: Array("https://i".utf8), kind: .session, value: [0x73])

  private static func entry(_ kind: String, _ value: String, _ event: Int64) -> String {
    #"{"issuer":"https://i","kind":"\#(kind)","value":"\#(value)","eventMilliseconds":\#(event)}"#
  }

  @Test(
    "of the entries of a key, in any order, the latest event counts",
    arguments: [[3, 9, 5], [9, 3], [5, 9]])
  func latest(_ events: [Int64]) throws {
    let folder = try Folder()
    let entries = events.map { Self.entry("sid", "s", $0) }
    let subjects = events.map { #"{"sub":"a","eventMilliseconds":\#($0)}"# }
    try folder.write(#"{"revocations":[\#((entries + subjects).joined(separator: ","))]}"#)
    var source = RevocationFile(path: folder.file, readsKeys: true, FunctionEnvironment())
    let items = [try #require(Self.key.itemKey), Array("revocation#a".utf8), Array("revocation#b".utf8)]
    #expect(source.answer(about: items, at: 0, endMilliseconds: nil) == .events([9, 9, nil]))
  }

  @Test("a list of issuers reads over keys; an object reads no subject that could be a key")
  func forms() throws {
    let folder = try Folder()
    let item = try #require(Self.key.itemKey)
    let subject = String(decoding: item.dropFirst("revocation#".utf8.count), as: UTF8.self)
    try folder.write(
      #"{"revocations":[\#(Self.entry("sid", "s", 5)),{"sub":"\#(subject)","eventMilliseconds":9}]}"#)
    var (first, second) = (
      folder.source, RevocationFile(path: folder.file, readsKeys: true, FunctionEnvironment())
    )
    #expect(first.answer(about: [item], at: 0, endMilliseconds: nil) == .events([9]))
    #expect(second.answer(about: [item], at: 0, endMilliseconds: nil) == .events([5]))
  }
}
