@testable import EmulatorTestSupport
import Foundation
import Testing

/// Tests of `docs/contributing/known-bugs.md` and the tests that it names.
@Suite struct KnownBugsPageTests {
  static let root = TemplateSamples.packageRoot

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Returns the names `Suite/test` in the last cell of each table row of the page.
  static func namedTests() throws -> [(row: String, tests: [String])] {
    try text("docs/contributing/known-bugs.md").split(separator: "\n")
      .filter { $0.hasPrefix("|") && !$0.hasPrefix("| bug |") && !$0.hasPrefix("|---") }
      .map { row in
        let cell = row.dropLast().split(separator: "|").last ?? ""
        return (String(row), cell.matches(of: /`([A-Za-z]+\/[A-Za-z0-9]+)`/).map { String($0.1) })
      }
  }

  /// Returns the function names of each suite.
  static func testsOfSuites() throws -> [String: Set<String>] {
    var suites: [String: Set<String>] = [:]
    let tests = root.appendingPathComponent("Tests")
    for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path) where path.hasSuffix(".swift")
    {
      let text = try String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
      let names = Set(text.matches(of: /func ([A-Za-z0-9_]+)\(/).map { String($0.1) })
      for suite in text.matches(of: /struct ([A-Za-z0-9]+Tests)/) {
        suites[String(suite.1), default: []].formUnion(names)
      }
    }
    return suites
  }

  @Test func everyRowNamesExistingTests() throws {
    let suites = try Self.testsOfSuites()
    let rows = try Self.namedTests()
    #expect(rows.count > 40)
    for (row, tests) in rows {
      #expect(!tests.isEmpty, "\(row)")
      for test in tests {
        let parts = test.split(separator: "/").map(String.init)
        #expect(suites[parts[0]]?.contains(parts[1]) == true, "\(test) is not a test: \(row)")
      }
    }
  }

  /// Every report number beside a test of a known bug is on the page.
  @Test(arguments: [
    "Tests/GatewayEmulatorTests/Policy/KnownBugTests.swift",
    "Tests/GatewayEmulatorTests/Pipeline/KnownGatewayBugTests.swift",
    "Tests/GatewayEmulatorTests/Pipeline/KnownAuthorizerBugTests.swift",
    "Tests/ProcessTests/Serve/KnownServeBugTests.swift",
  ]) func everyReportNumberIsOnThePage(_ path: String) throws {
    let page = try Self.text("docs/contributing/known-bugs.md")
    let numbers = Set(try Self.text(path).matches(of: /#([0-9]{1,5})\b/).map { String($0.1) })
    #expect(!numbers.isEmpty)
    for number in numbers { #expect(page.contains("#\(number)"), "#\(number) of \(path) is not listed") }
  }
}
