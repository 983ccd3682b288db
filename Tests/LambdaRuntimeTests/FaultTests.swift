import Testing
import TestSupport

@testable import LambdaRuntime

/// All statuses and broken connections. Each fault lasts until the loop ends, and the calls of the loop are counted.
@Suite("The loop with every fault", .hangLimit)
struct FaultTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let reaction: FaultyRuntimeAPI.Reaction
    /// The exit status and the number of calls if every `/next` has this reaction.
    let next: (status: RuntimeExitStatus, calls: Int)
    /// The exit status if every POST has this reaction; nil if the loop continues.
    let post: RuntimeExitStatus?

    var testDescription: String { name }
  }

  static func status(
    _ status: Int, next: RuntimeExitStatus = .protocol, post: RuntimeExitStatus? = .protocol
  ) -> Row {
    Row(
      name: "\(status)", reaction: .answer(Answers.refusal(status)), next: (next, 1), post: post)
  }

  static func bytes(_ name: String, _ text: String, _ status: RuntimeExitStatus) -> Row {
    Row(name: name, reaction: .end(Array(text.utf8)), next: (status, 1), post: status)
  }

  static let rows: [Row] = [
    // 200 without an ID is not an event.
    status(200, post: nil), status(201, post: nil), status(202, post: nil),
    Row(
      name: "204", reaction: .answer(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)),
      next: (.protocol, RuntimeAPI.emptyAnswerLimit), post: nil),
    status(301), status(302), status(304), status(401), status(403), status(404), status(405), status(409),
    status(400, post: nil), status(410, post: nil), status(413, post: nil), status(429),
    status(500, next: .unavailable, post: .unavailable), status(502), status(503), status(504),
    Row(name: "reset", reaction: .reset, next: (.unavailable, 1), post: .unavailable),
    bytes("an empty answer", "", .unavailable), bytes("a truncated head", "HTTP/1.1 202 Acc", .unavailable),
    bytes("a truncated body", "HTTP/1.1 202 X\r\nContent-Length: 9\r\n\r\n{}", .unavailable),
    bytes("a truncated chunk", "HTTP/1.1 202 X\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", .unavailable),
    bytes("no HTTP", "hello\r\n\r\n", .protocol), bytes("HTTP/2", "HTTP/2 200\r\n\r\n", .protocol),
    bytes(
      "only interim answers", String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 20), .protocol),
    bytes(
      "two lengths", "HTTP/1.1 202 X\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12", .protocol),
    bytes("a long head", "HTTP/1.1 202 X\r\nX: " + String(repeating: "x", count: 40_000), .protocol),
  ]

  @Test("requests events only as often as the table says", arguments: rows)
  func next(_ row: Row) throws {
    let server = try #require(FaultyRuntimeAPI { _ in row.reaction })
    let run = try Self.run(server)
    #expect(run.status == row.next.status)
    #expect(run.notices.map(\.level) == [.error])
    let (calls, connections) = server.finish()
    #expect(calls == Array(repeating: "next", count: row.next.calls))
    #expect(connections == 1)
  }

  /// The number of consecutive invocations with failing POSTs.
  static let invocations = 5

  @Test(
    "posts each answer once, and continues or ends as the table says", arguments: rows, ["response", "error"])
  func post(_ row: Row, _ call: String) throws {
    let events = Counter()
    let server = try #require(
      FaultyRuntimeAPI { request in
        guard request.line.hasPrefix("GET") else { return row.reaction }
        let number = events.next()
        return .answer(
          number < Self.invocations
            ? Answers.event(call == "error" ? "\"fail\"" : "1", id: "r-\(number)") : Answers.refusal(500))
      })
    let run = try Self.run(server)
    let calls = server.finish().calls
    if let status = row.post {
      #expect(run.status == status)
      #expect(calls == ["next", call])
      #expect(run.notices.map(\.level) == [.error])
    } else {
      #expect(run.status == .unavailable)
      #expect(calls == Array(repeating: ["next", call], count: Self.invocations).flatMap(\.self) + ["next"])
      let isAccepted = ["200", "201", "202", "204"].contains(row.name)
      #expect(run.notices.count(where: { $0.level == .warning }) == (isAccepted ? 0 : Self.invocations))
    }
  }

  private final class Counter: @unchecked Sendable {
    // Used only by the server's thread.
    private var value = -1

    func next() -> Int {
      value += 1
      return value
    }
  }

  private static func run(
    _ server: FaultyRuntimeAPI
  ) throws -> (status: RuntimeExitStatus, notices: [RuntimeNotice]) {
    var loop = RuntimeLoop(
      api: RuntimeAPI(endpoint: try RuntimeEndpoint(parsing: server.address), trustedNanoseconds: 0))
    var handler = RuntimeLoopTests.Echo()
    var notices: [RuntimeNotice] = []
    let status = loop.run(handler: &handler) { notices.append($0) }
    return (status, notices)
  }
}
