import Foundation
import Testing
import TestSupport

/// `scripts/check-tools`: how the check-* scripts end.
@Suite("scripts/check-tools", .hangLimit)
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
    End(
      testDescription: "another check skipped a part, one failed, one passed",
      commands: "part sh -c 'exit $((REQUIRE * 69))'; part sh -c 'exit 70'; part true; "
        + "finish $failures \"$failures failures\"",
      status: 1, line: "1 failures, 1 skipped"),
  ]

  @Test("every check ends with the number of skipped parts", arguments: ends)
  func end(_ end: End) throws {
    let folder = try TemporaryFolder()
    let run = try ScriptRun(
      ["/bin/bash", "-uc", ". \"$1\"; \(end.commands)", "scripts/check-any", Self.tools], in: folder.url,
      environment: ["REQUIRE": end.required ? "1" : ""])
    #expect(run.status == end.status)
    let last = try #require(run.output.split(separator: "\n").last)
    #expect(last.hasPrefix("check-any: ") && last.hasSuffix(" s: \(end.line)"), "\(run)")
  }

  private static let tools = Repository.root.appending(path: "scripts/check-tools").path
}
