import Foundation
import Synchronization
import Testing
import TestSupport

@testable import LambdaRuntime

@Suite("SIGTERM", .hangLimit)
struct TerminationTests {
  /// Disables the timeout after SIGTERM, because the machine may be slower than 450 ms.
  static let untimed = ["AT_START": "take no alarm"]

  @Test("ends a waiting function with status 0")
  func idle() throws {
    let server = try #require(ScriptedServer([[.takeRequest, .expectEnd]]))
    let function = try FunctionUnderTest(server.address)
    server.waitUntilRequests(1)
    function.send(SIGTERM)
    #expect(try function.finish().end == .status(0))
    #expect(server.finish().problems == [])
  }

  @Test("does not prevent the answer to an event that arrived before it and is unread")
  func eventUnread() throws {
    let function = Mutex<Int32>(0)
    func signal(_ signals: Int32...) -> ScriptedServer.Step {
      .call { for signal in signals { kill(function.withLock { $0 }, signal) } }
    }
    let server = try #require(
      ScriptedServer([
        [
          .takeRequest, .awaitTest, signal(SIGSTOP), .send(Answers.event("\"now\"")),
          signal(SIGTERM, SIGCONT), .takeRequest, .send(Answers.accepted), .expectEnd,
        ]
      ]))
    let started = try FunctionUnderTest(server.address, Self.untimed)
    function.withLock { $0 = started.processID }
    server.proceed()
    #expect(try started.finish().end == .status(0))
    let recording = server.finish()
    #expect(recording.problems == [])
    #expect(recording.requests.last?.line == "POST /2018-06-01/runtime/invocation/r-1/response HTTP/1.1")
  }

  @Test("does not prevent the answer to the open invocation, but no other is requested")
  func invocationInHand() throws {
    let server = try #require(
      ScriptedServer([
        [
          .takeRequest, .send(Answers.event("\"hold\"")), .takeRequest, .send(Answers.accepted), .expectEnd,
        ]
      ]))
    let function = try FunctionUnderTest(server.address, Self.untimed)
    function.waitUntilHeld()
    function.send(SIGTERM)
    try function.release()
    #expect(try function.finish().end == .status(0))
    let recording = server.finish()
    #expect(recording.problems == [])
    #expect(recording.requests.last?.line == "POST /2018-06-01/runtime/invocation/r-1/response HTTP/1.1")
    #expect(recording.requests.last?.body == "\"hold\"")
  }

  @Test(
    "ends a function by the signal if the answer is late, also if SIGTERM is repeated",
    arguments: [false, true])
  func noAnswer(_ repeats: Bool) throws {
    let server = try #require(
      ScriptedServer([[.takeRequest, .send(Answers.event("\"hold\"")), .expectEnd]]))
    let function = try FunctionUnderTest(server.address)
    function.waitUntilHeld()
    function.send(SIGTERM)
    let sender = repeats ? Self.repeated(SIGTERM, to: function.processID) : nil
    defer { sender?.cancel() }
    #expect(try function.finish().end == .signal(SIGTERM))
    #expect(server.finish().connections.map(\.count) == [1])
  }

  /// Sends a signal ten times a second until the timer is canceled.
  private static func repeated(_ signal: Int32, to processID: Int32) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now(), repeating: .milliseconds(100))
    timer.setEventHandler { kill(processID, signal) }
    timer.activate()
    return timer
  }
}

@Suite("The trace variable", .hangLimit)
struct TraceVariableTests {
  @Test("contains the trace of each invocation, and is empty without a trace")
  func trace() throws {
    func steps(_ trace: String?) -> [ScriptedServer.Step] {
      let fields = trace.map { ["Lambda-Runtime-Trace-Id: \($0)"] } ?? []
      return [
        .takeRequest, .send(Answers.event("\"trace\"", fields: fields)), .takeRequest,
        .send(Answers.accepted),
      ]
    }
    let traces = [nil, "Root=1-5;Parent=2;Sampled=1", "Root=1-6", nil, String(repeating: "x", count: 1024)]
    let server = try #require(
      ScriptedServer([traces.flatMap(steps) + [.takeRequest, .send(Answers.refusal(500))]]))
    let function = try FunctionUnderTest(server.address)
    #expect(try function.finish().end == .status(RuntimeExitStatus.unavailable.rawValue))
    let answers = server.finish().requests.map(\.body).filter { !$0.isEmpty }
    #expect(answers == [#""none""#, #""Root=1-5;Parent=2;Sampled=1""#, #""Root=1-6""#, #""""#, #""""#])
  }

  static let traces: [(received: [UInt8], variable: String)] = [
    (Array("Root=1-5;Parent=2;Sampled=1".utf8), "Root=1-5;Parent=2;Sampled=1"),
    (Array("Root=\u{E9}\"".utf8), "Root=\u{E9}\""),
    ([0x52, 0xFF, 0x3D], "R\u{FFFD}="),
    ([0xC3], "\u{FFFD}"),
    ([], ""),
  ]

  @Test("is UTF-8: ill-formed bytes of a trace become U+FFFD", arguments: traces)
  func illFormed(received: [UInt8], variable: String) {
    let context = InvocationContext(InvocationFields(requestID: [0x72], traceID: received))
    #expect(context.traceVariable.elementsEqual(variable.utf8))
    #expect(context.traceIDBytes == received[...])
  }
}
