@testable import GatewayEmulator
@testable import EmulatorTestSupport
@testable import LambdaEmulator
import JSON
import Testing
import TestSupport

/// Tests of several environments of one function.
@Suite(.needsScriptedFunction, .hangLimit)
struct FunctionPoolTests {
  static func run<Result: Sendable>(
    _ settings: FunctionSettings, clock: LambdaClock = .longTimeouts,
    _ body: @escaping @Sendable (FunctionPool) async throws -> Result
  ) async throws -> Result {
    try await FunctionPool.run(settings, clock: clock, logger: .silent, body)
  }

  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// aws-sam-cli#239, #134, #362, #2223, #227: a process for every call.
  @Test func sequentialEventsUseOneProcess() async throws {
    let function = try ScriptedFunction()
    let processes = try await Self.run(function.settings(concurrency: 4)) { pool in
      var processes: Set<[UInt8]> = []
      for _ in 0..<5 {
        let result = try await pool.invoke(
          Self.bytes(#"{"do":"process"}"#), context: InvocationContext(waitsForReport: true))
        processes.insert(result.payload)
      }
      return processes
    }
    #expect(processes.count == 1)
  }

  @Test func changedVariableAppliesToTheNextEventInANewEnvironment() async throws {
    let function = try ScriptedFunction()
    try await Self.run(function.settings(concurrency: 2)) { pool in
      func ask(_ what: String) async throws -> (text: String, report: InvocationReport?) {
        let result = try await pool.invoke(
          Self.bytes(#"{"do":"\#(what)"}"#), context: InvocationContext(waitsForReport: true))
        return (String(decoding: result.payload, as: UTF8.self), result.report)
      }
      // Before the first process starts.
      pool.setVariable("COLOUR", "red")
      #expect(try await ask("environment").text.contains(#""COLOUR": "red""#))
      let first = try await ask("process")
      pool.setVariable("COLOUR", "red")
      #expect(try await ask("process").text == first.text)
      pool.setVariable("COLOUR", "blue")
      let changed = try await ask("environment")
      #expect(changed.text.contains(#""COLOUR": "blue""#))
      // A separate initialization, not a restart within the invocation.
      #expect(changed.report?.initializationNanoseconds != nil)
      #expect(try await ask("process").text != first.text)
      pool.setVariable("COLOUR", nil)
      #expect(try await !ask("environment").text.contains("COLOUR"))
    }
  }

  @Test func onlyDevelopmentFunctionsGetAClockOffset() async throws {
    let function = try ScriptedFunction()
    for (mode, isMoved) in [(nil, false), ("1", true), ("0", false)] as [(String?, Bool)] {
      var settings = function.settings()
      settings.variables["AUTHORIZER_DEVELOPMENT"] = mode
      let (answer, environment) = try await Self.run(settings) { pool in
        let answer = pool.setClockOffset(seconds: 60)
        return (answer, try await pool.invoke(Self.bytes(#"{"do":"environment"}"#)).payload)
      }
      #expect(answer == isMoved)
      let text = String(decoding: environment, as: UTF8.self)
      #expect(text.contains(#""AUTHORIZER_CLOCK_OFFSET_SECONDS": "60""#) == isMoved)
    }
  }

  @Test func everyCallerGetsItsOwnAnswer() async throws {
    let function = try ScriptedFunction()
    let answers = try await Self.run(function.settings(concurrency: 4)) { pool in
      try await withThrowingTaskGroup(of: (String, String).self) { group in
        for number in 0..<200 {
          group.addTask {
            let event = #"{"do":"echo","number":\#(number)}"#
            return (event, String(decoding: try await pool.invoke(Self.bytes(event)).payload, as: UTF8.self))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(answers.count == 200)
    #expect(answers.allSatisfy { $0 == $1 })
  }

  @Test func refusesInvocationsBeyondTheConcurrency() async throws {
    let function = try ScriptedFunction()
    var settings = function.settings(concurrency: 2)
    settings.waitingInvocations = 0
    settings.timeoutMilliseconds = 3000
    let clock = HeldClock()
    let refusal = try await Self.run(settings, clock: clock.clock) { pool in
      let busy = (0..<2).map { _ in Task { try? await pool.invoke(Self.bytes(#"{"do":"hang"}"#)).answer } }
      // Both invocation timers of 3 s run, so both events are in their processes.
      await clock.untilTimers(2, dueWithin: 3000)
      let refusal: InvocationRefusal?
      do throws(InvocationRefusal) {
        _ = try await pool.invoke(Self.bytes(#"{"do":"answer"}"#))
        refusal = nil
      } catch {
        refusal = error
      }
      await clock.advance(milliseconds: 3000)
      for task in busy { #expect(await task.value == .timedOut(milliseconds: 3000)) }
      return refusal
    }
    #expect(refusal == .tooManyRequests)
  }

  @Test func doesNotDeliverEventsOverSixMebibytes() async throws {
    let function = try ScriptedFunction()
    try await Self.run(function.settings()) { pool in
      let event = [UInt8](repeating: 0x20, count: RuntimeAPILimits.eventBytes + 1)
      await #expect(throws: InvocationRefusal.eventTooLarge(bytes: 6_291_457)) {
        try await pool.invoke(event)
      }
      let largest = Self.bytes(#"{"do":"answer"}"#) + event.dropFirst(16)
      let result = try await pool.invoke(largest)
      #expect(result.payload == Self.bytes(#"{"size": 6291456}"#))
    }
  }

  @Test func functionGetsItsNameMemoryAndVariables() async throws {
    let function = try ScriptedFunction()
    var settings = function.settings()
    settings.name = "mine"
    settings.memoryMegabytes = 512
    settings.variables = ["OPTIONS": "a=b=c", "EMPTY": ""]
    let (variables, headers) = try await Self.run(settings) { pool in
      let variables = try await pool.invoke(Self.bytes(#"{"do":"environment"}"#)).payload
      let context = InvocationContext(
        qualifier: "live", clientContext: #"{"client":"é"}"#, traceID: "Root=1-2-3")
      let headers = try await pool.invoke(Self.bytes(#"{"do":"headers"}"#), context: context).payload
      return (
        try JSONDocument(parsing: variables, limits: .event).root,
        try JSONDocument(parsing: headers, limits: .event).root
      )
    }
    #expect(variables["OPTIONS"]?.text == "a=b=c")
    #expect(variables["EMPTY"]?.text == "")
    #expect(variables["AWS_LAMBDA_FUNCTION_NAME"]?.text == "mine")
    #expect(variables["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]?.text == "512")
    #expect(variables["AWS_LAMBDA_LOG_GROUP_NAME"]?.text == "/aws/lambda/mine")
    #expect(
      headers["lambda-runtime-invoked-function-arn"]?.text
        == "arn:aws:lambda:us-east-1:123456789012:function:mine:live")
    #expect(headers["lambda-runtime-client-context"]?.text?.hasPrefix(#"{"client":""#) == true)
    #expect(headers["lambda-runtime-trace-id"]?.text == "Root=1-2-3")
  }

  /// The end-to-end cases of the runtime interface emulator, near 2 s and near 9 s, and a long one.
  /// In awslabs' local server the deadline was a constant.
  @Test(arguments: [2000, 9000, 299_000]) func deadlineContainsTheTimeout(_ milliseconds: Int)
    async throws
  {
    let function = try ScriptedFunction()
    var settings = function.settings()
    settings.timeoutMilliseconds = milliseconds
    // No timer expires, because this machine may be slower than the function's timeout.
    let clock = LambdaClock(now: LambdaClock.system.now) { _ in
      try await Task.sleep(for: .seconds(HangLimit.seconds))
    }
    let (before, headers, after) = try await Self.run(settings, clock: clock) { pool in
      _ = try await pool.invoke(Self.bytes(#"{"do":"answer"}"#))
      let before = clock.now().unixMilliseconds
      let headers = try await pool.invoke(Self.bytes(#"{"do":"headers"}"#)).payload
      return (before, headers, clock.now().unixMilliseconds)
    }
    let text = try JSONDocument(parsing: headers, limits: .event).root["lambda-runtime-deadline-ms"]?.text
    let deadline = try #require(text.flatMap { Int64($0) })
    #expect((before...after).contains(deadline - Int64(milliseconds)))
  }

  @Test func refusesWaitingInvocationsOnClose() async throws {
    let function = try ScriptedFunction()
    let waiting = try await Self.run(function.settings()) { pool in
      let running = Task { try? await pool.invoke(Self.bytes(#"{"do":"hang"}"#)) }
      // It waits for an invocation that never ends.
      let waiting = Task { () -> InvocationRefusal? in
        do throws(InvocationRefusal) {
          _ = try await pool.invoke(Self.bytes(#"{"do":"hang"}"#))
          return nil
        } catch {
          return error
        }
      }
      return (running, waiting)
    }
    _ = await waiting.0.value
    let refusal = await waiting.1.value
    // Either of the two may have come first and got the environment.
    #expect(refusal == nil || refusal == .closed)
  }

  @Test(arguments: [
    FunctionSettingsError.memory(megabytes: 127), .memory(megabytes: 10_241), .timeout(milliseconds: 0),
    .timeout(milliseconds: 900_001), .concurrency(0),
  ]) func refusesInvalidSettings(_ error: FunctionSettingsError) async {
    var settings = FunctionSettings(executable: "/bin/true", taskRoot: "/")
    switch error {
    case .memory(let megabytes): settings.memoryMegabytes = megabytes
    case .timeout(let milliseconds): settings.timeoutMilliseconds = milliseconds
    case .concurrency(let count): settings.concurrency = count
    case .managedInstances: break
    }
    let refused = settings
    await #expect(throws: error) { try await Self.run(refused) { _ in } }
  }

  @Test func refusesManagedInstances() async {
    let settings = FunctionSettings(
      executable: "/bin/true", taskRoot: "/", variables: ["AWS_LAMBDA_MAX_CONCURRENCY": "4"])
    await #expect(throws: FunctionSettingsError.managedInstances) { try await Self.run(settings) { _ in } }
  }

  @Test func emptyConcurrencyCountsAsUnset() async throws {
    let settings = FunctionSettings(
      executable: "/bin/true", taskRoot: "/", variables: ["AWS_LAMBDA_MAX_CONCURRENCY": ""])
    try await Self.run(settings) { _ in }
  }
}
