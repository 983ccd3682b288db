@testable import EmulatorTestSupport
@testable import LambdaEmulator
import JSON
import Testing
import TestSupport

/// Tests of the lifecycle of real processes and its log lines, with a clock that the test moves.
@Suite(.needsScriptedFunction, .hangLimit)
struct LifecycleTests {
  static func run<Result: Sendable>(
    _ function: borrowing ScriptedFunction, clock: HeldClock = HeldClock(), log: LogRecorder = LogRecorder(),
    output: LogRecorder = LogRecorder(), limits: ExecutionEnvironment.Limits = threeSeconds,
    _ body: @escaping @Sendable (ExecutionEnvironment) async throws -> Result
  ) async throws -> Result {
    try await ExecutionEnvironment.run(
      function.command, limits: limits, clock: clock.clock, logger: .silent,
      onLine: { output.write($0.text) }, onPlatformLine: log.write, body)
  }

  static var threeSeconds: ExecutionEnvironment.Limits {
    var limits = ExecutionEnvironment.Limits()
    limits.invocationMilliseconds = 3000
    return limits
  }

  static func complete(_ environment: ExecutionEnvironment, _ event: String) async -> InvocationResult {
    await environment.invoke(event: Array(event.utf8), context: InvocationContext(waitsForReport: true))
  }

