import DynamoDB
import Testing
import Withdrawals

@Suite("Writing a withdrawal to the table")
struct WithdrawTests {
  private final class Endpoint: DynamoDBTransport {
    var steps: [Result<DynamoDBAnswer, CallFailure>]
    private(set) var operations: [String] = []

    init(_ steps: [Result<DynamoDBAnswer, CallFailure>]) { self.steps = steps }

    func send(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure> {
      operations.append(call.operation)
      return steps.isEmpty ? .failure(CallFailure(.connect)) : steps.removeFirst()
    }
  }

  private final class Pace: DynamoDBPace {
    private(set) var monotonicMilliseconds: Int64 = 0
    var unixMilliseconds: Int64 { monotonicMilliseconds }
    func pause(milliseconds: Int64) { monotonicMilliseconds += milliseconds }
    func randomBits() -> UInt64 { 1 }
  }

  private static func answer(_ body: String, _ status: Int = 200) -> Result<DynamoDBAnswer, CallFailure> {
    .success(DynamoDBAnswer(status: status, body: Array(body.utf8)))
  }

  private static func cancelled(_ codes: String...) -> Result<DynamoDBAnswer, CallFailure> {
    let reasons = codes.map { #"{"Code":"\#($0)"}"# }.joined(separator: ",")
    return answer(#"{"__type":"a#TransactionCanceledException","CancellationReasons":[\#(reasons)]}"#, 400)
  }

  private static let failed = answer(#"{"__type":"a#ConditionalCheckFailedException"}"#, 400)
  private static let lost: Result<DynamoDBAnswer, CallFailure> = .failure(CallFailure(.connect))

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isApple: Bool
    let steps: [Result<DynamoDBAnswer, CallFailure>]
    let isWritten: Bool?
    let operations: [String]

    init(
      _ description: String, isApple: Bool, _ steps: [Result<DynamoDBAnswer, CallFailure>],
      _ isWritten: Bool?,
      _ operations: [String]
    ) {
      testDescription = description
      (self.isApple, self.steps, self.isWritten, self.operations) = (isApple, steps, isWritten, operations)
    }
  }

  static let rows = [
    Row("one item", isApple: false, [answer("{}")], true, ["UpdateItem"]),
    Row("a later event is there", isApple: false, [failed], false, ["UpdateItem"]),
    Row("the answer was lost", isApple: false, [lost, failed], false, ["UpdateItem", "UpdateItem"]),
    Row("two items", isApple: true, [answer("{}")], true, ["TransactWriteItems"]),
    Row(
      "a later event in the first form alone", isApple: true,
      [cancelled("None", "ConditionalCheckFailed"), answer("{}")], true, ["TransactWriteItems", "UpdateItem"]),
    Row(
      "later events in both", isApple: true, [cancelled("ConditionalCheckFailed", "ConditionalCheckFailed")],
      false,
      ["TransactWriteItems"]),
    Row(
      "a conflict, then a later event, then a lost answer", isApple: true,
      [
        cancelled("TransactionConflict", "None"), cancelled("ConditionalCheckFailed", "None"), lost,
        answer("{}"),
      ], true,
      ["TransactWriteItems", "TransactWriteItems", "UpdateItem", "UpdateItem"]),
    Row(
      "access denied", isApple: true, [answer(#"{"__type":"a#AccessDeniedException"}"#, 400)], nil,
      ["TransactWriteItems"]),
  ]

  @Test("all items are written or have an event as late; any other failure is an error", arguments: rows)
  func writes(_ row: Row) throws {
    let endpoint = Endpoint(row.steps)
    var client = DynamoDBClient(table: "t", transport: endpoint, pace: Pace())
    let key = WithdrawalKey(issuer: Array("https://i".utf8), kind: .subject, value: Array("u".utf8))
    let writes = try #require(Withdrawal(key, eventMilliseconds: 5).writes(at: 5, isApple: row.isApple))
    let isWritten = try? client.withdraw(writes, deadline: 10_000)
    #expect(isWritten == row.isWritten)
    #expect(endpoint.operations == row.operations)
  }
}
