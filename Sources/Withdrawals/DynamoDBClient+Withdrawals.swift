package import DynamoDB

extension DynamoDBClient {
  /// Performs the writes of a withdrawal, all or none. An item that has an event as late stays as it is.
  ///
  /// - Returns: whether an item was written; `false` if each had an event as late, perhaps that of an attempt whose
  ///   answer was lost.
  package mutating func withdraw(_ writes: [ItemWrite], deadline: Int64) throws(DynamoDBError) -> Bool {
    var left = writes
    while !left.isEmpty {
      do throws(DynamoDBError) {
        if left.count == 1 {
          try write(left[0], deadline: deadline)
        } else {
          try transactWrite(left, deadline: deadline)
        }
        return true
      } catch {
        switch error {
        case .conditionFailed: return false
        case .transactionCancelled(let reasons) where reasons.contains(.conditionFailed):
          left = left.indices.filter { reasons[$0] != .conditionFailed }.map { left[$0] }
        default: throw error
        }
      }
    }
    return false
  }
}
