import AuthorizerContract
import LambdaEmulator
import Foundation
import JSON
import Testing
import TestSupport

/// Crashes of the shipped, fully static function while it handles an invocation: it waits for an issuer's keys.
@Suite(.needsFetchingFunction, .hangLimit)
struct RuntimeCrashTests {
  static let signals: [(number: Int32, name: String)] = [
    (SIGSEGV, "SIGSEGV"), (SIGILL, "SIGILL"), (SIGTRAP, "SIGTRAP"), (SIGABRT, "SIGABRT"),
  ]

  @Test("a crash is the invocation's error, and the next event gets a new process", arguments: signals)
  func crash(_ signal: (number: Int32, name: String)) async throws {
    let workshop = try Workshop()
    let server = try LoopbackKeyServer(.keySet(try FetchingFunction.keySet(["rs256"])))
    try server.start()
    defer { server.stop() }
    let function = try FetchingFunction(in: workshop.folder, server, hasSeed: false)
    let (known, unknown) = (try FetchingFunction.event("RS256"), try FetchingFunction.event("ES256"))
    try await function.run { environment in
      #expect(await environment.verdict(known).outcome == .allowed)
      let process = try #require(function.processID())
      server.publish(.silence)
      async let crashed = environment.invoke(event: unknown)
      try #require(try await HangLimit.waitAsync { server.targets.count >= 2 })
      let fetches = server.fetches
      kill(process, signal.number)
      let result = await crashed
      guard case .error(let report) = result.answer else {
        Issue.record("\(result.answer)")
        return
      }
      #expect(report.headerType == "Runtime.Crash")
      let body = #"{"errorMessage":"the function crashed: \#(signal.name)","errorType":"Runtime.Crash"}"#
      #expect(String(decoding: report.document, as: UTF8.self) == body)
      // The next process may fetch already: its fetch must neither end with the old ones nor meet the silence.
      server.publish(.keySet(try FetchingFunction.keySet()))
      for fetch in fetches { kill(fetch, SIGKILL) }
      let next = await environment.verdict(known)
      #expect(next.outcome == .allowed, "\(next.result)")
      #expect(try #require(function.processID()) != process)
      #expect(
        function.lines("the function crashed: \(signal.name)").map { $0["requestId"] } == [
          .string(result.requestID)
        ])
    }
  }
}

extension LoopbackKeyServer {
  /// The processes that fetch from this server. Lambda ends them with the environment. Here a fetch, which leads its own
  /// process group, outlives the function and would block the server until its timeout.
  fileprivate var fetches: [Int32] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) }
    return (numbers ?? []).filter { number in
      let words = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
      return words.firstRange(of: Data("\(address)/".utf8)) != nil
    }
  }
}
