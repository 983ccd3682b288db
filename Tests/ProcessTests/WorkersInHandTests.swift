import Foundation
import JSON
import Synchronization
import Testing
import TestSupport

/// The function as it ships with four workers that have invocations in hand: they wait for keys from servers that hold
/// their answers.
@Suite(
  "Four workers that wait for keys",
  .enabled(if: FetchingFunction.isReady, FetchingFunction.notReady), .timeLimit(.minutes(HangLimit.minutes)),
  .serialized)
struct WorkersInHandTests {
  /// A Runtime API that hands out some events, and lets later calls for an event wait.
  final class Scene: Sendable {
    let tally = Mutex(WorkersTests.Tally())
    let servers: [LoopbackKeyServer]
    private let events: [[UInt8]]
    private let isQuiet: @Sendable (Int) -> Void
    private let end = Door(for: .max)

    /// - Parameter before: called with the number of each event before it goes out.
    init(
      _ events: [[UInt8]], servers count: Int,
      before: @escaping @Sendable (Int, [LoopbackKeyServer]) -> Void = { _, _ in }
    ) throws {
      let keys = try FetchingFunction.keySet()
      let servers = try (0..<count).map { _ in try LoopbackKeyServer(.keySet(keys), isHeld: true) }
      for server in servers { try server.start() }
      self.servers = servers
      self.events = events
      isQuiet = { before($0, servers) }
    }

    deinit { for server in servers { server.stop() } }

    func api() throws -> ConcurrentRuntimeAPI {
      try ConcurrentRuntimeAPI { [self] call in
        guard call.isNext else {
          tally.withLock { $0.take(call) }
          return .status(202)
        }
        let number = tally.withLock { tally in
          defer { tally.nexts += 1 }
          return tally.nexts
        }
        guard number < events.count else {
          end.wait()
          return .end
        }
        isQuiet(number)
        return .event(events[number], id: "\(number)")
      }
    }

    /// Waits until each server has been asked.
    func waitUntilAsked() throws {
      for server in servers { try #require(server.isAsked()) }
    }

    /// Waits until every event has its post, and each of the four workers asks for another.
    func waitUntilIdle() -> Bool {
      HangLimit.wait { tally.withLock { $0.nexts == events.count + 4 } }
    }

    var answers: [String: String] { tally.withLock { $0.answers } }
  }

  /// An event for each of four issuers, or four for one, under a key that is not in the seed.
  static func unknown(issuers: Int) throws -> [[UInt8]] {
    try (0..<4).map {
      try ConcurrentFunction.event(issuer: $0 % issuers, subject: "subject-\($0).", algorithm: "ES256")
    }
  }

