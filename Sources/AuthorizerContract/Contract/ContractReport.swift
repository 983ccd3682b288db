internal import Text
package import GatewayModel
internal import JSON

/// The results of contract tests: as a table, as JSON and as JUnit XML.
package struct ContractReport: Sendable {
  /// One test's result.
  package struct Entry: Equatable, Sendable {
    /// The name of the test, a relative path.
    package let name: String
    /// The kind of the event; `nil` if it is not an event of API Gateway.
    package let eventKind: EventKind?
    /// The outcome; `nil` if the event was not sent to the function.
    package let outcome: Outcome?
    /// The reason code of the function's decision line.
    package let reason: String?
    /// The duration as measured by the server; `nil` if the event was not sent to the function.
    package let microseconds: Int?
    /// The differences from the expectation; empty for a passed test.
    package var mismatches: [Mismatch]
    /// Why the function decided so, in a sentence; `nil` if it is not known or not asked for.
    package var why: String?
    /// The other authorizer's answer, if two are compared.
    package var comparison: Comparison?

    /// Whether the result was as expected.
    package var isPassed: Bool { mismatches.isEmpty }

    package init(
      name: String, eventKind: EventKind?, outcome: Outcome?, reason: String?, microseconds: Int?,
      mismatches: [Mismatch]
    ) {
      self.name = name
      self.eventKind = eventKind
      self.outcome = outcome
      self.reason = reason
      self.microseconds = microseconds
      self.mismatches = mismatches
    }
  }

  /// The results in the order of the tests.
  package let entries: [Entry]

  package init(_ entries: [Entry]) {
    self.entries = entries
  }

  package var passed: Int { entries.count { $0.isPassed } }
  package var failed: Int { entries.count - passed }

  /// `N passed, N failed`.
  package var summary: String { isComparison ? comparisonSummary : "\(passed) passed, \(failed) failed" }

  /// A table with one line per test.
  package var table: TextTable {
    if isComparison { return comparisonTable }
    var table = TextTable(
      columns: ["file", "kind", "outcome", "reason", "µs", "result"], rightAligned: [4])
    for entry in entries {
      table.add([
        entry.name, entry.eventKind?.rawValue ?? "-", entry.outcome?.rawValue ?? "-", entry.reason ?? "-",
        entry.microseconds.map(String.init) ?? "-", entry.isPassed ? "pass" : "FAIL",
      ])
    }
    return table
  }

  /// The differences of every failed test, and why the function decided so, as lines of text.
  package var details: [String] {
    (isComparison ? comparisonDetails : [])
      + entries.flatMap { entry in
        let lines = entry.comparison == nil ? entry.details : []
        return lines.isEmpty ? [] : [entry.name + ":"] + lines.map { "  " + $0 }
      }
  }

  fileprivate static func lines(of mismatch: Mismatch) -> [String] {
    let note = mismatch.note.map { " (\($0))" } ?? ""
    if !mismatch.expected.containsBytes(of: "\n"), !mismatch.found.containsBytes(of: "\n") {
      return ["\(mismatch.subject): expected \(mismatch.expected), found \(mismatch.found)\(note)"]
    }
    return ["\(mismatch.subject): - expected, + found\(note)"]
      + UnifiedDifference(expected: mismatch.expected, found: mismatch.found).lines.map { "  " + $0 }
  }

  /// `{"passed":…,"failed":…,"tests":[…]}`.
  package var json: [UInt8] {
    JSONTree.members([
      "passed": .number(String(passed)), "failed": .number(String(failed)),
      "tests": .array(entries.map(Self.tree)),
    ]).bytes()
  }

  private static func tree(_ entry: Entry) -> JSONTree {
    .members([
      "file": .string(entry.name), "eventKind": entry.eventKind.map { .string($0.rawValue) },
      "outcome": entry.outcome.map { .string($0.rawValue) }, "reason": entry.reason.map { .string($0) },
      "microseconds": entry.microseconds.map { .number(String($0)) }, "passed": .boolean(entry.isPassed),
      "mismatches": .array(entry.mismatches.map { tree($0) }), "why": entry.why.map { .string($0) },
      "against": entry.comparison.map {
        .members([
          "outcome": .string($0.outcome.rawValue), "reason": $0.reason.map { .string($0) },
          "microseconds": $0.microseconds.map { .number(String($0)) },
        ])
      },
      "differences": entry.comparison.map {
        .array($0.differences.map { tree($0.mismatch, effect: $0.effect) })
      },
    ])
  }

  private static func tree(_ mismatch: Mismatch, effect: AnswerComparison.Effect? = nil) -> JSONTree {
    .members([
      "subject": .string(mismatch.subject), "expected": .string(mismatch.expected),
      "found": .string(mismatch.found), "note": mismatch.note.map { .string($0) },
      "effect": effect.map { .string($0.rawValue) },
    ])
  }

  /// The report as XML for CI systems (the Jenkins JUnit schema).
  package var junit: String {
    let seconds = entries.reduce(0) { $0 + ($1.microseconds ?? 0) }
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<testsuites tests="\#(entries.count)" failures="\#(failed)">"#,
      #"  <testsuite name="authorizer contract" tests="\#(entries.count)" failures="\#(failed)" "#
        + #"time="\#(Self.seconds(seconds))">"#,
    ]
    for entry in entries {
      let head =
        #"    <testcase classname="contract" name="\#(Self.escaped(entry.name))" "#
        + #"time="\#(Self.seconds(entry.microseconds ?? 0))""#
      guard let first = entry.mismatches.first else {
        // Differences that do not fail.
        let told = entry.comparison == nil ? "" : Self.escaped(entry.details.joined(separator: "\n"))
        lines.append(head + (told.isEmpty ? "/>" : "><system-out>\(told)</system-out></testcase>"))
        continue
      }
      let text = entry.details.joined(separator: "\n")
      let title = entry.why.map { "\(first.subject): \($0)" } ?? Self.title(of: first)
      lines += [
        head + ">",
        #"      <failure message="\#(Self.escaped(title))">\#(Self.escaped(text))</failure>"#,
        "    </testcase>",
      ]
    }
    return (lines + ["  </testsuite>", "</testsuites>", ""]).joined(separator: "\n")
  }

  /// The subject, and the first line of the explanation.
  private static func title(of mismatch: Mismatch) -> String {
    let line = mismatch.note?.splitBytes(at: "\n").first
    return mismatch.subject + (line.map { ": \($0)" } ?? "")
  }

  private static func seconds(_ microseconds: Int) -> String {
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
  }

  /// Returns text for an XML 1.0 document, which allows no control characters, not even escaped (section 2.2).
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n", "\t": escaped.unicodeScalars.append(scalar)
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension ContractReport.Entry {
  fileprivate var details: [String] {
    if let comparison { return comparison.differences.map(\.line) }
    return mismatches.flatMap(ContractReport.lines(of:)) + (why.map { ["why: " + $0] } ?? [])
  }
}
