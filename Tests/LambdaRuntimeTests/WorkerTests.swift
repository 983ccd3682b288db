import Synchronization
import Testing
import TestSupport

@testable import LambdaRuntime

@Suite("AWS_LAMBDA_MAX_CONCURRENCY")
struct WorkerCountTests {
  @Test(
    "is a whole number from 1 to 256, and 1 by default",
    arguments: [
      (nil, 1), ("", 1), ("1", 1), ("2", 2), ("064", 64), ("256", 256),
    ])
  func number(_ text: String?, _ number: Int) throws {
    #expect(try WorkerCount(parsing: text).number == number)
  }

  @Test(
    "is refused with an error and a hint if it has another value",
    arguments: [
      "0", "00", "-1", "+1", " 1", "1 ", "1.0", "1e2", "four", "257", "99999999999999999999", "٤",
    ])
  func invalidValue(_ text: String) {
    let error = #expect(throws: WorkerCount.Flaw.self) { try WorkerCount(parsing: text) }
    #expect(error?.code == "invalidConcurrency")
    #expect(error?.description.contains("a whole number from 1 to 256 is expected\nhint: ") == true)
    #expect(error?.description.contains("99999") == false)
  }
}

@Suite("One of several workers", .hangLimit)
struct WorkerTests {
  struct Echo: InvocationHandler {
    mutating func answer(to event: [UInt8], context: InvocationContext) -> InvocationAnswer {
      .response(event)
    }
    mutating func afterResponse(deadlineMilliseconds: Int64?) {}
  }

  /// Runs a worker with a server whose reaction depends on the number of the call.
  static func run(
    _ react: @escaping @Sendable (_ call: Int) -> FaultyRuntimeAPI.Reaction
  ) throws -> (status: RuntimeExitStatus, calls: [String], notices: [String]) {
    let calls = Mutex(0)
    let server = try #require(
      FaultyRuntimeAPI { _ in
        react(
          calls.withLock { calls in
            defer { calls += 1 }
            return calls
          })
      })
    var loop = RuntimeLoop(
      api: RuntimeAPI(endpoint: try RuntimeEndpoint(parsing: server.address)), slot: nil,
      retries: NextRetries(firstMilliseconds: 1))
    var handler = Echo()
    var notices: [String] = []
    let status = loop.run(handler: &handler) { notices.append("\($0.level.rawValue) \($0.code)") }
    return (status, server.finish().calls, notices)
  }

  @Test("retries five times if its connection fails, and then ends")
  func retries() throws {
    let run = try Self.run { _ in .end([]) }
    #expect(run.status == .unavailable)
    #expect(run.calls == Array(repeating: "next", count: 6))
    let warning = "WARN \(TransportFailure.connectionLost(errorNumber: 0).code)"
    #expect(run.notices == Array(repeating: warning, count: 5) + ["ERROR" + warning.dropFirst(4)])
  }

  @Test("pauses for 100 ms, doubles the pause each time, and resets it after an event")
  func pauses() {
    var retries = NextRetries()
    let error = RuntimeAPIError.transport(.next, .connectionLost(errorNumber: 0))
    let pauses = (0..<6).map { _ in retries.pause(after: error) }
    #expect(pauses == [100, 200, 400, 800, 1600, nil])
    retries.succeeded()
    #expect(retries.pause(after: error) == 100)
    #expect(retries.pause(after: .invalidState(.next, Answers.refusalDetail)) == nil)
  }

  @Test("ends without a retry if Lambda refuses its request for an event", arguments: [403, 500, 404])
  func refused(_ status: Int) throws {
    let run = try Self.run { _ in .answer(Answers.refusal(status)) }
    #expect(run.calls == ["next"])
    #expect(run.status == (status == 500 ? .unavailable : .protocol))
    #expect(run.notices.count == 1)
  }

  @Test(
    "continues if an answer cannot be posted, and ends if the next request for an event is refused",
    arguments: [403, 500, 404])
  func lostPost(_ status: Int) throws {
    let run = try Self.run { call in
      switch call {
      case 0, 2: .answer(Answers.event())
      case 1: .answer(Answers.refusal(status))
      case 3: .end([])
      default: .answer(Answers.refusal(403))
      }
    }
    #expect(run.calls == ["next", "response", "next", "response", "next"])
    #expect(run.status == .protocol)
    #expect(run.notices.map { $0.split(separator: " ")[0] } == ["WARN", "WARN", "ERROR"])
  }
}
