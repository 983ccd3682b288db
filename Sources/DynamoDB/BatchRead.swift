import JSON

extension DynamoDBClient {
  /// Returns the items with these keys in their order; `nil` where there is none. All reads are strongly consistent.
  ///
  /// What DynamoDB leaves unprocessed is asked again until the deadline. The call fails if any item stays unknown, with
  /// what is known.
  ///
  /// - Parameter keys: the `pk` of each, at most 100 (DynamoDB, "BatchGetItem"), none twice.
  package mutating func batchGetItem(_ keys: [[UInt8]], deadline: Int64) throws(BatchFailure) -> [Item?] {
    var read = BatchRead(keys)
    do throws(DynamoDBError) {
      try complete(&read, deadline: deadline)
    } catch {
      throw BatchFailure(cause: error, known: read.known)
    }
    return read.items
  }

  private mutating func complete(_ read: inout BatchRead, deadline: Int64) throws(DynamoDBError) {
    var retry = Retry()
    while !read.isComplete {
      let failure: DynamoDBError
      do {
        try read.take(
          attempt("BatchGetItem", body: read.body(table: table), deadline: deadline), table: table)
        if read.isComplete { break }
        // A part is left unprocessed if the table's throughput is exceeded.
        failure = .throttled
      } catch {
        failure = error
      }
      try waitToRetry(&retry, after: failure, deadline: deadline)
    }
  }
}

/// Why items of a batch stay unknown.
package struct BatchFailure: Error {
  /// The last failure.
  package let cause: DynamoDBError
  /// The items that were read before, with the indices of their keys; `nil` where there is none.
  package let known: [(index: Int, item: Item?)]

  package init(cause: DynamoDBError, known: [(index: Int, item: Item?)]) {
    self.cause = cause
    self.known = known
  }
}

/// The items of one batch, of which some are still to be read.
private struct BatchRead {
  private let keys: [[UInt8]]
  private(set) var items: [Item?]
  /// The indices of the keys that are still to be read.
  private var pending: [Int]

  init(_ keys: [[UInt8]]) {
    self.keys = keys
    items = Array(repeating: nil, count: keys.count)
    pending = Array(keys.indices)
  }

  var isComplete: Bool { pending.isEmpty }

  /// The items that are not pending. Those of an answer that does not fit are.
  var known: [(index: Int, item: Item?)] {
    items.indices.filter { !pending.contains($0) }.map { ($0, items[$0]) }
  }

  func body(table: String) -> [UInt8] {
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    writer.name("RequestItems")
    writer.beginObject()
    writer.name(table)
    writer.beginObject()
    writer.name("Keys")
    writer.beginArray()
    for index in pending { Item.key(keys[index]).write(to: &writer) }
    writer.endArray()
    writer.name("ConsistentRead")
    writer.boolean(true)
    writer.endObject()
    writer.endObject()
    writer.endObject()
    return writer.takeBytes()
  }

  /// Takes what an answer has about pending keys. An item that was not asked for could belong to another user, and a
  /// key that is neither found nor unprocessed has no item: so each member of the answer must fit the request.
  mutating func take(_ answer: JSONDocument, table: String) throws(DynamoDBError) {
    guard let responses = answer.root["Responses"], responses.kind == .object,
      responses.memberCount <= 1, let unprocessed = unprocessedKeys(in: answer, table: table)
    else { throw .malformedAnswer }
    let list = responses[table]
    // No list says nothing about the keys, unless all of them are unprocessed.
    guard
      list.map({ $0.kind == .array }) ?? (responses.memberCount == 0 && unprocessed.count == pending.count)
    else { throw .malformedAnswer }
    var found: [Int] = []
    for value in list.map({ Array($0.elements) }) ?? [] {
      guard let item = Item(value), let key = item.string(Item.keyName),
        let index = pending.first(where: { keys[$0] == key }), !found.contains(index),
        !unprocessed.contains(index)
      else { throw .malformedAnswer }
      found.append(index)
      items[index] = item
    }
    pending = unprocessed
  }

  /// Returns the pending keys that an answer leaves unprocessed; `nil` if it names others.
  private func unprocessedKeys(in answer: JSONDocument, table: String) -> [Int]? {
    guard let tables = answer.root["UnprocessedKeys"] else { return [] }
    guard tables.kind == .object, tables.memberCount <= 1 else { return nil }
    guard tables.memberCount == 1 else { return [] }
    guard let list = tables[table]?["Keys"], list.kind == .array else { return nil }
    var unprocessed: [Int] = []
    for value in list.elements {
      guard value.memberCount == 1, let item = Item(value), let key = item.string(Item.keyName),
        let index = pending.first(where: { keys[$0] == key }), !unprocessed.contains(index)
      else { return nil }
      unprocessed.append(index)
    }
    return unprocessed
  }
}
