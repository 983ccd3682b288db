import DynamoDB
import JSON
import Testing

@testable import Authorizer

@Suite("Writing used proofs")
struct ProofTablesTests {
  typealias Endpoint = RevocationTableTests.Endpoint
  typealias Pace = RevocationTableTests.Pace

  private static let fingerprint = [UInt8](0..<32)

  private static func use(_ table: String = "proofs") -> ProofUse {
    ProofUse(
      fingerprint: fingerprint, table: TableReference(name: table, region: nil), expiresAt: 1_795_000_140)
  }

  private static func answer(_ status: Int, _ body: String) -> Result<DynamoDBAnswer, CallFailure> {
    .success(DynamoDBAnswer(status: status, body: Array(body.utf8)))
  }

  private static func tables(_ endpoint: Endpoint) -> ProofTables<Endpoint, Pace> {
    ProofTables { DynamoDBClient(table: $0.name, transport: endpoint, pace: Pace()) }
  }

  static let answers: [(status: Int, body: String, answer: ProofMemoryAnswer)] = [
    (200, "{}", .first),
    (400, #"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"}"#, .repeated),
    (
      400, #"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"}"#,
      .unavailable(DynamoDBError.tableMissing.description)
    ),
    (
      400, #"{"__type":"com.amazon.coral.service#AccessDeniedException"}"#,
      .unavailable(DynamoDBError.accessDenied("AccessDeniedException").description)
    ),
    (200, "", .unavailable(DynamoDBError.malformedAnswer.description)),
    (200, "<html>", .unavailable(DynamoDBError.malformedAnswer.description)),
  ]

  @Test("one conditional put decides, and only a valid answer counts", arguments: answers)
  func puts(status: Int, body: String, answer: ProofMemoryAnswer) throws {
    let endpoint = Endpoint([Self.answer(status, body)])
    var tables = Self.tables(endpoint)
    #expect(tables.remember(Self.use(), endMilliseconds: nil) == answer)
    #expect(endpoint.calls.map(\.operation) == ["PutItem"])
    let request = try JSONTree(parsing: endpoint.calls[0].body, limits: .token)
    let mark = try #require(request["Item"]?["mark"]?["S"]?.text)
    #expect(mark.utf8.count == 32)
    let wanted = """
      {"TableName":"proofs","Item":{"pk":{"S":"dpop#\
      000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"},
      "mark":{"S":"\(mark)"},"expires":{"N":"1795000140"}},
      "ConditionExpression":"attribute_not_exists(pk) OR mark = :mark",
      "ExpressionAttributeValues":{":mark":{"S":"\(mark)"}}}
      """
    #expect(request.equalsIgnoringOrder(try JSONTree(parsing: Array(wanted.utf8), limits: .token)))
  }

  @Test("a second attempt has the mark of the first one, so that a lost answer is no replay")
  func retry() throws {
    let endpoint = Endpoint([.failure(CallFailure(.transfer)), Self.answer(200, "{}")])
    var tables = Self.tables(endpoint)
    #expect(tables.remember(Self.use(), endMilliseconds: nil) == .first)
    #expect(endpoint.calls.count == 2)
    #expect(endpoint.calls[0].body == endpoint.calls[1].body)
  }

  @Test("a write ends with the invocation, and after three seconds at the latest")
  func deadline() {
    let endpoint = Endpoint([])
    var tables = Self.tables(endpoint)
    let gone = ProofMemoryAnswer.unavailable(DynamoDBError.timedOut.description)
    #expect(tables.remember(Self.use(), endMilliseconds: 1_795_000_005_000) == gone)
    #expect(endpoint.calls.isEmpty)
    _ = tables.remember(Self.use(), endMilliseconds: 1_795_000_005_700)
    #expect(endpoint.calls.allSatisfy { $0.totalMilliseconds <= 700 })
    let pace = Pace()
    var silent = ProofTables { (table: TableReference) in
      let endpoint = Endpoint([])
      endpoint.whenSent = { pace.pause(milliseconds: $0.totalMilliseconds) }
      return DynamoDBClient(table: table.name, transport: endpoint, pace: pace)
    }
    let start = pace.monotonicMilliseconds
    _ = silent.remember(Self.use(), endMilliseconds: nil)
    #expect(2000...3000 ~= pace.monotonicMilliseconds - start)
  }

  @Test("each table and each worker has one client")
  func clients() {
    var made: [String] = []
    let endpoint = Endpoint([])
    var tables = ProofTables { (table: TableReference) in
      made.append(table.name)
      return DynamoDBClient(table: table.name, transport: endpoint, pace: Pace())
    }
    #expect(made.isEmpty)
    for name in ["a", "b", "a", "a"] { _ = tables.remember(Self.use(name), endMilliseconds: nil) }
    #expect(made == ["a", "b"])
    var other = tables.forAnotherWorker()
    _ = other.remember(Self.use("a"), endMilliseconds: nil)
    #expect(made == ["a", "b", "a"])
  }
}
