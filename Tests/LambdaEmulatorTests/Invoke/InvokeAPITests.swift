@testable import EmulatorTestSupport
@testable import LambdaEmulator
import Foundation
import JSON
import Logging
import Testing
import TestSupport

/// Tests of the Invoke API over loopback.
@Suite(.needsScriptedFunction, .hangLimit)
struct InvokeAPITests {
  typealias Answer = LoopbackClient.Answer

  static func serve<Result: Sendable>(
    _ settings: FunctionSettings, clock: LambdaClock = .longTimeouts,
    onLine: (@Sendable (FunctionLogLine) -> Void)? = nil,
    _ body: @escaping @Sendable (Caller) async throws -> Result
  ) async throws -> Result {
    let logger = Logger.silent
    return try await FunctionPool.run(settings, clock: clock, logger: logger, onLine: onLine) { pool in
      let api = InvokeAPI(functions: [pool], logger: logger)
      return try await LoopbackServer.run({ request, _ in await api.respond(to: request) }, logger: logger) {
        try await body(Caller(port: $0))
      }
    }
  }

  struct Caller: Sendable {
    let port: Int

    func invoke(
      _ payload: String, name: String = "authorizer", headers: [String: String] = [:]
    ) async throws -> Answer {
      try await send("POST", "/2015-03-31/functions/\(name)/invocations", Array(payload.utf8), headers)
    }

    func send(
      _ method: String, _ path: String, _ body: [UInt8] = [], _ headers: [String: String] = [:]
    ) async throws -> Answer {
      try await LoopbackClient(base: "http://127.0.0.1:\(port)").send(
        method, path, body: body, headers: headers)
    }
  }

