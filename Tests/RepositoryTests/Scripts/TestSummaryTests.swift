import Foundation
import TestSupport
import Testing

/// The summary of `make test`.
@Suite("scripts/run-tests")
struct TestSummaryTests {
  static let passed = """
    ◇ Test run started.
    ➜ Suite ClientTests skipped: "the clients are not installed: make check-clients"
    ➜ Test one() skipped: "the clients are not installed: make check-clients"
    ➜ Test "two" skipped: "the clients are not installed: make check-clients"
    ➜ Test three(_:) skipped: "make check-moto"
    ➜ Test four() skipped
    ◇ Test case passing 1 argument text → "✔ Test run with 1 test passed" to six(_:) started.
    ✔ Test five() passed after 0.1 seconds.
    ✔ Test run with 5 tests in 2 suites passed after 1.234 seconds.
    """

  static let failed = """
    ✘ Test five() recorded an issue at A.swift:1:1: Expectation failed
    ✘ Test five() recorded an issue at A.swift:1:1: Expectation failed
    error: Exited with unexpected signal code 6
    ✘ Test run with 5 tests in 2 suites failed after 1.234 seconds with 2 issues.
    """

  struct Run: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let log: String
    let status: Int32
    let expected: [String]
  }

  static let runs = [
    Run(
      testDescription: "a run that passed", log: passed, status: 0,
      expected: [
        "make test: 5 tests in 2 suites passed after 1.234 seconds.",
        "make test: passed, 4 skipped (2: the clients are not installed: make check-clients; 1: make check-moto; "
          + "1: no reason is given), output in LOG",
      ]
    ),
    Run(
      testDescription: "a run that failed", log: failed, status: 1,
      expected: [
        "error: Exited with unexpected signal code 6",
        "✘ Test five() recorded an issue at A.swift:1:1: Expectation failed",
        "✘ Test run with 5 tests in 2 suites failed after 1.234 seconds with 2 issues.",
        "make test: 5 tests in 2 suites failed after 1.234 seconds with 2 issues.",
        "make test: failed, 0 skipped, output in LOG",
      ]
    ),
    Run(
      testDescription: "two runs at once", log: passed + "\n" + failed, status: 1,
      expected: [
        "error: Exited with unexpected signal code 6",
        "✘ Test five() recorded an issue at A.swift:1:1: Expectation failed",
        "✘ Test run with 5 tests in 2 suites failed after 1.234 seconds with 2 issues.",
        "make test: 10 tests in 4 suites failed after 1.234 seconds with 2 issues.",
        "make test: failed, 4 skipped (2: the clients are not installed: make check-clients; 1: make check-moto; "
          + "1: no reason is given), output in LOG",
      ]
    ),
    Run(
      testDescription: "a build that failed", log: "error: no such module\n", status: 1,
      expected: ["error: no such module", "make test: failed, 0 skipped, output in LOG"]),
  ]

  @Test("ends with the number of skipped tests and how to run them", arguments: runs)
  func summary(_ run: Run) throws {
    let folder = try TemporaryFolder()
    try folder.write(run.log + "\n", to: "log")
    let summary = try ScriptRun(
      ["run-tests", "--summary", folder.path("log"), "\(run.status)"], in: folder.url)
    #expect(summary.status == (run.status == 0 ? 0 : 1))
    let lines = summary.output.replacing(folder.path("log"), with: "LOG").split(separator: "\n").map(
      String.init)
    #expect(lines.sorted() == run.expected.sorted())
    #expect(lines.last == run.expected.last)
  }

  /// Each process of the tests is a program that prints its last line, except in the case of a process with these options.
  @Test(
    arguments: [
      ("exit 0", "nothing", 0, "15 tests in 6 suites passed"),
      ("kill -SEGV $$", "--filter ^RuleAnalysisTests", 1, "error: signal 11 ended the tests"),
      ("kill -SEGV $$", "--skip", 1, "error: signal 11 ended the tests"),
      ("exit 1", "--filter ^(ProcessTests", 1, "(1 of 3 processes)"),
      ("exit 0", "--filter ^(ProcessTests", 1, "(1 of 3 processes)"),
    ])
  func noEndOfAProcessIsLost(_ end: String, _ options: String, _ status: Int32, _ message: String) throws {
    let folder = try TemporaryFolder()
    let line = "echo '✔ Test run with 5 tests in 2 suites passed after 1.5 seconds.'"
    let isKilled = end.hasPrefix("kill")
    try folder.script(
      "\(isKilled ? line : ":")\ncase \"$*\" in *'\(options)'*) \(end) ;; esac\n\(isKilled ? ":" : line)",
      to: ".build/debug/api-gateway-authorizerPackageTests.xctest")
    let run = try ScriptRun(["run-tests", "--skip-build"], in: folder.url, isMerged: true)
    #expect(run.status == status && run.output.contains(message), "\(run.output)")
  }
}
