import Foundation
import JSON
import Synchronization
import Testing
import TestSupport

/// The function with `AWS_LAMBDA_MAX_CONCURRENCY` set to 4.
@Suite("Four workers", .needsFetchingFunction, .hangLimit, .serialized)
struct WorkersTests {
  /// The calls that a Runtime API has received.
  struct Tally: Sendable {
    var nexts = 0
    var answers: [String: String] = [:]
    var repeated = 0
    var errors: [ConcurrentRuntimeAPI.Call] = []

    /// Counts a call of `/next`, and returns the number of those before it.
    mutating func begin() -> Int {
      defer { nexts += 1 }
      return nexts
    }

    mutating func take(_ call: ConcurrentRuntimeAPI.Call) {
      if call.path.last == "error" { errors.append(call) }
      if answers.updateValue(call.body, forKey: call.requestID) != nil { repeated += 1 }
    }
  }

  @Test(
    "answer four events at the same time, each with its own subject, over 20,000 events without growth; late answers are dropped"
  )
  func subjects() throws {
    let workshop = try Workshop()
    let events = try (0..<40).map { try ConcurrentFunction.event(subject: "subject-\($0).") }
    let tally = Mutex(Tally())
    let (polls, posts) = (Door(for: 4), Door(for: 4))
    let process = Mutex<Int32>(0)
    let holdings = Mutex<[RuntimeEnduranceTests.Holdings]>([])
    let total = 20_000
    let api = try ConcurrentRuntimeAPI { call in
      guard call.isNext else {
        let count = tally.withLock { tally in
          tally.take(call)
          return tally.answers.count
        }
        if count <= 4 { posts.pass() }
        return .status(count % 100 == 0 ? 410 : 202)
      }
      let number = tally.withLock { $0.begin() }
      if number < 4 { guard polls.pass() else { return .status(500) } }
      // Before any worker ends and closes its connection.
      if number == 2_000 || number == total - 100 {
        let now = RuntimeEnduranceTests.Holdings(of: process.withLock { $0 })
        holdings.withLock { $0.append(now) }
      }
      return number < total ? .event(events[number % 40], id: "\(number)") : .status(403)
    }
    let function = try ConcurrentFunction(api, in: workshop.folder)
    process.withLock { $0 = function.process.processIdentifier }
    #expect(function.finish() == .status(76))
    let count = tally.withLock { $0 }
    #expect(count.nexts == total + 4)
    #expect(count.answers.count == total && count.repeated == 0 && count.errors.isEmpty)
    let foreign = count.answers.filter { id, body in
      !body.hasPrefix(#"{"principalId":"subject-\#((Int(id) ?? 0) % 40).","#)
    }
    #expect(foreign.isEmpty, "\(foreign.first.map { "\($0)" } ?? "")")
    #expect(function.lines.allSatisfy { (try? JSONTree(parsing: Array($0.utf8))) != nil })
    #expect(function.lines("decision").count == total)
    #expect(Set(function.lines("decision").map { $0["requestId"]?.text ?? "" }).count == total)
    #expect(function.lines("decision").count { $0["coldStart"] == .boolean(true) } == 4)
    #expect(
      function.lines("the invocation had timed out; its late answer was dropped").count == total / 100)
    if EventPump.hasProcessFolders {
      let (before, after) = (
        try #require(holdings.withLock { $0.first }), try #require(holdings.withLock { $0.last })
      )
      let growth = after.residentKiB - before.residentKiB
      #expect(before.residentKiB > 0 && (growth <= 256 || Workshop.isEmulated), "\(before) \(after)")
      #expect(after.descriptors == before.descriptors, "\(before) \(after)")
    }
  }

  @Test("end one worker when Lambda refuses it, and lose only the answers of broken connections")
  func broken() throws {
    let workshop = try Workshop()
    let event = try ConcurrentFunction.event(subject: "u")
    let tally = Mutex(Tally())
    let last = Mutex<[Int]>([])
    let api = try ConcurrentRuntimeAPI { call in
      guard call.isNext else {
        let count = tally.withLock { tally in
          tally.take(call)
          return tally.answers.count
        }
        return count % 10 == 0 ? .end : .status(202)
      }
      let number = tally.withLock { $0.begin() }
      if number == 0 { return .status(403) }
      if number % 50 == 7 { return .end }
      guard number < 400 else {
        last.withLock { $0.append(number) }
        return .status(403)
      }
      return .event(event, id: "\(number)")
    }
    let function = try ConcurrentFunction(api, in: workshop.folder)
    #expect(function.finish() == .status(76))
    let count = tally.withLock { $0 }
    // All except the refused one and the eight that ended the connection.
    #expect(count.answers.count == 391 && count.repeated == 0 && count.errors.isEmpty)
    #expect(last.withLock { $0.count } == 3)
    #expect(function.lines.filter { $0.contains("; the answer is lost") }.count == 39)
    #expect(function.lines("next: the Runtime API answered 403").count == 4)
  }

  @Test("end at once with status 0 on SIGTERM without invocations")
  func idle() throws {
    let workshop = try Workshop()
    let (polls, end) = (Door(for: 5), Door(for: .max))
    let api = try ConcurrentRuntimeAPI { _ in
      polls.arrive()
      end.wait()
      return .end
    }
    let function = try ConcurrentFunction(api, in: workshop.folder)
    #expect(polls.pass())
    kill(function.process.processIdentifier, SIGTERM)
    #expect(function.finish() == .status(0))
  }

  @Test("do not start for a number that Lambda never sets", arguments: ["0", "-1", "four", "257"])
  func nonsense(_ number: String) throws {
    let workshop = try Workshop()
    let calls = Mutex<[ConcurrentRuntimeAPI.Call]>([])
    let api = try ConcurrentRuntimeAPI { call in
      calls.withLock { $0.append(call) }
      return .status(202)
    }
    let function = try ConcurrentFunction(api, in: workshop.folder, workers: number)
    #expect(function.finish() == .status(78))
    #expect(calls.withLock { $0.map(\.path) } == [["init", "error"]])
    #expect(
      function.lines.first == "AWS_LAMBDA_MAX_CONCURRENCY: a whole number from 1 to 256 is expected")
  }
}