  static func areOwn(_ answers: [String: String], count: Int) -> Bool {
    answers.count == count
      && answers.allSatisfy { id, body in body.hasPrefix(#"{"principalId":"subject-\#(id).","#) }
  }

  @Test("need one fetch for a key that all of them miss")
  func oneFetch() throws {
    let workshop = try Workshop()
    let scene = try Scene(try Self.unknown(issuers: 1), servers: 1)
    let api = try scene.api()
    let function = try ConcurrentFunction(api, in: workshop.folder, keys: scene.servers)
    try scene.waitUntilAsked()
    scene.servers[0].release()
    #expect(scene.waitUntilIdle())
    kill(function.process.processIdentifier, SIGTERM)
    #expect(function.finish() == .status(0))
    #expect(Self.areOwn(scene.answers, count: 4), "\(scene.answers)")
    #expect(scene.servers[0].targets == ["/jwks"])
  }

  @Test("hold up nobody whose keys are there, while one waits for a slow issuer")
  func slowIssuer() throws {
    let workshop = try Workshop()
    var events = [try ConcurrentFunction.event(subject: "subject-0.", algorithm: "ES256")]
    // Few enough that a slow machine is through with them before the function gives the slow issuer up, which is after 8 s.
    events += try (1..<Self.count).map {
      try ConcurrentFunction.event(issuer: $0 % 2, subject: "subject-\($0).", algorithm: "RS256")
    }
    // The second event goes out when the first one waits; the last server answers at once.
    let scene = try Scene(events, servers: 2) { number, servers in if number > 0 { _ = servers[0].isAsked() }
    }
    scene.servers[1].release()
    let api = try scene.api()
    let function = try ConcurrentFunction(api, in: workshop.folder, keys: scene.servers)
    #expect(HangLimit.wait { scene.answers.count >= Self.count - 1 || !function.isRunning })
    #expect(Self.areOwn(scene.answers, count: Self.count - 1) && scene.answers["0"] == nil)
    scene.servers[0].release()
    #expect(scene.waitUntilIdle())
    kill(function.process.processIdentifier, SIGTERM)
    #expect(function.finish() == .status(0))
    #expect(Self.areOwn(scene.answers, count: Self.count))
    #expect(scene.servers.map(\.targets.count) == [1, 1])
  }

  private static let count = 30

  @Test("have all their invocations reported by a crash, which one line tells with its time")
  func crash() throws {
    let workshop = try Workshop()
    let scene = try Scene(try Self.unknown(issuers: 4), servers: 4)
    let api = try scene.api()
    let before = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    let function = try ConcurrentFunction(api, in: workshop.folder, keys: scene.servers)
    try scene.waitUntilAsked()
    kill(function.process.processIdentifier, SIGSEGV)
    function.waitUntilEnded()
    for server in scene.servers { server.release() }
    #expect(function.finish() == .signal(SIGSEGV))
    let reports = scene.tally.withLock { $0.errors }
    #expect(Set(reports.map(\.requestID)) == ["0", "1", "2", "3"] && reports.count == 4)
    for report in reports {
      #expect(report.value("Lambda-Runtime-Function-Error-Type") == "Runtime.Crash")
      #expect(report.value("Lambda-Runtime-Invocation-Id") == "attempt-\(report.requestID)")
    }
    let lines = function.lines("the function crashed: SIGSEGV")
    #expect(lines.count == 1)
    let time = try Date(try #require(lines.first?["timestamp"]?.text), strategy: .iso8601Milliseconds)
    #expect((before...Date()).contains(time))
  }

  /// They have 450 ms, which may be too short on a busy machine: here that time never ends.
  @Test(
    "answer all they have after SIGTERM, and the process ends with status 0",
    .enabled(if: Untimed.isPossible, "needs Linux and Python"))
  func terminated() throws {
    let workshop = try Workshop()
    let scene = try Scene(try Self.unknown(issuers: 4), servers: 4)
    let api = try scene.api()
    let function = try ConcurrentFunction(
      api, in: workshop.folder, keys: scene.servers, launcher: Untimed.launcher(in: workshop))
    try scene.waitUntilAsked()
    kill(function.process.processIdentifier, SIGTERM)
    for server in scene.servers { server.release() }
    #expect(function.finish() == .status(0))
    #expect(Self.areOwn(scene.answers, count: 4), "\(scene.answers)")
  }

  @Test("are ended by SIGTERM where the answers do not come")
  func unanswered() throws {
    let workshop = try Workshop()
    let scene = try Scene(try Self.unknown(issuers: 4), servers: 4)
    let api = try scene.api()
    let function = try ConcurrentFunction(api, in: workshop.folder, keys: scene.servers)
    try scene.waitUntilAsked()
    kill(function.process.processIdentifier, SIGTERM)
    function.waitUntilEnded()
    for server in scene.servers { server.release() }
    #expect(function.finish() == .signal(SIGTERM))
    #expect(scene.answers.isEmpty)
  }
}

extension LoopbackKeyServer {
  /// Waits until it has been asked.
  fileprivate func isAsked() -> Bool { HangLimit.wait { !targets.isEmpty } }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
  fileprivate static var iso8601Milliseconds: Self {
    Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  }
}
