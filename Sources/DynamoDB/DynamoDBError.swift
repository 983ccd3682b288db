/// Why a call of DynamoDB failed. Contains no item data and no credentials.
package enum DynamoDBError: Error, Equatable, Sendable {
  /// No attempt got an answer.
  case unreachable(CallFailure)
  /// The deadline has passed.
  case timedOut
  /// The requests exceed the table's throughput.
  case throttled
  /// All attempts conflicted with concurrent writes of the same items.
  case contended
  /// DynamoDB failed in all attempts, with this HTTP status.
  case serverFailed(status: Int)
  /// The conditional check failed: nothing was written. If an earlier attempt of the same call had no answer, that
  /// attempt may have succeeded.
  case conditionFailed
  /// The transaction was canceled, with a reason for each write: nothing was written.
  case transactionCancelled([CancellationReason])
  /// The credentials are invalid or lack permission: DynamoDB's error name.
  case accessDenied(String)
  /// There is no such table in this region and account.
  case tableMissing
  /// DynamoDB rejects the request: its error name, such as `ValidationException`.
  case refused(String)
  /// The response is not one of DynamoDB's.
  case malformedAnswer
  /// The parameters exceed ``CallLimit/requestBodyBytes``: nothing was sent.
  case requestTooLarge

  /// The stable name of the error, for logs and tests.
  package var code: String {
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

  /// One sentence for an operator.
  package var description: String {
    switch self {
    case .unreachable(let failure):
      failure.text.utf8.isEmpty
        ? "DynamoDB did not answer (\(failure.kind.code))" : "DynamoDB did not answer: \(failure.text)"
    case .timedOut: "DynamoDB did not answer before the deadline"
    case .throttled: "DynamoDB throttles the requests to this table"
    case .contended: "too many writes of one item at the same time"
    case .serverFailed(let status): "DynamoDB answered with status \(status)"
    case .conditionFailed: "conditional check failed"
    case .transactionCancelled(let reasons):
      reasons.reduce("transaction canceled:") { $0 + " " + $1.name }
    case .accessDenied(let name): "access denied: \(name)"
    case .tableMissing: "there is no such table in this region and account"
    case .refused(let name): "DynamoDB refuses the request: \(name)"
    case .malformedAnswer: "the response is not one of DynamoDB's"
    case .requestTooLarge: "the item is too large"
    }
  }

  /// Whether another attempt may succeed.
  var isTransient: Bool {
    switch self {
    case .unreachable(let failure): failure.kind.isTransient
    case .throttled, .contended, .serverFailed: true
    case .transactionCancelled(let reasons):
      reasons.allSatisfy { $0 == .none || $0.isTransient } && reasons.contains { $0.isTransient }
    case .timedOut, .conditionFailed, .accessDenied, .tableMissing, .refused, .malformedAnswer,
      .requestTooLarge:
      false
    }
  }
}

/// Why one write canceled a transaction (DynamoDB, "TransactionCanceledException").
package enum CancellationReason: Equatable, Sendable {
  /// This write did not cancel the transaction.
  case none
  /// Its conditional check failed.
  case conditionFailed
  /// A concurrent write of the item conflicts.
  case conflict
  /// The requests exceed the table's throughput.
  case throttled
  /// Another reason: the write can never succeed.
  case other

  var isTransient: Bool { self == .conflict || self == .throttled }

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
