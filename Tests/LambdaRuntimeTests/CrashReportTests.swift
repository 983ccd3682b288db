import Foundation
import JSON
import Synchronization
import Testing
import TestSupport

@testable import LambdaRuntime

/// Signals to a function with a scripted Runtime API. The first connection is the function's; the second is the
/// report's.
@Suite("A crash report", .hangLimit)
struct CrashReportTests {
  struct Crash: Sendable {
    let act: String
    /// Depends on the trap instruction of the compiler.
    let signal: Int32
    let name: String
  }

  #if arch(x86_64) || arch(i386)
    static let trap = Crash(act: "trap", signal: SIGILL, name: "SIGILL")
  #else
    static let trap = Crash(act: "trap", signal: SIGTRAP, name: "SIGTRAP")
  #endif

  static let crashes = [
    trap, Crash(act: "overflow", signal: SIGSEGV, name: "SIGSEGV"),
    Crash(act: "null", signal: SIGSEGV, name: "SIGSEGV"),
    Crash(act: "abort", signal: SIGABRT, name: "SIGABRT"),
  ]

  static func event(_ act: String, _ fields: [String] = []) -> ScriptedServer.Step {
    .send(Answers.event("\"\(act)\"", id: "8476a536-e9f4", fields: fields))
  }

  static let report: [ScriptedServer.Step] = [.takeRequest, .send(Answers.accepted), .expectEnd]

