/// Why DynamoDB did not do what it was asked to. Nothing of an item or of credentials is in it.
public enum DynamoDBError: Error, Equatable, Sendable {
  /// No answer, by all attempts that there was time for.
  case unreachable(CallFailure)
  /// The deadline is over.
  case timedOut
  /// More is asked of the table than it is made for.
  case throttled
  /// Other writes of the same items are under way, by all attempts that there was time for.
  case contended
  /// DynamoDB failed, by all attempts that there was time for: the HTTP status.
  case serverFailed(status: Int)
  /// The condition of a write is not so: nothing was written. Where an earlier attempt of the same call had no answer, this
  /// may be that attempt's own work.
  case conditionFailed
  /// A transaction was not done, and for each of its writes the reason: nothing was written.
  case transactionCancelled([CancellationReason])
  /// The credentials are not good, or do not allow it: DynamoDB's name for it.
  case accessDenied(String)
  /// There is no such table in this region and account.
  case tableMissing
  /// DynamoDB takes the request for wrong: its name for it, such as `ValidationException`.
  case refused(String)
  /// What came is no answer of DynamoDB's.
  case malformedAnswer
  /// The parameters have more bytes than ``CallLimit/requestBodyBytes``: nothing was sent.
  case requestTooLarge

  /// The stable name of the error, for logs and tests.
  public var code: String {
    switch self {
    case .unreachable(let failure): failure.kind.code
    case .timedOut: "storeDeadline"
    case .throttled: "storeThrottled"
    case .contended: "storeContended"
    case .serverFailed: "storeFailed"
    case .conditionFailed: "storeCondition"
    case .transactionCancelled: "storeTransactionCancelled"
    case .accessDenied: "storeAccessDenied"
    case .tableMissing: "storeTableMissing"
    case .refused: "storeRefused"
    case .malformedAnswer: "storeMalformedAnswer"
    case .requestTooLarge: "storeRequestTooLarge"
    }
  }

  /// One sentence with the evidence.
  public var description: String {
    switch self {
    case .unreachable(let failure):
      failure.text.utf8.isEmpty
        ? "DynamoDB did not answer (\(failure.kind.code))" : "DynamoDB did not answer: \(failure.text)"
    case .timedOut: "DynamoDB did not answer before the deadline"
    case .throttled: "DynamoDB throttles the requests to this table"
    case .contended: "too many writes of one item at the same time"
    case .serverFailed(let status): "DynamoDB answered with status \(status)"
    case .conditionFailed: "the condition of a write is not so"
    case .transactionCancelled(let reasons):
      reasons.reduce("a transaction was not done:") { $0 + " " + $1.name }
    case .accessDenied(let name): "the credentials do not allow it: \(name)"
    case .tableMissing: "there is no such table in this region and account"
    case .refused(let name): "DynamoDB refuses the request: \(name)"
    case .malformedAnswer: "what came is no answer of DynamoDB's"
    case .requestTooLarge: "the item is too large to be sent"
    }
  }

  /// Whether another attempt may go well.
  var isPassing: Bool {
    switch self {
    case .unreachable(let failure): failure.kind.isPassing
    case .throttled, .contended, .serverFailed: true
    case .transactionCancelled(let reasons):
      reasons.allSatisfy { $0 == .none || $0.isPassing } && reasons.contains { $0.isPassing }
    case .timedOut, .conditionFailed, .accessDenied, .tableMissing, .refused, .malformedAnswer,
      .requestTooLarge:
      false
    }
  }
}

/// Why one write of a transaction kept it from being done (DynamoDB, "TransactionCanceledException").
public enum CancellationReason: Equatable, Sendable {
  /// Not for this write's sake.
  case none
  /// Its condition is not so.
  case conditionFailed
  /// Another write of the item is under way.
  case conflict
  /// More is asked of the table than it is made for.
  case throttled
  /// Something else: a write that can never be done.
  case other

  var isPassing: Bool { self == .conflict || self == .throttled }

  var name: String {
    switch self {
    case .none: "none"
    case .conditionFailed: "condition"
    case .conflict: "conflict"
    case .throttled: "throttled"
    case .other: "other"
    }
  }
}
