import Foundation
import Testing
import TestSupport

/// `scripts/check-tools`: how the check-* scripts end.
@Suite("scripts/check-tools", .timeLimit(.minutes(HangLimit.minutes)))
struct CheckToolsTests {
  struct End: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let commands: String
    var required = false
    let status: Int32
    /// The last line of standard output, without the seconds.
    let line: String
  }

  static let ends = [
    End(testDescription: "passed", commands: "finish 0 passed", status: 0, line: "passed, 0 skipped"),
    End(
      testDescription: "a part was skipped", commands: "skip_part one; finish 0 '4 checks, 0 failures'",
      status: 0,
      line: "4 checks, 0 failures, 1 skipped"),
    End(
      testDescription: "parts that are required were skipped",
      commands: "skip_part one; skip_part two; finish 0 passed",
      required: true, status: 69, line: "passed, 2 skipped"),
    End(
      testDescription: "failed, and a part that is required was skipped",
      commands: "skip_part one; finish 3 '3 failures'", required: true, status: 1,
      line: "3 failures, 1 skipped"),
    End(
      testDescription: "a step failed", commands: "run false; finish $failures \"$failures failures\"",
      status: 1,
      line: "1 failures, 0 skipped"),
  ]

  @Test("every check ends with the number of skipped parts", arguments: ends)
  func end(_ end: End) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "check-tools-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-uc", ". \"$1\"; \(end.commands)", "scripts/check-any", Self.tools]
    process.currentDirectoryURL = folder
    process.environment = ["PATH": "/usr/bin:/bin", "REQUIRE": end.required ? "1" : ""]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == end.status)
    let last = try #require(text.split(separator: "\n").last)
    #expect(last.hasPrefix("check-any: ") && last.hasSuffix(" s: \(end.line)"), "\(text)")
  }

  private static let tools = Repository.root.appending(path: "scripts/check-tools").path
}
