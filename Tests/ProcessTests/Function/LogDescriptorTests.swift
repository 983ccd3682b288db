@testable import LambdaEmulator
@testable import AuthorizerContract
import Foundation
import JSON
import Testing
import TestSupport

/// The log descriptor in every state, with the shipped function.
@Suite(.needsBootstrap, .hangLimit)
struct LogDescriptorTests {
  /// One frame: type and level, length, microseconds (big-endian), then the line.
  struct Frame {
    let type: UInt32
    let microseconds: UInt64
    let line: [UInt8]

    static func all(in bytes: [UInt8]) throws -> [Frame] {
      var frames: [Frame] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let number = { (range: Range<Int>) in
          rest.dropFirst(range.lowerBound).prefix(range.count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let (type, length) = (number(0..<4), Int(number(4..<8)))
        try #require(rest.count >= 16 + length)
        frames.append(
          Frame(
            type: UInt32(type), microseconds: number(8..<16), line: Array(rest.dropFirst(16).prefix(length))))
        rest = rest.dropFirst(16 + length)
      }
      return frames
    }
  }

  @Test("every line goes to Lambda's descriptor in a frame", arguments: ["JSON", "Text"])
  func frames(format: String) async throws {
    let workshop = try Workshop()
    let script = #"exec 9>frames; _LAMBDA_TELEMETRY_LOG_FD=9 exec "$0""#
    let function = try LoggingFunction(
      in: workshop.folder, ["AWS_LAMBDA_LOG_FORMAT": format], members: #","metrics":{"namespace":"A"}"#,
      script: "cd \"$LAMBDA_TASK_ROOT\"; " + script)
    let start = UInt64(Date().timeIntervalSince1970) * 1_000_000
    let results = try await function.run(try LoggingFunction.events())
    #expect(results.map { Evaluation(of: $0.answer, to: []).outcome }.last == .failure)
    #expect(function.lines == [])
    let bytes = try Data(contentsOf: workshop.folder.appendingPathComponent("frames"))
    let frames = try Frame.all(in: Array(bytes))
    let base: UInt32 = format == "JSON" ? 0xA55A_0002 : 0xA55A_0003
    // Development keys, then a decision and its metrics for each event.
    let levels: [UInt32] = [0x10, 0x0C, 0x0C, 0x0C, 0x0C, 0x14, 0x0C]
    #expect(frames.map(\.type) == levels.map { base | $0 })
    let end = UInt64(Date().timeIntervalSince1970 * 1_000_000)
    #expect(frames.allSatisfy { (start...end).contains($0.microseconds) })
    #expect(frames.allSatisfy { !$0.line.contains(0x0A) })
    let isObject = frames.map { (try? JSONTree(parsing: $0.line)) != nil }
    #expect(
      isObject
        == (format == "JSON"
          ? Array(repeating: true, count: 7) : [false, false, true, false, true, false, true]))
  }

  @Test(
    "an invalid descriptor is reported once, and lines go to standard output",
    arguments: ["77", "x", "-1", "1", "99999999999999999999", "0x9"])
  func misread(descriptor: String) async throws {
    let workshop = try Workshop()
    let function = try LoggingFunction(in: workshop.folder, ["_LAMBDA_TELEMETRY_LOG_FD": descriptor])
    try await function.run(try LoggingFunction.events())
    #expect(
      function.objects.map { $0["message"]?.text } == [
        "_LAMBDA_TELEMETRY_LOG_FD: not an open descriptor, writing to standard output", "decision",
        "decision",
        "decision",
      ])
  }

  @Test("a read-only descriptor is invalid")
  func readOnly() async throws {
    let workshop = try Workshop()
    let function = try LoggingFunction(
      in: workshop.folder, script: #"exec 9</dev/null; _LAMBDA_TELEMETRY_LOG_FD=9 exec "$0""#)
    try await function.run(try LoggingFunction.events())
    #expect(function.objects.count == 4)
  }

  static let sinks: [(name: String, script: String)] = [
    ("closed", #"exec "$0" >&-"#), ("all closed", #"exec "$0" <&- >&- 2>&-"#),
    ("no space", #"exec "$0" >/dev/full"#),
    ("no reader", #"mkfifo f; exec 8<>f 7>f; exec "$0" >&7 7>&- 8<&-"#),
    ("closed frames", #"exec 9>&1; _LAMBDA_TELEMETRY_LOG_FD=9 exec "$0" 9>&-"#),
  ]

  @Test("no state of standard output loses an answer or writes a line into a socket", arguments: sinks)
  func output(name: String, script: String) async throws {
    let workshop = try Workshop()
    let function = try LoggingFunction(
      in: workshop.folder, members: #","metrics":{"namespace":"A"}"#,
      script: "cd \"$LAMBDA_TASK_ROOT\"; " + script)
    let events = try LoggingFunction.events()
    let results = try await function.run(events + events)
    let outcomes = zip(events + events, results).map { Evaluation(of: $1.answer, to: $0).outcome }
    #expect(outcomes == [.allowed, .unauthorized, .failure, .allowed, .unauthorized, .failure], "\(name)")
  }

  @Test("a full non-blocking pipe loses lines, but no answer", .needsPython)
  func full() async throws {
    let workshop = try Workshop()
    let program = """
      import os, sys
      r, w = os.pipe()
      os.set_blocking(w, False)
      os.set_inheritable(r, True)
      os.dup2(w, 1)
      os.execv(sys.argv[1], [sys.argv[1]])
      """
    try workshop.write(program, to: "full.py")
    let script = "exec \(Workshop.python ?? "") -I \"$LAMBDA_TASK_ROOT/full.py\" \"$0\""
    let function = try LoggingFunction(
      in: workshop.folder, members: #","metrics":{"namespace":"A"}"#, script: script)
    let event = Array("{}".utf8)
    let results = try await function.run(Array(repeating: event, count: 400))
    #expect(results.allSatisfy { Evaluation(of: $0.answer, to: event).outcome == .failure })
  }

  @Test("the program that fetches keys gets neither the variable nor the descriptor")
  func children() async throws {
    let workshop = try Workshop()
    let copy = workshop.folder.appendingPathComponent("bootstrap").path
    try TestProgram.copy(Workshop.bootstrap, to: copy)
    let program = """
      #!/bin/sh
      cd "${0%/*}"; env > variables; ls /proc/$$/fd > descriptors; exit 1
      """
    try workshop.write(program: program, to: "fetch-keys")
    let configuration =
      #"{"issuers":[{"preset":"apple","audiences":["a"]}]}"#
    let function = try LoggingFunction(
      in: workshop.folder, ["AUTHORIZER_CONFIG": configuration],
      script: "exec 9>\"$LAMBDA_TASK_ROOT/frames\"; _LAMBDA_TELEMETRY_LOG_FD=9 exec \"\(copy)\"")
    try await function.run([Array("{}".utf8)])
    let text = { name in try String(contentsOf: workshop.folder.appendingPathComponent(name), encoding: .utf8)
    }
    let variables = try text("variables")
    #expect(!variables.isEmpty)
    #expect(!variables.contains("TELEMETRY"))
    #expect(!(try Data(contentsOf: workshop.folder.appendingPathComponent("frames"))).isEmpty)
    guard let descriptors = try? text("descriptors"), !descriptors.isEmpty else { return }
    #expect(!descriptors.split(separator: "\n").contains("9"))
  }
}