  @Test(
    "contains the invocation and the signal, and the process ends by the signal", arguments: crashes,
    [nil, "attempt-2"])
  func invocation(_ crash: Crash, _ invocationID: String?) throws {
    let echo = invocationID.map { ["Lambda-Runtime-Invocation-Id: \($0)"] } ?? []
    let server = try #require(
      ScriptedServer([[.takeRequest, Self.event(crash.act, echo), .expectEnd], Self.report]))
    let before = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    let (end, errors) = try FunctionUnderTest(server.address).finish()
    let recording = server.finish()
    #expect(end == .signal(crash.signal))
    let body = #"{"errorMessage":"the function crashed: \#(crash.name)","errorType":"Runtime.Crash"}"#
    let fields = echo + ["Lambda-Runtime-Function-Error-Type: Runtime.Crash", "Connection: close"]
    #expect(
      recording.connections.last?.map(\.raw) == [
        "POST /2018-06-01/runtime/invocation/8476a536-e9f4/error HTTP/1.1\r\n"
          + "Host: \(server.address)\r\nUser-Agent: api-gateway-authorizer\r\nContent-Type: application/json\r\n"
          + fields.map { $0 + "\r\n" }.joined() + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
      ])
    let lines = errors.split(separator: "\n").filter { $0.hasPrefix("{") }
    // Lambda's level filter drops a line without a timestamp.
    let line = try #require(lines.first)
    let text = line.dropFirst(#"{"timestamp":""#.utf8.count).prefix("2026-11-21T10:00:00.000Z".utf8.count)
    let time = try Date(String(text), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    #expect((before...Date()).contains(time))
    #expect(
      lines.map { $0.replacing("\"timestamp\":\"\(text)\",", with: "") } == [
        #"{"level":"FATAL","message":"the function crashed: \#(crash.name)","errorType":"Runtime.Crash","requestId":"8476a536-e9f4"}"#
      ])
    #expect(throws: Never.self) { try lines.map { try JSONTree(parsing: Array($0.utf8), limits: .event) } }
  }

  static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE]

  @Test("uses a new connection during a POST", arguments: signals)
  func middleOfPost(_ signal: Int32) throws {
    let function = Mutex<Int32>(0)
    let server = try #require(
      ScriptedServer(
        [
          [
            .takeRequest, Self.event("long", ["Lambda-Runtime-Invocation-Id: i"]), .takeBytes(1 << 16),
            .awaitTest, .call { _ = kill(function.withLock { $0 }, signal) },
          ], Self.report,
        ]))
    let started = try FunctionUnderTest(server.address)
    function.withLock { $0 = started.processID }
    server.proceed()
    #expect(try started.finish().end == .signal(signal))
    let post = try #require(server.finish().connections.last?.last)
    #expect(post.line == "POST /2018-06-01/runtime/invocation/8476a536-e9f4/error HTTP/1.1")
    #expect(post.values("Lambda-Runtime-Invocation-Id") == ["i"])
    #expect(post.values("Lambda-Runtime-Function-Error-Type") == ["Runtime.Crash"])
  }

  @Test("is posted to /init/error before the first event")
  func initialization() throws {
    let server = try #require(ScriptedServer([Self.report]))
    let (end, errors) = try FunctionUnderTest(server.address, ["AT_START": "trap"]).finish()
    #expect(end == .signal(Self.trap.signal))
    let post = try #require(server.finish().requests.first)
    #expect(post.line == "POST /2018-06-01/runtime/init/error HTTP/1.1")
    #expect(post.values("Lambda-Runtime-Function-Error-Type") == ["Runtime.Crash"])
    #expect(
      errors.contains(#""message":"the function crashed: \#(Self.trap.name)","errorType":"Runtime.Crash"}"#))
  }

  @Test("is one log line without a POST if no invocation is open")
  func idle() throws {
    let server = try #require(
      ScriptedServer([
        HTTPConnectionTests.invocation + [.takeRequest, .expectEnd], [.takeRequest],
      ]))
    let function = try FunctionUnderTest(server.address)
    server.waitUntilRequests(3)
    function.send(SIGSEGV)
    let (end, errors) = try function.finish()
    #expect(end == .signal(SIGSEGV))
    #expect(errors.contains("the function crashed: SIGSEGV"))
    #expect(!errors.contains("requestId"))
    // The next connection is from the test, so the function has opened none.
    var probe = try RuntimeAPI(server)
    _ = try? probe.reportInitializationFailure(ErrorDocument(type: .function("probe"), message: ""))
    #expect(
      server.finish().connections.last?.first?.values("Lambda-Runtime-Function-Error-Type") == [
        "Function.Probe"
      ])
  }

  @Test(
    "ends without an answer after its timeout, and a crash of the handler ends the process",
    arguments: [false, true])
  func unanswered(_ crashesAgain: Bool) throws {
    let function = Mutex<Int32>(0)
    let again: [ScriptedServer.Step] =
      crashesAgain ? [.call { _ = kill(function.withLock { $0 }, SIGBUS) }] : []
    let server = try #require(
      ScriptedServer([
        [.takeRequest, .awaitTest, Self.event("trap")], [.takeRequest] + again + [.expectEnd],
      ]))
    let started = try FunctionUnderTest(server.address)
    function.withLock { $0 = started.processID }
    server.proceed()
    let (end, errors) = try started.finish()
    #expect(end == .signal(crashesAgain ? SIGBUS : Self.trap.signal))
    #expect(errors.split(separator: "\n").filter { $0.hasPrefix("{") }.count == 1)
    #expect(server.finish().connections.map(\.count) == [1, 1])
  }

  @Test("does not wait for a full standard error")
  func fullStandardError() throws {
    // Not a trap, because Swift waits for standard error itself if it prints the reason of a trap.
    let server = try #require(ScriptedServer([[.takeRequest, Self.event("null"), .expectEnd], Self.report]))
    let function = try FunctionUnderTest(server.address, errorsAreFull: true)
    // `finish` of the function reads standard error only after this line.
    let recording = server.finish()
    #expect(recording.problems == [])
    #expect(recording.connections.map(\.count) == [1, 1])
    #expect(try function.finish().end == .signal(SIGSEGV))
  }

  @Test("is skipped if the server no longer listens")
  func unheard() throws {
    let server = try #require(ScriptedServer([[.takeRequest, Self.event("trap")]]))
    #expect(try FunctionUnderTest(server.address).finish().end == .signal(Self.trap.signal))
  }
}
