import Bytes
import JSON

/// Reads DynamoDB's answers: the JSON document, or the error (DynamoDB, "Error handling").
enum AnswerReader {
  /// Above what our items need.
  private static let limits = JSONLimits(
    bytes: CallLimit.answerBodyBytes, depth: 16, membersPerObject: 256, values: 10_000)

  /// Returns the document of an answer to this operation.
  ///
  /// An answer with a member that the API does not document is `malformedAnswer`: an error with status 200 must not
  /// be mistaken for a missing item.
  static func document(_ answer: DynamoDBAnswer, to operation: String) throws(DynamoDBError) -> JSONDocument {
    let document = try? JSONDocument(parsing: answer.body, limits: limits)
    guard answer.status == 200 else { throw error(status: answer.status, document?.root) }
    guard let document, document.root.kind == .object else { throw .malformedAnswer }
    for (name, _) in document.root.members where !isDocumented(name, for: operation) {
      throw .malformedAnswer
    }
    return document
  }

  /// Whether "Response Elements" in DynamoDB's API reference has this member for the operation: a read, or one of the
  /// writes, which have the same.
  ///
  /// No array of names: in Embedded Swift 6.3, a choice between two array literals read the shorter one with the length
  /// of the longer one.
  private static func isDocumented(_ name: JSONValue, for operation: String) -> Bool {
    if name.equals("ConsumedCapacity") { return true }
    if operation.utf8.elementsEqual("GetItem".utf8) { return name.equals("Item") }
    if operation.utf8.elementsEqual("BatchGetItem".utf8) {
      return name.equals("Responses") || name.equals("UnprocessedKeys")
    }
    return name.equals("Attributes") || name.equals("ItemCollectionMetrics")
  }

  private static func error(status: Int, _ root: JSONValue?) -> DynamoDBError {
    guard let name = root.flatMap({ name($0) }) else {
      if status >= 500 { return .serverFailed(status: status) }
      return status == 429 ? .throttled : .malformedAnswer
    }
    if let error = error(named: name, root) { return error }
    if status >= 500 { return .serverFailed(status: status) }
    return .refused(String(decoding: name, as: UTF8.self))
  }

  /// The error name in `__type`, without the namespace before `#`; at most 64 letters.
  private static func name(_ root: JSONValue) -> [UInt8]? {
    guard let type = root["__type"]?.utf8 else { return nil }
    let name = type.lastIndex(of: .numberSign).map { type[($0 + 1)...] } ?? type[...]
    let isName = (1...64).contains(name.count) && name.allSatisfy { $0.isLetter }
    return isName ? Array(name) : nil
  }

  private static func error(named name: [UInt8], _ root: JSONValue?) -> DynamoDBError? {
    func isOne(of names: [String]) -> Bool { names.contains { name.elementsEqual($0.utf8) } }
    if isOne(of: ["ConditionalCheckFailedException"]) { return .conditionFailed }
    if isOne(of: ["TransactionCanceledException"]) {
      return reasons(root).map { .transactionCancelled($0) } ?? .malformedAnswer
    }
    if isOne(of: ["ResourceNotFoundException"]) { return .tableMissing }
    if isOne(of: ["TransactionConflictException", "TransactionInProgressException"]) { return .contended }
    if isOne(of: [
      "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
    ]) {
      return .throttled
    }
    if isOne(of: [
      "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException",
      "ExpiredTokenException", "IncompleteSignatureException", "MissingAuthenticationTokenException",
      "MissingAuthenticationToken",
    ]) {
      return .accessDenied(String(decoding: name, as: UTF8.self))
    }
    return nil
  }

  private static func reasons(_ root: JSONValue?) -> [CancellationReason]? {
    guard let list = root?["CancellationReasons"], list.kind == .array else { return nil }
    var reasons: [CancellationReason] = []
    for reason in list.elements {
      guard let code = reason["Code"], code.kind == .string else { return nil }
      if code.equals("None") {
        reasons.append(.none)
      } else if code.equals("ConditionalCheckFailed") {
        reasons.append(.conditionFailed)
      } else if code.equals("TransactionConflict") {
        reasons.append(.conflict)
      } else if code.equals("ThrottlingError") || code.equals("ProvisionedThroughputExceeded") {
        reasons.append(.throttled)
      } else {
        reasons.append(.other)
      }
    }
    return reasons
  }
}
