import DynamoDB
import Testing

@Suite("Retries")
struct RetryTests {
  private static let failure = ScriptedTransport.Step.answer(500, "")

  @Test("Pauses are random up to a bound that doubles, at most one second")
  func pauses() {
    // The pause is the random number modulo (bound + 1).
    let table: [(bits: UInt64, pauses: [Int64])] = [
      (0, [0, 0, 0, 0, 0, 0, 0, 0, 0]), (13, [13, 13, 13, 13, 13, 13, 13, 13, 13]),
      (1000, [12, 31, 91, 196, 198, 199, 1000, 1000, 1000]),
    ]
    for (bits, wanted) in table {
      var script = Scripted([], pace: HeldPace(bits: bits))
      let error = #expect(throws: DynamoDBError.self) { try script.item() }
      #expect(error?.code == "storeConnect")
      #expect(script.pace.pauses == wanted)
      #expect(script.transport.calls.count == 10)
    }
  }

  @Test("A success ends the retries")
  func recovers() throws {
    var script = Scripted([
      Self.failure, .error("ThrottlingException"), .failure(CallFailure(.transfer)),
      .answer(200, #"{"Item":{"pk":{"S":"a"}}}"#),
    ])
    #expect(try script.item() == .key([0x61]))
    #expect(Set(script.transport.bodies).count == 1)
  }

  @Test("Pauses end before the deadline, and the failure is reported")
  func staysWithinDeadline() {
    var script = Scripted([Self.failure, Self.failure], pace: HeldPace(bits: 20))
    #expect(throws: DynamoDBError.serverFailed(status: 500)) { try script.item(milliseconds: 20) }
    #expect(script.pace.pauses.isEmpty)
    #expect(script.transport.calls.map(\.totalMilliseconds) == [20])
    var later = Scripted([Self.failure, .answer()], pace: HeldPace(bits: 20))
    #expect(throws: Never.self) { try later.item(milliseconds: 21) }
    #expect(later.transport.calls.map(\.totalMilliseconds) == [21, 1])
    #expect(later.transport.calls.map(\.connectMilliseconds) == [21, 1])
  }

  @Test("An attempt without an answer times out, then another one starts; the deadline ends all")
  func silence() {
    var script = Scripted([ScriptedTransport.Step](repeating: .failure(CallFailure(.timeout)), count: 9))
    #expect(throws: DynamoDBError.timedOut) { try script.item(milliseconds: 5000) }
    #expect(script.transport.calls.map(\.totalMilliseconds) == [2000, 2000, 1000])
  }

  @Test("After the deadline nothing is sent", arguments: [0, -1] as [Int64])
  func tooLate(_ milliseconds: Int64) {
    var script = Scripted([.answer()])
    #expect(throws: DynamoDBError.timedOut) { try script.item(milliseconds: milliseconds) }
    #expect(script.transport.calls.isEmpty)
  }

  @Test("A retried write may fail because its lost attempt succeeded, and reports DynamoDB's error")
  func conditionalWrite() {
    var script = Scripted([Self.failure, .error("ConditionalCheckFailedException")])
    #expect(throws: DynamoDBError.conditionFailed) { try script.put() }
    #expect(Set(script.transport.bodies).count == 1)
  }

  /// The tokens of the attempts, numbered by their first appearance.
  private static func tokens(_ script: Scripted) -> [Int] {
    var seen: [Substring] = []
    return script.transport.bodies.map { body in
      let token = body.split(separator: "\"")[3]
      if !seen.contains(token) { seen.append(token) }
      return seen.firstIndex(of: token) ?? -1
    }
  }

  struct Transaction: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [ScriptedTransport.Step]
    var error: DynamoDBError?
    let tokens: [Int]
  }

  private static let conflict = ScriptedTransport.Step.cancelled(["None", "TransactionConflict"])

  static let transactions: [Transaction] = [
    Transaction(testDescription: "done", steps: [.answer()], tokens: [0]),
    Transaction(
      testDescription: "lost answers: the same token",
      steps: [
        failure, .failure(CallFailure(.transfer)), .error("TransactionInProgressException"), .answer(),
      ],
      tokens: [0, 0, 0, 0]),
    Transaction(
      testDescription: "certainly failed: a new token", steps: [conflict, conflict, failure, .answer()],
      tokens: [0, 1, 2, 2]),
    Transaction(
      testDescription: "throttled", steps: [.cancelled(["ThrottlingError", "None"]), .answer()],
      tokens: [0, 1]),
    Transaction(
      testDescription: "throttled table",
      steps: [.cancelled(["ProvisionedThroughputExceeded", "TransactionConflict"]), .answer()],
      tokens: [0, 1]),
    Transaction(
      testDescription: "a condition", steps: [.cancelled(["ConditionalCheckFailed", "None"])],
      error: .transactionCancelled([.conditionFailed, .none]), tokens: [0]),
    Transaction(
      testDescription: "a condition and a conflict",
      steps: [.cancelled(["TransactionConflict", "ConditionalCheckFailed"])],
      error: .transactionCancelled([.conflict, .conditionFailed]), tokens: [0]),
    Transaction(
      testDescription: "another reason", steps: [.cancelled(["ValidationError", "None"])],
      error: .transactionCancelled([.other, .none]), tokens: [0]),
    Transaction(
      testDescription: "no reason", steps: [.cancelled(["None", "None"])],
      error: .transactionCancelled([.none, .none]), tokens: [0]),
    Transaction(
      testDescription: "reasons of another transaction", steps: [.cancelled(["ConditionalCheckFailed"])],
      error: .malformedAnswer, tokens: [0]),
    Transaction(
      testDescription: "malformed reasons",
      steps: [.error("TransactionCanceledException", 400, #","CancellationReasons":[{"Code":5}]"#)],
      error: .malformedAnswer, tokens: [0]),
  ]

  @Test("A transaction is repeated with its token until it has certainly failed", arguments: transactions)
  func transaction(_ transaction: Transaction) {
    var script = Scripted(transaction.steps, pace: HeldPace(bits: 1, step: 1))
    var error: DynamoDBError?
    do { try script.transact() } catch let caught { error = caught }
    #expect(error == transaction.error)
    #expect(Self.tokens(script) == transaction.tokens)
  }

  @Test("Waits after lost races have the same pauses, without a limit on their number")
  func lostRaces() throws {
    var script = Scripted([], pace: HeldPace(bits: 1000))
    let deadline = script.client.deadline(afterMilliseconds: 60_000)
    var retry = Retry()
    for _ in 0..<50 { try script.client.waitAfterLostRace(&retry, deadline: deadline) }
    #expect(script.pace.pauses.prefix(8) == [12, 31, 91, 196, 198, 199, 1000, 1000])
    #expect(script.pace.pauses.dropFirst(6).allSatisfy { $0 == 1000 })
  }

  @Test("Waits after lost races end before the deadline")
  func lostRace() throws {
    var script = Scripted([], pace: HeldPace(bits: 13))
    let deadline = script.client.deadline(afterMilliseconds: 30)
    var retry = Retry()
    try script.client.waitAfterLostRace(&retry, deadline: deadline)
    try script.client.waitAfterLostRace(&retry, deadline: deadline)
    #expect(throws: DynamoDBError.contended) {
      try script.client.waitAfterLostRace(&retry, deadline: deadline)
    }
    #expect(script.pace.pauses == [13, 13])
  }
}
