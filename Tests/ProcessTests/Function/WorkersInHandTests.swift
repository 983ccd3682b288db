import Foundation
import JSON
import Synchronization
import Testing
import TestSupport

/// The function with four workers that handle invocations: they wait for keys from servers that delay their answers.
@Suite("Four workers that wait for keys", .needsFetchingFunction, .hangLimit, .serialized)
struct WorkersInHandTests {
  /// A Runtime API that serves some events, and blocks later calls for an event.
  final class Scene: Sendable {
    let tally = Mutex(WorkersTests.Tally())
    let servers: [LoopbackKeyServer]
    private let events: [[UInt8]]
    private let beforeSending: @Sendable (Int) -> Void
    private let end = Door(for: .max)

    /// - Parameter before: called with the number of each event before it is sent.
    init(
      _ events: [[UInt8]], servers count: Int,
      before: @escaping @Sendable (Int, [LoopbackKeyServer]) -> Void = { _, _ in }
    ) throws {
      let keys = try FetchingFunction.keySet()
      let servers = try (0..<count).map { _ in try LoopbackKeyServer(.keySet(keys), isHeld: true) }
      for server in servers { try server.start() }
      self.servers = servers
      self.events = events
      beforeSending = { before($0, servers) }
    }

    deinit { for server in servers { server.stop() } }

    func api() throws -> ConcurrentRuntimeAPI {
      try ConcurrentRuntimeAPI { [self] call in
        guard call.isNext else {
          tally.withLock { $0.take(call) }
          return .status(202)
        }
        let number = tally.withLock { $0.begin() }
        guard number < events.count else {
          end.wait()
          return .end
        }
        beforeSending(number)
        return .event(events[number], id: "\(number)")
      }
    }

    /// Waits until each server has received a request.
    func waitUntilAsked() throws {
      for server in servers { try #require(server.waitForRequest()) }
    }

    /// Waits until every event is answered, and each of the four workers asks for the next one.
    func waitUntilIdle() -> Bool {
      HangLimit.wait { tally.withLock { $0.nexts == events.count + 4 } }
    }

    var answers: [String: String] { tally.withLock { $0.answers } }
  }

  /// Returns an event for each of four issuers, or four for one, signed with a key that is not in the seed.
  static func unknown(issuers: Int) throws -> [[UInt8]] {
    try (0..<4).map {
      try ConcurrentFunction.event(issuer: $0 % issuers, subject: "subject-\($0).", algorithm: "ES256")
    }
  }

  static func areOwn(_ answers: [String: String], count: Int) -> Bool {
    answers.count == count
      && answers.allSatisfy { id, body in body.hasPrefix(#"{"principalId":"subject-\#(id).","#) }
  }

  @Test("use one fetch for a key that all of them miss")
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

  @Test("continue with cached keys while one waits for a slow issuer")
  func slowIssuer() throws {
    let workshop = try Workshop()
    var events = [try ConcurrentFunction.event(subject: "subject-0.", algorithm: "ES256")]
    // Few enough that a slow machine finishes them before the fetch from the slow issuer times out after 8 s.
    events += try (1..<Self.count).map {
      try ConcurrentFunction.event(issuer: $0 % 2, subject: "subject-\($0).", algorithm: "RS256")
    }
    // The second event is sent when the first one waits. The last server answers at once.
    let scene = try Scene(events, servers: 2) { number, servers in
      if number > 0 { _ = servers[0].waitForRequest() }
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

  @Test("a crash reports all invocations, and logs one line with its time")
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

  /// The workers have 450 ms of real time, which may be too short on a busy machine. Here that time never ends.
  @Test(
    "answer all their invocations after SIGTERM, and the process ends with status 0",
    .enabled(if: WithoutTimers.isPossible, "needs Linux and Python"))
  func terminated() throws {
    let workshop = try Workshop()
    let scene = try Scene(try Self.unknown(issuers: 4), servers: 4)
    let api = try scene.api()
    let function = try ConcurrentFunction(
      api, in: workshop.folder, keys: scene.servers, launcher: WithoutTimers.launcher(in: workshop))
    try scene.waitUntilAsked()
    kill(function.process.processIdentifier, SIGTERM)
    for server in scene.servers { server.release() }
    #expect(function.finish() == .status(0))
    #expect(Self.areOwn(scene.answers, count: 4), "\(scene.answers)")
  }

  @Test("end by SIGTERM if the issuers do not answer")
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
  /// Waits until it has received a request.
  fileprivate func waitForRequest() -> Bool { HangLimit.wait { !targets.isEmpty } }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
  fileprivate static var iso8601Milliseconds: Self {
    Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  }
}