  @Test func answerHasVersionAndRequestID() async throws {
    let function = try ScriptedFunction()
    let answer = try await Self.serve(function.settings()) { try await $0.invoke(#"{"do":"answer"}"#) }
    #expect(answer.status == 200)
    #expect(answer.body == #"{"size": 15}"#)
    #expect(answer.headers["content-type"] == "application/json")
    #expect(answer.headers["x-amz-executed-version"] == "$LATEST")
    #expect(answer.headers["x-amzn-requestid"]?.utf8.count == 36)
    #expect(answer.headers["x-amz-function-error"] == nil)
    #expect(answer.headers["x-amz-log-result"] == nil)
  }

  /// RIE#20, cargo-lambda: no `X-Amz-Function-Error`; an error was an HTTP 500.
  @Test(arguments: [
    #"{"do":"error"}"#: #"{"errorMessage": "Unauthorized"}"#,
    #"{"do":"exit","status":3}"#:
      #"Error: Runtime exited with error: exit status 3","errorType":"Runtime.ExitError"}"#,
    #"{"do":"exit","status":0}"#:
      #"Error: Runtime exited without providing a reason","errorType":"Runtime.ExitError"}"#,
    #"{"do":"signal","number":11}"#: #"signal: segmentation fault","errorType":"Runtime.ExitError"}"#,
  ]) func functionErrorIsA200WithAHeader(_ event: String, _ end: String) async throws {
    let function = try ScriptedFunction()
    let answer = try await Self.serve(function.settings()) { try await $0.invoke(event) }
    #expect(answer.status == 200)
    #expect(answer.headers["x-amz-function-error"] == "Unhandled")
    #expect(answer.headers["x-amz-executed-version"] == "$LATEST")
    #expect(answer.body.hasSuffix(end))
  }

  /// RIE#21: a timeout looked like an answer.
  @Test func timeoutIsAFunctionError() async throws {
    let function = try ScriptedFunction()
    let clock = HeldClock()
    var settings = function.settings()
    settings.timeoutMilliseconds = 1000
    let answer = try await Self.serve(settings, clock: clock.clock) { caller in
      async let answer = caller.invoke(#"{"do":"hang"}"#)
      await clock.advance(milliseconds: 1000)
      return try await answer
    }
    #expect(answer.status == 200)
    #expect(answer.headers["x-amz-function-error"] == "Unhandled")
    #expect(answer.body.contains("Task timed out after 1.00 seconds"))
  }

  /// RIE and sam local return no log tail.
  @Test func returnsTheLogTailOnRequest() async throws {
    let function = try ScriptedFunction()
    let (short, long) = try await Self.serve(function.settings()) { caller in
      (
        try await caller.invoke(#"{"do":"print after the answer"}"#, headers: ["X-Amz-Log-Type": "Tail"]),
        try await caller.invoke(#"{"do":"flood","lines":500}"#, headers: ["X-Amz-Log-Type": "Tail"])
      )
    }
    let lines = try Self.log(of: short)
    #expect(lines.first == "START RequestId: \(short.headers["x-amzn-requestid"] ?? "") Version: $LATEST")
    #expect(lines[1...2] == ["before", "after"])
    #expect(LogRecorder.shape(lines.last ?? "").hasPrefix("REPORT RequestId: ID|Duration: N ms|Billed"))
    let data = try #require(Data(base64Encoded: long.headers["x-amz-log-result"] ?? ""))
    #expect(data.count == 4096)
    let tail = try Self.log(of: long)
    #expect(tail.contains("line 499"))
  }

  static func log(of answer: Answer) throws -> [String] {
    let data = try #require(Data(base64Encoded: answer.headers["x-amz-log-result"] ?? ""))
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func dryRunStartsNothing() async throws {
    let recorder = LogRecorder()
    let function = try ScriptedFunction(start: "print('started')")
    let answer = try await Self.serve(function.settings(), onLine: { recorder.write($0.text) }) {
      try await $0.invoke(#"{"do":"answer"}"#, headers: ["X-Amz-Invocation-Type": "DryRun"])
    }
    #expect(answer.status == 204)
    #expect(answer.body.isEmpty)
    #expect(recorder.lines.isEmpty)
  }

  /// RIE answers `Event` with 200 instead of 202.
  @Test func runsAsynchronousEvents() async throws {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    let function = try ScriptedFunction()
    let (status, body, end) = try await Self.serve(function.settings(), onLine: { line.yield($0.text) }) {
      caller in
      let answer = try await caller.invoke(
        #"{"do":"print after the answer"}"#, headers: ["X-Amz-Invocation-Type": "Event"])
      return (answer.status, answer.body, await lines.first { $0.hasPrefix("REPORT") })
    }
    #expect(status == 202)
    #expect(body.isEmpty)
    #expect(end != nil)
  }

  @Test(
    arguments: [
      ("elsewhere", "{}", [:], 404, "ResourceNotFoundException"),
      ("authorizer", "{", [:], 400, "InvalidRequestContentException"),
      ("authorizer", "{}", ["X-Amz-Invocation-Type": "Later"], 400, "InvalidParameterValueException"),
      ("authorizer", "{}", ["X-Amz-Client-Context": "?"], 400, "InvalidRequestContentException"),
      ("authorizer%20x", "{}", [:], 400, "InvalidParameterValueException"),
    ] as [(String, String, [String: String], Int, String)]) func refusesInvalidCallsWithStatusAndType(
      _ name: String, _ payload: String, _ headers: [String: String], _ status: Int, _ type: String
    ) async throws
  {
    let function = try ScriptedFunction()
    let answer = try await Self.serve(function.settings()) {
      try await $0.invoke(payload, name: name, headers: headers)
    }
    #expect(answer.status == status)
    #expect(answer.headers["x-amzn-errortype"] == type)
    #expect(answer.headers["content-type"] == "application/json")
    // Recorded on AWS in November 2025.
    if status == 404 { #expect(answer.body.contains(":function:elsewhere:$LATEST\"}")) }
    #expect(try JSONDocument(parsing: Array(answer.body.utf8), limits: .event).root.kind == .object)
  }

  @Test(arguments: [
    (RuntimeAPILimits.eventBytes, "RequestResponse", 200),
    (RuntimeAPILimits.eventBytes + 1, "RequestResponse", 413),
    (RuntimeAPILimits.backgroundEventBytes, "Event", 202),
    (RuntimeAPILimits.backgroundEventBytes + 1, "Event", 413),
  ]) func limitsThePayload(_ size: Int, _ type: String, _ status: Int) async throws {
    let function = try ScriptedFunction()
    let event = #"{"do":"answer"}"#
    let payload = event + String(repeating: " ", count: size - event.utf8.count)
    let answer = try await Self.serve(function.settings()) {
      try await $0.invoke(payload, headers: ["X-Amz-Invocation-Type": type])
    }
    #expect(answer.status == status)
    if status == 200 { #expect(answer.body == #"{"size": 6291456}"#) }
    if status == 413 {
      #expect(answer.headers["x-amzn-errortype"] == "RequestEntityTooLargeException")
      #expect(answer.body.contains("Request must be smaller than \(size - 1) bytes"))
    }
  }

  /// RIE#97, aws-lambda-base-images#145, swift-aws-lambda-runtime#584: a concurrent call crashed.
  @Test func throttlesABusyFunction() async throws {
    let function = try ScriptedFunction()
    let clock = HeldClock()
    var settings = function.settings()
    settings.waitingInvocations = 0
    settings.timeoutMilliseconds = 3000
    let answer = try await Self.serve(settings, clock: clock.clock) { caller in
      async let busy = caller.invoke(#"{"do":"hang"}"#)
      await clock.untilTimers(1, dueWithin: 3000)
      let answer = try await caller.invoke(#"{"do":"answer"}"#)
      await clock.advance(milliseconds: 3000)
      _ = try await busy
      return answer
    }
    #expect(answer.status == 429)
    #expect(answer.headers["x-amzn-errortype"] == "TooManyRequestsException")
  }

  @Test func acceptsAnARNWithAVersion() async throws {
    var settings = try ScriptedFunction().settings()
    settings.name = "other"
    let answer = try await Self.serve(settings) { caller in
      try await caller.invoke(
        #"{"do":"answer"}"#,
        name: "arn%3Aaws%3Alambda%3Aeu-west-1%3A123456789012%3Afunction%3Aother%3A7")
    }
    #expect(answer.status == 200)
    #expect(answer.headers["x-amz-executed-version"] == "7")
  }

  @Test func emptyPayloadIsAnEmptyObject() async throws {
    let function = try ScriptedFunction(start: "os.environ['x'] = 'y'")
    let answer = try await Self.serve(function.settings()) { try await $0.invoke("") }
    // The scripted function exits because a member is missing, so the event was an object.
    #expect(answer.body.contains("exit status 1"))
  }

  @Test(arguments: [
    ("GET", "/2015-03-31/functions/authorizer"), ("POST", "/2015-03-31/functions"),
    ("GET", "/2015-03-31/functions/authorizer/invocations"),
  ]) func refusesOtherLambdaAPICalls(_ method: String, _ path: String) async throws {
    let function = try ScriptedFunction()
    let answer = try await Self.serve(function.settings()) { try await $0.send(method, path) }
    #expect(answer.status == 501)
    #expect(answer.headers["x-amzn-errortype"] == "NotImplementedException")
  }
}
