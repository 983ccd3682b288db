@testable import EmulatorTestSupport
@testable import LambdaEmulator
import JSON
import TestSupport
import Testing

/// Handlers that do what no handler should: each costs its own event only.
@Suite(.hangLimit)
struct HandlerHostileTests {
  static let files = HandlerContractTests.subjects.map(\.file)

  private static func results(
    _ file: String, _ events: [String], change: (inout FunctionSettings) -> Void = { _ in },
    clock: LambdaClock = .longTimeouts
  ) async throws -> [InvocationResult] {
    let workplace = try HandlerWorkplace.withFixtures()
    var settings = try workplace.settings(file)
    change(&settings)
    return try await HandlerWorkplace.results(settings, events, clock: clock)
  }

  @Test("of two answers to one event the first one counts", arguments: files)
  func twoAnswers(_ file: String) async throws {
    let results = try await Self.results(file, [#"{"do":"own"}"#, #"{"do":"nothing"}"#, #"{"do":"tell"}"#])
    #expect(results.map(\.text).prefix(2) == [#"{"forged":true}"#, "null"])
    #expect(results[2].text.contains("calls"))
  }

  @Test("an answer to another event is refused", arguments: files)
  func otherEvent(_ file: String) async throws {
    let results = try await Self.results(file, [#"{"do":"other"}"#, #"{"do":"tell"}"#])
    #expect(try JSONTree(parsing: results[0].payload)["status"] == .number("400"))
    #expect(try JSONTree(parsing: results[1].payload)["calls"] == .number("2"))
  }

  @Test("a handler that ignores SIGTERM is killed, with the processes that it started", arguments: files)
  func deaf(_ file: String) async throws {
    let results = try await Self.results(file, [#"{"do":"deaf"}"#], change: { $0.timeoutMilliseconds = 1000 })
    #expect(results.first?.answer == .timedOut(milliseconds: 1000))
  }

  @Test("a flood of output is kept in part", arguments: files)
  func flood(_ file: String) async throws {
    let bytes = FunctionProcess.keptBytes * 2
    let results = try await Self.results(
      file, [#"{"do":"chatter","bytes":\#(bytes)}"#, #"{"do":"nothing"}"#])
    #expect(results.map(\.text) == [#""said""#, "null"])
    let kept = results.map { $0.log.reduce(0) { $0 + $1.text.utf8.count } }
    #expect(kept[0] <= FunctionProcess.keptBytes)
    // Node.js writes a part of it after the answer.
    #expect(kept[0] > 0)
  }

  /// Names of functions with characters that mean something to a shell, a path or an object.
  static let symbols = [
    "a b", "own;exit 3", "$(exit 3)", "'", "\"", "\u{0}x", "ä", "__proto__", "constructor", "toString",
    "__builtins__x",
  ]

  @Test("a name that is no function is not found", arguments: files, symbols)
  func symbol(_ file: String, _ symbol: String) async throws {
    // The system's arguments end at a zero byte.
    guard !symbol.contains("\u{0}") else { return }
    let workplace = try HandlerWorkplace.withFixtures()
    let settings = try workplace.settings(file, symbol)
    let result = try #require(try await HandlerWorkplace.results(settings, ["{}"]).first)
    #expect(
      result.text.contains(#""errorType":"Runtime.HandlerNotFound""#)
        || result.text.contains(#""errorType": "Runtime.HandlerNotFound""#), "\(result.text)")
  }

  @Test("an error that a handler leaves behind is the only answer, and ends the process", .needs(.node))
  func leftError() async throws {
    let workplace = try HandlerWorkplace([
      "app.mjs": """
      export const handler = async () => {
        setImmediate(() => { throw new RangeError("left"); });
        await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
        return "forged";
      };
      """
    ])
    let results = try await HandlerWorkplace.results(try workplace.settings("app.mjs"), ["{}", "{}"])
    for result in results {
      #expect(result.text.contains("RangeError"), "\(result.text)")
      #expect(!result.log.contains { $0.text.contains("/response") }, "\(result.log)")
    }
  }

  @Test("a file that is replaced while its process runs is not read again", arguments: files)
  func replaced(_ file: String) async throws {
    let workplace = try HandlerWorkplace.withFixtures()
    let settings = try workplace.settings(file)
    let folder = workplace.folder
    let texts = try await FunctionPool.run(
      settings, inheriting: ["PATH": "/usr/bin:/bin"], clock: .longTimeouts, logger: .silent
    ) { pool in
      var texts = [
        String(decoding: try await pool.invoke(Array(#"{"do":"nothing"}"#.utf8)).payload, as: UTF8.self)
      ]
      try TestProgram.write("not a program (", to: folder + "/" + file)
      texts.append(
        String(decoding: try await pool.invoke(Array(#"{"do":"nothing"}"#.utf8)).payload, as: UTF8.self))
      // The next process reads it.
      _ = try await pool.invoke(Array(#"{"do":"exit"}"#.utf8))
      texts.append(String(decoding: try await pool.invoke(Array("{}".utf8)).payload, as: UTF8.self))
      return texts
    }
    #expect(texts.prefix(2) == ["null", "null"])
    #expect(texts.last?.contains("Runtime.UserCodeSyntaxError") == true, "\(texts)")
  }
}
