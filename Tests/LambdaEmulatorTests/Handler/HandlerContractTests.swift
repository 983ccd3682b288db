@testable import EmulatorTestSupport
@testable import LambdaEmulator
import JSON
import TestSupport
import Testing

/// The contract between Lambda and a handler, per language.
@Suite(.hangLimit)
struct HandlerContractTests {
  /// A language with its fixture.
  struct Subject: CustomTestStringConvertible, Sendable {
    let language: HandlerLanguage
    let file: String
    var testDescription: String { language.name }
  }

  static let subjects = [
    Subject(language: .python, file: "handler.py"), Subject(language: .node, file: "handler.mjs"),
  ].filter { HandlerWorkplace.has($0.language) }

  @Test("the interpreters of this machine are found") func interpreters() {
    // Every supported developer machine of this project has Python.
    #expect(HandlerWorkplace.has(.python))
  }

  private static func results(
    _ subject: Subject, _ events: [String], change: (inout FunctionSettings) -> Void = { _ in }
  ) async throws -> [InvocationResult] {
    let workplace = try HandlerWorkplace.withFixtures()
    var settings = try workplace.settings(subject.file)
    change(&settings)
    return try await HandlerWorkplace.results(settings, events)
  }

  @Test("the first event starts the handler, the next one reuses it", arguments: subjects)
  func reuse(_ subject: Subject) async throws {
    let results = try await Self.results(subject, [#"{"do":"tell"}"#, #"{"do":"tell"}"#])
    let told = try results.map { try JSONTree(parsing: $0.payload) }
    #expect(told.map { $0["calls"] } == [.number("1"), .number("2")])
    #expect(results.map { $0.report?.initializationNanoseconds != nil } == [true, false])
    // The start of the first event has the lines of the import.
    #expect(results[0].log.contains { $0.text.hasSuffix("imported") })
    #expect(!results[1].log.contains { $0.text.hasSuffix("imported") })
  }

  @Test("the context has Lambda's members", arguments: subjects)
  func context(_ subject: Subject) async throws {
    let result = try #require(try await Self.results(subject, [#"{"do":"tell"}"#]).first)
    let told = try JSONTree(parsing: result.payload)
    #expect(told["request"] == .string(result.requestID))
    #expect(told["arn"] == .string("arn:aws:lambda:us-east-1:123456789012:function:mine"))
    #expect(told["name"] == .string("mine"))
    #expect(told["version"] == .string("$LATEST"))
    #expect(told["memory"] == .string("1024"))
    #expect(told["group"] == .string("/aws/lambda/mine"))
    #expect(told["stream"] == .string("local"))
    guard case .number(let text)? = told["remaining"], let remaining = Int(text) else {
      Issue.record("no remaining time: \(told)")
      return
    }
    #expect(remaining > 0 && remaining <= HangLimit.milliseconds)
    let trace = try #require(told["trace"]?.plain, "no trace: \(told)")
    #expect(trace.hasPrefix("Root=1-"))
  }

  /// An event and the payload that the caller gets.
  static let answers: [(event: String, payload: String)] = [
    (
      #"{"do":"echo","n":1.5,"s":"äß\n€😀","l":[null,true]}"#,
      #"{"do":"echo","n":1.5,"s":"äß\n€😀","l":[null,true]}"#
    ),
    (#"{"do":"nothing"}"#, "null"), (#"{"do":"log"}"#, #""logged""#),
  ]

  @Test("answers are JSON", arguments: subjects, answers)
  func answer(_ subject: Subject, _ row: (event: String, payload: String)) async throws {
    let result = try #require(try await Self.results(subject, [row.event]).first)
    #expect(
      try JSONTree(parsing: result.payload) == JSONTree(parsing: Array(row.payload.utf8)), "\(result.text)")
    #expect(!result.isFunctionError)
  }

  /// What goes wrong: the event, the error type in Python and in Node, and a part of the message.
  static let errors: [(event: String, python: String, node: String, message: String)] = [
    (#"{"do":"fail"}"#, "ValueError", "TypeError", "no such thing"),
    (#"{"do":"unauthorized"}"#, "Exception", "Error", "Unauthorized"),
    (#"{"do":"unserializable"}"#, "Runtime.MarshalError", "Error", "Unable to "),
    (#"{"do":"exit"}"#, "Runtime.ExitError", "Runtime.ExitError", "exit status 3"),
    (#"{"do":"abort"}"#, "Runtime.ExitError", "Runtime.ExitError", "signal: aborted"),
    (
      #"{"do":"large","bytes":7000000}"#, "Function.ResponseSizeTooLarge", "Function.ResponseSizeTooLarge",
      "payload size"
    ),
  ]

  @Test("errors have Lambda's form, and the next event is answered", arguments: subjects, errors)
  func error(
    _ subject: Subject, _ row: (event: String, python: String, node: String, message: String)
  ) async throws {
    let results = try await Self.results(subject, [row.event, #"{"do":"nothing"}"#])
    #expect(results.last?.text == "null")
    let result = try #require(results.first)
    #expect(result.isFunctionError)
    let document = try JSONTree(parsing: result.payload)
    let isPython = subject.language == .python
    #expect(document["errorType"] == .string(isPython ? row.python : row.node), "\(result.text)")
    let message = try #require(document["errorMessage"]?.plain, "no message: \(result.text)")
    #expect(message.contains(row.message))
    // Only the handler's own error has a stack.
    guard row.event.contains("fail") else { return }
    let frames = try #require(document[isPython ? "stackTrace" : "trace"]?.elements, "\(result.text)")
    #expect(frames.contains { $0.plain?.contains(subject.file) == true })
  }

  @Test("a large answer and a large event arrive whole", arguments: subjects)
  func large(_ subject: Subject) async throws {
    let big = String(repeating: "y", count: 5_000_000)
    let results = try await Self.results(
      subject, [#"{"do":"large","bytes":6000000}"#, #"{"text":"\#(big)"}"#])
    #expect(results[0].payload.count == 6_000_002)
    // Python writes a space after the colon.
    #expect([5_000_011, 5_000_012].contains(results[1].payload.count))
  }

  @Test("a handler that does not answer is killed, and the next event starts another", arguments: subjects)
  func timeout(_ subject: Subject) async throws {
    let results = try await Self.results(subject, [#"{"do":"hang"}"#]) { $0.timeoutMilliseconds = 1000 }
    #expect(results.first?.answer == .timedOut(milliseconds: 1000))
    #expect(results.first?.text.contains("Task timed out after 1.00 seconds") == true)
  }

  @Test("the memory limit is that of the interpreter's own process", arguments: subjects)
  func memory(_ subject: Subject) async throws {
    let results = try await Self.results(
      subject, [#"{"do":"nothing"}"#, #"{"do":"memory"}"#, #"{"do":"nothing"}"#]
    ) { $0.memoryMegabytes = 256 }
    #expect(results.map(\.isFunctionError) == [false, true, false])
    #expect(results[1].text.contains("Runtime.OutOfMemory"), "\(results[1].text)")
    #expect((results[0].peakMemoryKiB ?? 8_000) > 7_000)
  }

  @Test("a thousand events in one process", arguments: subjects)
  func endurance(_ subject: Subject) async throws {
    let events = (1...1000).map { #"{"number":\#($0)}"# } + [#"{"do":"tell"}"#]
    let results = try await Self.results(subject, events)
    for (number, result) in results.dropLast().enumerated() {
      #expect(try JSONTree(parsing: result.payload)["number"] == .number("\(number + 1)"))
    }
    let last = try #require(results.last)
    #expect(try JSONTree(parsing: last.payload)["calls"] == .number("1001"))
  }

  @Test("a thousand events at once, nothing lost and nothing mixed up", arguments: subjects)
  func concurrency(_ subject: Subject) async throws {
    let workplace = try HandlerWorkplace.withFixtures()
    var settings = try workplace.settings(subject.file)
    settings.concurrency = 4
    let wrong = try await FunctionPool.run(
      settings, inheriting: ["PATH": "/usr/bin:/bin"], clock: .longTimeouts, logger: .silent
    ) { pool in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 1...1000 {
          group.addTask {
            let result = try await pool.invoke(Array(#"{"number":\#(number)}"#.utf8))
            return try JSONTree(parsing: result.payload)["number"] == .number("\(number)")
          }
        }
        var wrong = 0
        for try await isRight in group where !isRight { wrong += 1 }
        return wrong
      }
    }
    #expect(wrong == 0)
  }
}
