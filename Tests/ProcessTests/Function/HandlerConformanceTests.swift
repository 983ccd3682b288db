import LambdaEmulator
import Foundation
import JSON
import TestSupport
import Testing

/// The table of docs/harness/handlers.md shows what happens here.
@Suite(.serialized, .hangLimit)
struct HandlerConformanceTests {
  /// A row of the table.
  struct Row: CustomTestStringConvertible, Sendable {
    /// Its first cell.
    let name: String
    var events: [String] = ["{}"]
    /// Another text of the handler's file: of Python, and of Node.js.
    var sources: (python: String, node: String)?
    var isForNodeOnly = false
    var memoryMegabytes = 1024
    var timeoutMilliseconds = HangLimit.milliseconds
    /// The text of a cell.
    let cell: @Sendable ([InvocationResult]) throws -> String
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "cold start", events: [#"{"do":"tell"}"#, #"{"do":"tell"}"#]) { results in
      let starts = results.map { $0.report?.initializationNanoseconds == nil ? "no" : "an" }
      return "\(starts[0]) `Init Duration` for the first event, \(starts[1]) for the second"
    },
    Row(name: "reuse", events: [#"{"do":"tell"}"#, #"{"do":"tell"}"#]) { results in
      try "calls " + results.map { try number($0, "calls") }.joined(separator: ", ")
    },
    Row(name: "error of the handler", events: [#"{"do":"fail"}"#]) { try failure($0[0]) },
    Row(name: "`Unauthorized`", events: [#"{"do":"unauthorized"}"#]) { try failure($0[0]) },
    Row(name: "answer that is no JSON", events: [#"{"do":"unserializable"}"#]) { try failure($0[0]) },
    Row(name: "package that is missing", sources: ("import no_such", "import 'no-such'")) {
      try failure($0[0])
    },
    Row(name: "syntax error", sources: ("def handler(", "export const handler = (")) { try failure($0[0]) },
    Row(name: "function that is missing", sources: ("x = 1", "export const x = 1")) { try failure($0[0]) },
    Row(
      name: "timeout", events: [#"{"do":"hang"}"#], timeoutMilliseconds: 3000
    ) { results in
      results[0].answer == .timedOut(milliseconds: 3000) ? "killed after the timeout" : "not killed"
    },
    Row(name: "out of memory", events: [#"{"do":"memory"}"#], memoryMegabytes: 256) { try failure($0[0]) },
    Row(name: "exit status 3", events: [#"{"do":"exit"}"#]) { try failure($0[0]) },
    Row(name: "abort", events: [#"{"do":"abort"}"#]) { try failure($0[0]) },
    Row(name: "event after a death", events: [#"{"do":"exit"}"#, #"{"do":"tell"}"#]) { results in
      try "calls " + number(results[1], "calls")
    },
    Row(name: "log", events: [#"{"do":"log"}"#]) { results in
      let isThere = results[0].log.contains { $0.text.contains("a line of the handler") }
      return isThere ? "lines of the event" : "no lines"
    },
    Row(name: "answer of 6,000,002 bytes", events: [#"{"do":"large","bytes":6000000}"#]) { results in
      results[0].payload.count == 6_000_002 ? "whole" : "\(results[0].payload.count) bytes"
    },
    Row(name: "answer of 7,000,002 bytes", events: [#"{"do":"large","bytes":7000000}"#]) {
      try failure($0[0])
    },
    Row(
      name: "event of 5,000,000 bytes",
      events: [#"{"do":"measure","text":"\#(String(repeating: "y", count: 5_000_000))"}"#]
    ) { try number($0[0], "length") + " characters" },
    Row(name: "1,000 events", events: (1...1000).map { #"{"number":\#($0)}"# } + [#"{"do":"tell"}"#]) {
      results in
      let right = try results.enumerated().count { index, result in
        try index < 1000 && number(result, "number") == "\(index + 1)"
      }
      return "\(right) right answers of process \(try number(results[1000], "calls") == "1001" ? "1" : "2")"
    },
    Row(name: "second answer to an event", events: [#"{"do":"own"}"#]) { results in
      String(decoding: results[0].payload, as: UTF8.self) == #"{"forged":true}"#
        ? "the first counts" : "it counts"
    },
    Row(name: "unhandled rejection", events: [#"{"do":"rejection"}"#], isForNodeOnly: true) {
      try failure($0[0])
    },
    Row(name: "exception in a timer", events: [#"{"do":"uncaught"}"#], isForNodeOnly: true) {
      try failure($0[0])
    },
    Row(name: "promise that nothing settles", events: [#"{"do":"never"}"#], isForNodeOnly: true) {
      try failure($0[0])
    },
    Row(
      name: "`awslambda.streamifyResponse`",
      sources: (
        "",
        """
        export const handler = awslambda.streamifyResponse(async (event, stream) => {
          stream = awslambda.HttpResponseStream.from(stream, { statusCode: 201 });
          stream.write("whole");
          stream.end();
        });
        """
      ), isForNodeOnly: true
    ) { results in
      String(decoding: results[0].payload, as: UTF8.self).hasSuffix("\u{0}whole")
        ? "whole" : try failure(results[0])
    },
  ]

  /// The error type, and the member with the stack if it names a file of the handler.
  private static func failure(_ result: InvocationResult) throws -> String {
    guard result.isFunctionError else { return "no error" }
    let document = try JSONTree(parsing: result.payload)
    guard case .string(let type)? = document["errorType"] else { return "no error type" }
    let stack = ["stackTrace", "trace"].first { member in
      guard case .array(let frames)? = document[member] else { return false }
      return frames.contains { if case .string(let text) = $0 { text.contains("/handler.") } else { false } }
    }
    return "`\(type)`" + (stack.map { ", `\($0)`" } ?? "")
  }

  private static func number(_ result: InvocationResult, _ member: String) throws -> String {
    guard case .number(let text)? = try JSONTree(parsing: result.payload)[member] else { return "nothing" }
    return text
  }

  /// The cells of the page's table, by the first cell of the row.
  private static let page: [String: [String]] = {
    let url = Workshop.packageRoot.appendingPathComponent("docs/harness/handlers.md")
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    let part = text.components(separatedBy: "## Conformance").last ?? ""
    var cells: [String: [String]] = [:]
    for line in part.split(separator: "\n") where line.hasPrefix("| ") {
      let row = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if row.count == 3 { cells[row[0]] = Array(row[1...]) }
    }
    return cells
  }()

  @Test("the page has these rows, and no other") func pageRows() {
    #expect(Set(Self.page.keys) == Set(Self.rows.map(\.name) + ["case"]))
    #expect(Self.page["case"]?.prefix(2) == ["Python", "Node.js"])
  }

  @Test("each cell is what happens", arguments: rows, HandlerColumn.here)
  func cell(_ row: Row, _ column: HandlerColumn) async throws {
    let cells = try #require(Self.page[row.name])
    let cell = cells[column == .node ? 1 : 0]
    guard !row.isForNodeOnly || column == .node else {
      #expect(cell == "–")
      return
    }
    let source = row.sources.map { column == .node ? $0.node : $0.python }
    let results = try await column.results(row.events, source: source) { settings in
      settings.memoryMegabytes = row.memoryMegabytes
      settings.timeoutMilliseconds = row.timeoutMilliseconds
    }
    #expect(try row.cell(results) == cell, "\(row.name), \(column)")
  }
}
