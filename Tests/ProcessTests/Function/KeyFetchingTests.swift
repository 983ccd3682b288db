@testable import AuthorizerContract
@testable import LambdaEmulator
import Foundation
import JSON
import Testing
import TestSupport

/// Keys from an issuer's server through `fetch-keys` to the function, with the shipped programs.
@Suite(.needsFetchingFunction, .hangLimit)
struct KeyFetchingTests {
  static let hasProcessMaps = FileManager.default.isReadableFile(atPath: "/proc/self/maps")

  @Test(.enabled(if: hasProcessMaps, "there is no /proc"))
  func decidesWithTheSeedBeforeAnyFetch() async throws {
    let workshop = try Workshop()
    let server = try LoopbackKeyServer(.keySet(try FetchingFunction.keySet()), isHeld: true)
    try server.start()
    defer { server.stop() }
    let function = try FetchingFunction(in: workshop.folder, server, hasSeed: true)
    let event = try FetchingFunction.event("RS256")
    try await function.run { environment in
      let first = await environment.verdict(event)
      #expect(first.outcome == .allowed, "\(first.result)")
      // The server holds every request, so an answer that waits for a fetch would fail.
      #expect(server.answered == 0)
      #expect(function.lines("decision").map { $0["fetches"] } == [nil])
      let files = try Self.mappedFiles(of: try #require(function.processID()))
      #expect(files == [URL(fileURLWithPath: Workshop.bootstrap).resolvingSymlinksInPath().path])

      server.release()
      for _ in 0..<3 { #expect(await environment.verdict(event).outcome == .allowed) }
      #expect(server.targets == ["/jwks"])
      #expect(function.lines("decision").allSatisfy { $0["fetches"] == nil })
    }
  }

  /// Returns the paths in a process's memory map (proc(5)), which begin with a slash.
  private static func mappedFiles(of process: Int32) throws -> Set<String> {
    let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
    return Set(
      maps.split(separator: "\n").compactMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } })
  }

  @Test func fetchesOnceAtTheStartWithoutASeed() async throws {
    let workshop = try Workshop()
    let server = try LoopbackKeyServer(.keySet(try FetchingFunction.keySet()))
    try server.start()
    defer { server.stop() }
    let function = try FetchingFunction(in: workshop.folder, server, hasSeed: false)
    let event = try FetchingFunction.event("ES256")
    try await function.run { environment in
      for _ in 0..<3 {
        #expect(await environment.verdict(event).outcome == .allowed)
        #expect(server.targets == ["/jwks"])
      }
      #expect(function.lines("decision").map { $0["fetches"] } == [nil, nil, nil])
      #expect(function.lines("keyFetchFailed").isEmpty)
    }
  }

  @Test func failsInAnOutageWithoutKeysAndRecovers() async throws {
    let workshop = try Workshop()
    let server = try LoopbackKeyServer(.keySet(try FetchingFunction.keySet()))
    defer { server.stop() }
    let function = try FetchingFunction(in: workshop.folder, server, hasSeed: false)
    let event = try FetchingFunction.event("RS256")
    try await function.run { environment in
      let down = await environment.verdict(event)
      #expect(down.outcome == .failure)
      #expect(down.result.decision?.reason == "keysUnavailable")

      try server.start()
      // Failed fetches are retried after 1 s and then after 2 s.
      let end = HangLimit.date
      var answer = await environment.verdict(event)
      while answer.outcome == .failure, answer.result.decision?.reason == "keysUnavailable", Date() < end {
        answer = await environment.verdict(event)
      }
      #expect(answer.outcome == .allowed, "\(answer.result)")
      #expect(server.targets == ["/jwks"])
      let notices = function.lines("keyFetchFailed")
      #expect(notices.map { $0["detail"] } == [.string("fetchConnect")])
      #expect(notices.allSatisfy { $0["because"] != nil })
    }
  }