  @Test func invocationHasThreePlatformLines() async throws {
    let log = LogRecorder()
    let result = try await Self.run(ScriptedFunction(start: "print('starting')"), log: log) {
      _ = await Self.complete($0, #"{"do":"log"}"#)
      return await Self.complete($0, #"{"do":"print after the answer"}"#)
    }
    #expect(
      log.shapes == [
        "START RequestId: ID Version: $LATEST", "END RequestId: ID",
        "REPORT RequestId: ID|Duration: N ms|Billed Duration: N ms|Memory Size: 128 MB|Max Memory Used: N MB|"
          + "Init Duration: N ms|",
        "START RequestId: ID Version: $LATEST", "END RequestId: ID",
        "REPORT RequestId: ID|Duration: N ms|Billed Duration: N ms|Memory Size: 128 MB|Max Memory Used: N MB|",
      ])
    let ofSecond = ["START RequestId: ID Version: $LATEST", "before", "after", "END RequestId: ID"]
    #expect(result.cloudLog.map(LogRecorder.shape).dropLast() == ofSecond[...])
    #expect(result.log.map(\.text) == ["before", "after"])
    #expect(result.report?.initializationNanoseconds == nil)
    #expect(result.report?.peakMemoryMegabytes ?? 0 > 4)
  }

  @Test func timeoutKillsTheProcessAndTheNextEventGetsAnother() async throws {
    let clock = HeldClock()
    let log = LogRecorder()
    let (result, next) = try await Self.run(ScriptedFunction(), clock: clock, log: log) { environment in
      // A warm process, so that the invocation's timer is the only one.
      _ = await Self.complete(environment, #"{"do":"answer"}"#)
      async let result = Self.complete(environment, #"{"do":"hang"}"#)
      await clock.advance(milliseconds: 3000)
      return (await result, await Self.complete(environment, #"{"do":"answer"}"#))
    }
    #expect(result.answer == .timedOut(milliseconds: 3000))
    #expect(
      String(decoding: result.payload, as: UTF8.self)
        == #"{"errorMessage":"RequestId: \#(result.requestID) Error: Task timed out after 3.00 seconds","#
        + #""errorType":"Sandbox.Timedout"}"#)
    #expect(result.isFunctionError)
    #expect(next.answer == .response(Array(#"{"size": 15}"#.utf8)))
    #expect(
      log.shapes.dropFirst(4).prefix(3) == [
        "TIME ID Task timed out after 3.00 seconds", "END RequestId: ID",
        "REPORT RequestId: ID|Duration: N ms|Billed Duration: N ms|Memory Size: 128 MB|Max Memory Used: N MB|"
          + "Status: timeout",
      ])
    #expect(result.report?.nanoseconds == 3_000_000_000)
    #expect(result.report?.billedMilliseconds == 3000)
    // The second start is part of the invocation that waited for it.
    #expect(next.report?.initializationNanoseconds == nil)
  }

  @Test func slowInitializationIsKilledAndRetriedInTheFirstInvocation() async throws {
    let clock = HeldClock()
    let log = LogRecorder()
    let output = LogRecorder()
    let function = try ScriptedFunction(start: "if once(): print('hangs'); hang()")
    let result = try await Self.run(function, clock: clock, log: log, output: output) { environment in
      async let result = Self.complete(environment, #"{"do":"answer"}"#)
      // If it were killed before it created its marker, the second process would hang too.
      await output.until("hangs")
      await clock.advance(milliseconds: 10_000)
      return await result
    }
    #expect(result.answer == .response(Array(#"{"size": 15}"#.utf8)))
    #expect(
      log.lines.prefix(1) == ["INIT_REPORT Init Duration: 10000.00 ms\tPhase: init\tStatus: timeout"])
    #expect(log.shapes.dropFirst().first == "START RequestId: ID Version: $LATEST")
    #expect(log.lines.last?.contains("Init Duration") == false)
  }

  @Test func endlessInitializationIsAFunctionTimeout() async throws {
    let clock = HeldClock()
    let log = LogRecorder()
    let result = try await Self.run(ScriptedFunction(start: "hang()"), clock: clock, log: log) {
      environment in
      async let result = Self.complete(environment, "{}")
      await clock.advance(milliseconds: 10_000)
      await clock.advance(milliseconds: 3000)
      return await result
    }
    #expect(result.answer == .initializationFailed(.timedOut(milliseconds: 3000)))
    #expect(String(decoding: result.payload, as: UTF8.self).contains("Task timed out after 3.00 seconds"))
    #expect(
      log.shapes.prefix(4) == [
        "INIT_REPORT Init Duration: N ms|Phase: init|Status: timeout", "START RequestId: ID Version: $LATEST",
        "INIT_REPORT Init Duration: N ms|Phase: invoke|Status: timeout",
        "TIME ID Task timed out after 3.00 seconds",
      ])
  }

  @Test(arguments: [
    ("sys.exit(4)", "Runtime.ExitError", "Runtime exited with error: exit status 4"),
    (
      "os.kill(os.getpid(), signal.SIGILL)", "Runtime.ExitError",
      "Runtime exited with error: signal: illegal instruction"
    ),
    (
      #"call("POST", "/init/error", '{"errorMessage":"no key","errorType":"Function.InvalidConfiguration"}', {"Lambda-Runtime-Function-Error-Type": "Function.InvalidConfiguration"}); sys.exit(1)"#,
      "Function.InvalidConfiguration", "no key"
    ),
  ]) func failedInitializationIsReportedTwiceAndRetriedForEveryEvent(
    _ start: String, _ type: String, _ message: String
  ) async throws {
    let log = LogRecorder()
    let function = try ScriptedFunction(start: "if os.environ.get('x') is None: \(start)")
    let results = try await Self.run(function, log: log) { environment in
      [await Self.complete(environment, "{}"), await Self.complete(environment, "{}")]
    }
    for result in results {
      let document = try JSONDocument(parsing: result.payload, limits: .event).root
      #expect(document["errorType"]?.text == type)
      #expect(document["errorMessage"]?.text?.hasSuffix(message) == true)
      #expect(result.report?.status == .error(type: type))
    }
    #expect(
      log.shapes.filter { $0.hasPrefix("INIT_REPORT") }
        == ["init", "invoke", "invoke"].map {
          "INIT_REPORT Init Duration: N ms|Phase: \($0)|Status: error|Error Type: \(type)"
        })
  }

  /// swift-aws-lambda-runtime#323: a crash was reported without its signal.
  @Test func reportsACrashInTheLogAndToTheCaller() async throws {
    let log = LogRecorder()
    let (result, next) = try await Self.run(ScriptedFunction(), log: log) { environment in
      (
        await Self.complete(environment, #"{"do":"signal","number":4}"#),
        await Self.complete(environment, #"{"do":"answer"}"#)
      )
    }
    #expect(
      String(decoding: result.payload, as: UTF8.self)
        == #"{"errorMessage":"RequestId: \#(result.requestID) Error: Runtime exited with error: "#
        + #"signal: illegal instruction","errorType":"Runtime.ExitError"}"#)
    #expect(
      log.shapes[1] == "RequestId: ID Error: Runtime exited with error: signal: illegal instruction")
    #expect(log.lines[3].hasSuffix("Status: error\tError Type: Runtime.ExitError"))
    #expect(next.answer == .response(Array(#"{"size": 15}"#.utf8)))
  }

  /// Only the cancellation ends this test, because the clock does not move.
  @Test(arguments: ["hang()", "pass"]) func cancelledCallerStopsWaiting(_ start: String) async throws {
    let output = LogRecorder()
    let function = try ScriptedFunction(start: "print('starts'); \(start)")
    let command = function.command
    let waiting = Task {
      try await ExecutionEnvironment.run(
        command, clock: HeldClock().clock, logger: .silent,
        onLine: { output.write($0.text) }
      ) { environment in
        await environment.invoke(event: Array(#"{"do":"hang"}"#.utf8)).answer
      }
    }
    await output.until("starts")
    waiting.cancel()
    #expect(
      try await waiting.value == .initializationFailed(.notStarted("the environment is closed")))
  }

  /// The connections of a dead process may be accepted and read after its exit has been noticed.
  @Test(arguments: 1...20) func lastPostOfADeadProcessIsItsAnswer(_: Int) async throws {
    let log = LogRecorder()
    let result = try await Self.run(ScriptedFunction(), log: log) {
      await Self.complete($0, #"{"do":"post and die"}"#)
    }
    #expect(
      result.answer
        == .error(
          FunctionErrorReport(headerType: "Function.Last", document: Array(#"{"errorMessage":"last"}"#.utf8)))
    )
    #expect(log.shapes[1] == "RequestId: ID Error: Runtime exited with error: signal: segmentation fault")
    #expect(log.shapes[3].hasSuffix("Status: error|Error Type: Runtime.ExitError"))
  }

  @Test func answerIsReturnedDespiteWorkAfterIt() async throws {
    let clock = HeldClock()
    let log = LogRecorder()
    let answers = try await Self.run(ScriptedFunction(), clock: clock, log: log) { environment in
      let first = await environment.invoke(event: Array(#"{"do":"answer, then hang"}"#.utf8)).answer
      async let second = environment.invoke(event: Array(#"{"do":"answer"}"#.utf8)).answer
      await clock.advance(milliseconds: 3000)
      return [first, await second]
    }
    #expect(answers == [.response(Array("{}".utf8)), .response(Array(#"{"size": 15}"#.utf8))])
    #expect(log.lines.filter { $0.hasPrefix("REPORT") }.first?.hasSuffix("Status: timeout") == true)
  }

  #if os(Linux)
    /// aws-sam-cli#2464, #6260, #6476: a wrong Max Memory Used, and no word about too little memory.
    @Test func exceededMemoryIsReportedAsOutOfMemory() async throws {
      var limits = Self.threeSeconds
      limits.enforcesMemory = true
      let (result, next) = try await Self.run(ScriptedFunction(), limits: limits) { environment in
        (
          await Self.complete(environment, #"{"do":"memory","megabytes":140}"#),
          await Self.complete(environment, #"{"do":"memory","megabytes":1}"#)
        )
      }
      #expect(result.report?.status == .error(type: "Runtime.OutOfMemory"))
      #expect(result.report?.line.contains("Max Memory Used: 128 MB") == true)
      #expect(String(decoding: result.payload, as: UTF8.self).contains("signal: killed"))
      #expect(next.answer == .response(Array("1048576".utf8)))
    }
  #endif

  private static let registration = """
    connection.request("POST", "/2020-01-01/extension/register", '{"events":[]}', {"Lambda-Extension-Name": "me"})
    connection.getresponse().read()

    """

  /// Only a function with an extension gets SIGTERM and time to exit.
  /// aws-lambda-extensions#63: SIGTERM was expected without an extension.
  @Test(arguments: [(registration, ["goodbye"]), ("", [])])
  func extensionGetsSIGTERMAndTimeToExit(_ registration: String, _ lines: [String]) async throws {
    let recorder = LogRecorder()
    let function = try ScriptedFunction(
      start: registration + """
        def leave(*_):
            print("goodbye", flush=True)
            sys.exit(0)
        signal.signal(signal.SIGTERM, leave)
        """)
    try await ExecutionEnvironment.run(
      function.command, clock: HeldClock().clock, logger: .silent,
      onLine: { recorder.write($0.text) }
    ) { _ = await $0.invoke(event: Array(#"{"do":"answer"}"#.utf8)) }
    #expect(recorder.lines == lines)
  }

  @Test func killsAProcessThatIgnoresSIGTERM() async throws {
    let clock = HeldClock()
    let function = try ScriptedFunction(
      start: Self.registration + "signal.signal(signal.SIGTERM, signal.SIG_IGN)")
    // The test ends with the process, which ends only when the clock moves.
    async let ended: Void = Self.run(function, clock: clock) {
      _ = await Self.complete($0, #"{"do":"answer"}"#)
    }
    await clock.advance(milliseconds: RuntimeAPILimits.shutdownMilliseconds)
    try await ended
  }
}
