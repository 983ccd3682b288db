import DynamoDB
import JSON
import Testing

@testable import Authorizer

@Suite("Reading the revocation table")
struct RevocationTableTests {
  /// A scripted DynamoDB that records its calls; each client has its own.
  final class Endpoint: DynamoDBTransport {
    var results: [Result<DynamoDBAnswer, CallFailure>]
    private(set) var calls: [DynamoDBCall] = []
    var whenSent: (DynamoDBCall) -> Void = { _ in }

    init(_ results: [Result<DynamoDBAnswer, CallFailure>]) { self.results = results }

    func send(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure> {
      calls.append(call)
      whenSent(call)
      return results.isEmpty ? .failure(CallFailure(.connect)) : results.removeFirst()
    }
  }

  /// A clock that only a pause advances.
  final class Pace: DynamoDBPace {
    private(set) var monotonicMilliseconds: Int64 = 5000
    var unixMilliseconds: Int64 { 1_795_000_000_000 + monotonicMilliseconds }
    func pause(milliseconds: Int64) { monotonicMilliseconds += milliseconds }
    func randomBits() -> UInt64 { 1 }
  }

  private static func answer(_ status: Int, _ body: String) -> Result<DynamoDBAnswer, CallFailure> {
    .success(DynamoDBAnswer(status: status, body: Array(body.utf8)))
  }

  private static func table(_ endpoint: Endpoint) -> RevocationTable<Endpoint, Pace> {
    RevocationTable { DynamoDBClient(table: "identity", transport: endpoint, pace: Pace()) }
  }

  static let answers: [(status: Int, body: String, answer: RevocationAnswer)] = [
    (200, "{}", .events([nil])),
    (
      200, #"{"Item":{"pk":{"S":"revocation#a\"b"},"eventMilliseconds":{"N":"1750000000000"}}}"#,
      .events([1_750_000_000_000])
    ),
    (
      200, #"{"Item":{"pk":{"S":"revocation#a\"b"},"eventMilliseconds":{"S":"1"}}}"#,
      .unavailable("an item of the table has no eventMilliseconds")
    ),
    (
      200, #"{"Item":{"pk":{"S":"revocation#a\"b"}}}"#,
      .unavailable("an item of the table has no eventMilliseconds")
    ),
    (
      200, #"{"Item":{"pk":{"S":"revocation#other"},"eventMilliseconds":{"N":"1"}}}"#,
      .unavailable(DynamoDBError.malformedAnswer.description)
    ),
    (200, "", .unavailable(DynamoDBError.malformedAnswer.description)),
    (
      400, #"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}"#,
      .unavailable(DynamoDBError.tableMissing.description)
    ),
    (
      400, #"{"__type":"com.amazon.coral.service#AccessDeniedException"}"#,
      .unavailable(DynamoDBError.accessDenied("AccessDeniedException").description)
    ),
  ]

  @Test(
    "one consistent read of the subject's item decides, and only a valid answer counts",
    arguments: answers)
  func reads(status: Int, body: String, answer: RevocationAnswer) throws {
    let endpoint = Endpoint([Self.answer(status, body)])
    var table = Self.table(endpoint)
    #expect(endpoint.calls.isEmpty)
    #expect(table.answer(about: [Array("revocation#a\"b".utf8)], at: 0, endMilliseconds: nil) == answer)
    #expect(endpoint.calls.map(\.operation) == ["GetItem"])
    let request = try JSONTree(parsing: endpoint.calls[0].body, limits: .token)
    let wanted = #"{"TableName":"identity","Key":{"pk":{"S":"revocation#a\"b"}},"ConsistentRead":true}"#
    #expect(request.equalsIgnoringOrder(try JSONTree(parsing: Array(wanted.utf8), limits: .token)))
  }

  @Test("a lookup ends with the invocation, and after three seconds at the latest")
  func deadline() {
    let endpoint = Endpoint([])
    var table = Self.table(endpoint)
    let start: Int64 = 1_795_000_005_000
    let gone = RevocationAnswer.unavailable(DynamoDBError.timedOut.description)
    #expect(table.answer(about: [[0x61]], at: 0, endMilliseconds: start) == gone)
    #expect(endpoint.calls.isEmpty)
    _ = table.answer(about: [[0x61]], at: 0, endMilliseconds: start + 700)
    #expect(endpoint.calls[0].totalMilliseconds == 700)
    endpoint.results = [Self.answer(200, "{}")]
    #expect(table.answer(about: [[0x61]], at: 0, endMilliseconds: nil) == .events([nil]))
    #expect(endpoint.calls.allSatisfy { $0.totalMilliseconds <= 3000 })
  }

  @Test(
    "a table that does not answer delays a caller by at most three seconds",
    arguments: [nil, 60_000] as [Int64?])
  func silence(remaining: Int64?) {
    let (endpoint, pace) = (Endpoint([]), Pace())
    endpoint.whenSent = { pace.pause(milliseconds: $0.totalMilliseconds) }
    var table = RevocationTable { DynamoDBClient(table: "identity", transport: endpoint, pace: pace) }
    let start = pace.monotonicMilliseconds
    _ = table.answer(about: [[0x61]], at: 0, endMilliseconds: remaining.map { pace.unixMilliseconds + $0 })
    #expect(endpoint.calls.count == 2)
    #expect(2000...3000 ~= pace.monotonicMilliseconds - start)
  }

  @Test("each worker has its own client")
  func workers() {
    var made = 0
    let table = RevocationTable {
      made += 1
      return DynamoDBClient(table: "identity", transport: Endpoint([]), pace: Pace())
    }
    _ = table.forAnotherWorker()
    #expect(made == 2)
  }
}