  @Test func fetchesANewKeyWithItsFirstToken() async throws {
    let workshop = try Workshop()
    let server = try LoopbackKeyServer(.keySet(try FetchingFunction.keySet(["rs256"])))
    try server.start()
    defer { server.stop() }
    let function = try FetchingFunction(in: workshop.folder, server, hasSeed: false)
    let (old, new) = (try FetchingFunction.event("RS256"), try FetchingFunction.event("ES256"))
    let rotated = try FetchingFunction.keySet(["es256"])
    try await function.run { environment in
      #expect(await environment.verdict(old).outcome == .allowed)
      #expect(server.targets.count == 1)
      server.publish(.keySet(rotated))
      #expect(await environment.verdict(new).outcome == .allowed)
      #expect(server.targets.count == 2)
      #expect(await environment.verdict(new).outcome == .allowed)
      #expect(server.targets.count == 2)
      #expect(function.lines("decision").map { $0["fetches"] } == [nil, .number("1"), nil])
      // The whole key set was replaced: the withdrawn key is gone, and causes one fetch.
      let withdrawn = await environment.verdict(old)
      #expect(withdrawn.outcome == .unauthorized)
      #expect(withdrawn.result.decision?.reason == "unknownKey")
      #expect(server.targets.count == 3)
    }
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let answer: LoopbackKeyServer.Answer
    let code: String
    var timeoutMilliseconds = FetchingFunction.longestFetchMilliseconds

    var testDescription: String { name }
  }

  static let faults: [Fault] = [
    Fault(name: "500", answer: .response("500 Oops", body: Array("{}".utf8)), code: "fetchStatus"),
    Fault(
      name: "redirect", answer: .response("302 Found", fields: ["Location: /elsewhere"], body: []),
      code: "fetchRedirect"),
    Fault(
      name: "HTML", answer: .response("200 OK", body: Array("<html>sign in</html>".utf8)), code: "notJSON"),
    Fault(
      name: "truncated", answer: .response("200 OK", body: Array(#"{"keys":["#.utf8), missing: 1000),
      code: "fetchTransfer"),
    Fault(name: "slow", answer: .silence, code: "fetchTimeout", timeoutMilliseconds: 300),
  ]

  @Test(arguments: faults)
  func decidesWithTheSeedWhateverTheIssuerSends(_ fault: Fault) async throws {
    let workshop = try Workshop()
    let server = try LoopbackKeyServer(fault.answer)
    try server.start()
    defer { server.stop() }
    let function = try FetchingFunction(
      in: workshop.folder, server, hasSeed: true, timeoutMilliseconds: fault.timeoutMilliseconds)
    let event = try FetchingFunction.event("RS256")
    try await function.run { environment in
      for _ in 0..<3 {
        let answer = await environment.verdict(event)
        #expect(answer.outcome == .allowed)
        #expect(answer.result.decision?.outcome == "allowed")
        #expect(answer.result.decision?.issuer == "partner")
      }
      let notices = function.lines("keyFetchFailed")
      // On a busy machine the program may time out before it starts, and then reports no reason of its own.
      let codes: [JSONTree?] = fault.code == "fetchTimeout" ? [.string("fetchDeadline")] : []
      #expect(notices.count == 1)
      #expect((codes + [.string(fault.code)]).contains(notices.first?["detail"]))
      #expect(notices.map { $0["issuer"] } == [.string("partner")])
      #expect(!server.targets.isEmpty || notices.first?["detail"] == .string("fetchDeadline"))
      #expect(server.targets.allSatisfy { $0 == "/jwks" })
    }
  }

  @Test func decidesWithTheSeedWithoutFetchKeysAndLogsIt() async throws {
    let workshop = try Workshop()
    let alone = workshop.folder.appendingPathComponent("bootstrap")
    try TestProgram.copy(Workshop.bootstrap, to: alone.path)
    let server = try LoopbackKeyServer(.silence)
    try server.start()
    defer { server.stop() }
    let function = try FetchingFunction(in: workshop.folder, server, hasSeed: true, executable: alone.path)
    let event = try FetchingFunction.event("RS256")
    try await function.run { environment in
      for _ in 0..<2 { #expect(await environment.verdict(event).outcome == .allowed) }
      let notices = function.lines("keyFetchFailed")
      #expect(notices.map { $0["detail"] } == [.string("fetchExecutableMissing")])
      #expect(server.targets.isEmpty)
    }
  }
}
