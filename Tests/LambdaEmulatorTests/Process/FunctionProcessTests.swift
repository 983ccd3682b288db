@testable import AuthorizerContract
@testable import EmulatorTestSupport
@testable import LambdaEmulator
import Foundation
import JSON
import Testing
import TestSupport

/// Tests with real processes, of which some fail.
@Suite(.needsScriptedFunction, .hangLimit)
struct FunctionProcessTests {
  @Test func oneProcessAnswersSeveralEvents() async throws {
    let function = try ScriptedFunction()
    let large = #"{"do":"answer","x":"\#(String(repeating: "x", count: 5 << 20))"}"#
    let small = #"{"do":"answer","x":"\#(String(repeating: "x", count: 4096))"}"#
    let results = try await function.results(of: [#"{"do":"answer"}"#, small, large])
    let sizes = [15, small.utf8.count, large.utf8.count]
    #expect(
      Brief(results.map(\.answer)) == Brief(sizes.map { .response(Array(#"{"size": \#($0)}"#.utf8)) }))
    #expect(results.allSatisfy { $0.microseconds > 0 })
    #expect(Set(results.map(\.requestID)).count == 3)
  }

  @Test(arguments: [
    (#"{"do":"error"}"#, "function error Function.Unauthorized: Unauthorized"),
    (#"{"do":"exit","status":3}"#, "the function died: exit status 3"),
    (#"{"do":"exit","status":0}"#, "the function died: exit status 0"),
    (#"{"do":"signal","number":9}"#, "the function died: killed by SIGKILL"),
    (#"{"do":"signal","number":11}"#, "the function died: killed by SIGSEGV"),
  ]) func reportsFailuresAndAnswersTheNextEvent(_ event: String, _ text: String) async throws {
    let function = try ScriptedFunction()
    let results = try await function.results(of: [event, #"{"do":"answer"}"#])
    let evaluation = Evaluation(of: try #require(results.first).answer, to: Array(event.utf8))
    #expect(evaluation.outcome == .failure)
    #expect(evaluation.explanation == text)
    #expect(results.last?.answer == .response(Array(#"{"size": 15}"#.utf8)))
  }

  @Test func doesNotSendEventsOverSixMebibytes() async throws {
    let event = String(repeating: " ", count: RuntimeAPILimits.eventBytes + 1)
    let result = try #require(try await ScriptedFunction().results(of: [event]).first)
    #expect(
      Evaluation(of: result.answer, to: []).explanation
        == "function error RequestEntityTooLargeException: "
        + "Request must be smaller than 6291456 bytes for the InvokeFunction operation")
    #expect(result.log.isEmpty)
  }

  /// awslabs' local server, swift-aws-lambda-runtime#488: a success was a 202, and errors did not reach the
  /// caller.
  @Test func returnsErrorsAsPosted() async throws {
    let results = try await ScriptedFunction().results(of: [#"{"do":"error"}"#])
    let report = FunctionErrorReport(
      headerType: "Function.Unauthorized", document: Array(#"{"errorMessage": "Unauthorized"}"#.utf8))
    #expect(results.map(\.answer) == [.error(report)])
  }

  @Test func returnsInvalidJSONUnchanged() async throws {
    let results = try await ScriptedFunction().results(of: [#"{"do":"garbage"}"#])
    #expect(results.map(\.answer) == [.response([0xFF] + Array("<html>".utf8))])
  }

  @Test func findsTheDecisionLineByRequestIDAndKeepsTheOthers() async throws {
    let results = try await ScriptedFunction(start: "print('hello')").results(of: [
      #"{"do":"log"}"#, #"{"do":"answer"}"#,
    ])
    let result = try #require(results.first)
    #expect(result.decision?.outcome == "unauthorized")
    #expect(result.decision?.reason == "expired")
    #expect(result.decision?.issuer == "apple")
    #expect(result.decision?.microseconds == 184)
    let output = result.log.filter { $0.stream == .standardOutput }.map(\.text)
    #expect(output.count == 3)
    #expect(output.prefix(2) == ["hello", "before the decision"])
    #expect(result.log.filter { $0.stream == .standardError }.map(\.text) == ["to the other stream"])
    #expect(results.last?.log == [])
    #expect(results.last?.decision == nil)
  }

  @Test(arguments: [
    (#"{"message":"request","requestId":"1","outcome":"refused","reason":"nonceMissing"}"#, "nonceMissing"),
    (
      #"{"message":"request","requestId":"1","outcome":"failure","reason":"storeUnavailable","detail":"storeTimeout"}"#,
      "storeUnavailable (storeTimeout)"
    ),
    (#"{"message":"request","requestId":"1","outcome":"found"}"#, nil),
    (#"{"message":"request","requestId":"2","outcome":"refused","reason":"nonceMissing"}"#, nil),
  ]) func findsTheSignInReasonByRequestID(_ line: String, _ reason: String?) {
    let result = InvocationResult(
      requestID: "1", answer: .response([]), microseconds: 0,
      lines: [FunctionLogLine(stream: .standardOutput, text: line)], peakMemoryKiB: nil)
    #expect(result.reason == reason)
    #expect(result.decision == nil)
  }

  @Test func dropsOnlyTheOldestLogLines() async throws {
    let results = try await ScriptedFunction().results(of: [#"{"do":"flood","lines":10500}"#])
    #expect(results.first?.log.count == FunctionProcess.keptLines)
    #expect(results.first?.log.last?.text == "line 10499")
  }

  @Test(arguments: [
    ("sys.exit(4)", "the function died before its first event: exit status 4"),
    ("os.kill(os.getpid(), signal.SIGABRT)", "the function died before its first event: killed by SIGABRT"),
    (
      #"call("POST", "/init/error", '{"errorMessage":"no key","errorType":"Function.InvalidConfiguration"}'); sys.exit(1)"#,
      "initialization error Function.InvalidConfiguration: no key"
    ),
  ]) func reportsAFailedInitializationForEveryEvent(_ start: String, _ text: String) async throws {
    let function = try ScriptedFunction(start: start)
    let results = try await function.results(of: ["{}", "{}"])
    #expect(results.map { Evaluation(of: $0.answer, to: []).explanation } == [text, text])
  }

  @Test func reportsAMissingCommandForEveryEvent() async throws {
    let command = FunctionCommand(executable: "/nonexistent/bootstrap", environment: [:])
    let answers = try await ExecutionEnvironment.run(command, logger: .silent) {
      environment in
      [await environment.invoke(event: []).answer, await environment.invoke(event: []).answer]
    }
    let failure = InvocationAnswer.initializationFailed(.notStarted("No such file or directory"))
    #expect(answers == [failure, failure])
  }

  @Test func functionGetsOnlyItsOwnEnvironment() async throws {
    let results = try await ScriptedFunction().results(of: [#"{"do":"environment"}"#])
    guard case .response(let bytes)? = results.first?.answer else {
      Issue.record("no response")
      return
    }
    let root = try JSONDocument(parsing: bytes, limits: .event).root
    let names = Set(root.members.compactMap { $0.name.text })
    let expected = Set(LambdaVariables.all(taskRoot: "", inherited: [:]).keys).union([
      "AWS_LAMBDA_RUNTIME_API"
    ])
    // A shell or a loader may add these.
    #expect(names.subtracting(["LC_CTYPE", "__CF_USER_TEXT_ENCODING"]) == expected)
  }

  #if os(Linux)
    @Test func functionHasThreeDescriptorsAndItsConnection() async throws {
      let results = try await ScriptedFunction().results(of: [#"{"do":"descriptors"}"#])
      // 0, 1, 2, the connection, and the descriptor that lists the folder.
      #expect(results.map(\.answer) == [.response(Array(#"["0", "1", "2", "3", "4"]"#.utf8))])
    }

    @Test func leaksNoDescriptors() async throws {
      let rounds = 200
      let before = Self.openPipes()
      for _ in 0..<rounds {
        let process = try FunctionProcess(FunctionCommand(executable: "/bin/true", environment: [:]))
        #expect(await process.exit() == .status(0))
      }
      // Other tests run at the same time; a leak would be at least one descriptor per round.
      #expect(Self.openPipes() - before < rounds)
    }

    @Test func killsTheFunctionsChildProcesses() async throws {
      let results = try await ScriptedFunction().results(of: [#"{"do":"child"}"#])
      guard case .response(let bytes)? = results.first?.answer else {
        Issue.record("no response")
        return
      }
      let child = try #require(
        try JSONDocument(parsing: bytes, limits: .event).root["child"]?.number?.integer)
      // The kernel may take a moment to end a killed process. A living process always has a command line.
      let hasEnded = HangLimit.wait {
        (FileManager.default.contents(atPath: "/proc/\(child)/cmdline") ?? Data()).isEmpty
      }
      #expect(hasEnded)
    }

    @Test func reportsThePeakMemory() async throws {
      let results = try await ScriptedFunction().results(of: [#"{"do":"answer"}"#])
      #expect(results.first?.peakMemoryKiB ?? 0 > 1000)
    }

    private static func openPipes() -> Int {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return names.count { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        return target?.hasPrefix("pipe:") == true
      }
    }
  #endif

  @Test(arguments: [
    ("a\nb\r\n\nc", ["a", "b", "", "c"]), ("", []), ("\n", [""]), ("no end", ["no end"]),
  ]) func splitsBytesIntoLines(_ text: String, _ lines: [String]) {
    var splitter = LineSplitter(.standardOutput)
    let bytes = Array(text.utf8)
    // The lines are the same wherever the bytes are split.
    for cut in 0...bytes.count {
      let found =
        splitter.lines(appending: bytes[..<cut]) + splitter.lines(appending: bytes[cut...])
        + (splitter.last().map { [$0] } ?? [])
      #expect(found.map(\.text) == lines)
    }
  }

  @Test func splitsLongLines() {
    var splitter = LineSplitter(.standardError)
    let lines = splitter.lines(appending: [UInt8](repeating: 0x61, count: LineSplitter.lineBytes + 1))
    #expect(lines.map(\.text.utf8.count) == [LineSplitter.lineBytes])
    #expect(splitter.last()?.text == "a")
  }

  @Test(arguments: [
    (ProcessExit.status(3), "Runtime exited with error: exit status 3"),
    (.status(0), "Runtime exited without providing a reason"),
    (.signal(4), "Runtime exited with error: signal: illegal instruction"),
  ]) func describesExitsInLambdasWording(_ exit: ProcessExit, _ reason: String) {
    let document = String(decoding: exit.errorDocument(requestID: "id"), as: UTF8.self)
    #expect(
      document == #"{"errorMessage":"RequestId: id Error: \#(reason)","errorType":"Runtime.ExitError"}"#)
  }
}
