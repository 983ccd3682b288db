import Bytes
import JSON

/// A client that reads and writes the items of one table whose key is the string `pk`. Belongs to one thread.
///
/// Transient failures are retried until the deadline, after a random pause up to a bound that doubles with each
/// attempt ("full jitter"; AWS Architecture Blog, "Exponential Backoff And Jitter"). Deadlines are on the monotonic
/// clock of `pace`: ``deadline(afterMilliseconds:)``, ``deadline(unixMilliseconds:)``.
package struct DynamoDBClient<Transport: DynamoDBTransport, Pace: DynamoDBPace> {
  /// The table's name.
  package let table: String
  private var transport: Transport
  /// The client's clocks and random numbers.
  package private(set) var pace: Pace

  /// Creates a client of this table.
  package init(table: String, transport: Transport, pace: Pace) {
    self.table = table
    self.transport = transport
    self.pace = pace
  }

  /// The deadline of a call that may take this long from now.
  package func deadline(afterMilliseconds milliseconds: Int64) -> Int64 {
    pace.monotonicMilliseconds &+ max(0, min(milliseconds, Int64(CallLimit.milliseconds)))
  }

  /// The deadline of a call that must end at this time.
  package func deadline(unixMilliseconds time: Int64) -> Int64 {
    let (remaining, overflows) = time.subtractingReportingOverflow(pace.unixMilliseconds)
    return deadline(afterMilliseconds: overflows ? 0 : remaining)
  }

  /// A unique name: 128 random bits in hexadecimal.
  package mutating func freshName() -> [UInt8] {
    var name: [UInt8] = []
    for _ in 0..<2 {
      let bits = pace.randomBits()
      name += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> $0) }.hexadecimal
    }
    return name
  }

  /// Returns the item with this key; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - key: its `pk`.
  ///   - isConsistent: whether the read is strongly consistent, for twice the price; otherwise it may be about a
  ///     second old (DynamoDB, "Read consistency").
  package mutating func getItem(_ key: [UInt8], isConsistent: Bool, deadline: Int64) throws(DynamoDBError)
    -> Item?
  {
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    writer.name("TableName")
    writer.string(table)
    writer.name("Key")
    Item.key(key).write(to: &writer)
    if isConsistent {
      writer.name("ConsistentRead")
      writer.boolean(true)
    }
    writer.endObject()
    let answer = try perform("GetItem", body: writer.bytes, deadline: deadline)
    guard let member = answer.root["Item"] else { return nil }
    // Another item could belong to another user.
    guard let item = Item(member), item.string(Item.keyName) == key else { throw .malformedAnswer }
    return item
  }

  /// Performs one write.
  ///
  /// Throws `conditionFailed` if the condition fails. A retry after an attempt without an answer may fail the same
  /// way because that attempt succeeded; to tell, put a ``freshName()`` into the item and look for it.
  package mutating func write(_ write: ItemWrite, deadline: Int64) throws(DynamoDBError) {
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    write.writeMembers(table: table, to: &writer)
    writer.endObject()
    _ = try perform(write.operation, body: writer.bytes, deadline: deadline)
  }

  /// Performs all writes or none, and only if the check holds; at most 100 distinct items (DynamoDB,
  /// "TransactWriteItems").
  ///
  /// The reasons of `transactionCancelled` are in the order of the writes; the check's reason is last.
  ///
  /// An attempt without an answer is repeated with the same token, since DynamoDB performs a transaction once per
  /// token within ten minutes. An attempt that certainly failed is repeated with a new token.
  package mutating func transactWrite(_ writes: [ItemWrite], if check: ItemCheck? = nil, deadline: Int64)
    throws(DynamoDBError)
  {
    var token = freshName()
    var retry = Retry()
    while true {
      let failure: DynamoDBError
      do {
        _ = try attempt("TransactWriteItems", body: body(of: writes, check, token: token), deadline: deadline)
        return
      } catch .transactionCancelled(let reasons) {
        guard reasons.count == writes.count + (check == nil ? 0 : 1) else { throw .malformedAnswer }
        failure = .transactionCancelled(reasons)
        token = freshName()
      } catch {
        failure = error
      }
      try waitToRetry(&retry, after: failure, deadline: deadline)
    }
  }

  /// Waits before the caller retries because another writer was faster. Throws `contended` if no time is left. The
  /// number of retries is not limited, because one writer wins each race.
  package mutating func waitAfterLostRace(_ retry: inout Retry, deadline: Int64) throws(DynamoDBError) {
    let pause = retry.nextPause(randomBits: pace.randomBits())
    guard pace.monotonicMilliseconds + pause < deadline else { throw .contended }
    pace.pause(milliseconds: pause)
  }

  private func body(of writes: [ItemWrite], _ check: ItemCheck?, token: [UInt8]) -> [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.beginObject()
    writer.name("ClientRequestToken")
    writer.string(utf8: token)
    writer.name("TransactItems")
    writer.beginArray()
    for write in writes {
      writer.beginObject()
      writer.name(write.transactionMember)
      writer.beginObject()
      write.writeMembers(table: table, to: &writer)
      writer.endObject()
      writer.endObject()
    }
    if let check {
      writer.beginObject()
      writer.name("ConditionCheck")
      writer.beginObject()
      check.writeMembers(table: table, to: &writer)
      writer.endObject()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  private mutating func perform(_ operation: String, body: [UInt8], deadline: Int64) throws(DynamoDBError)
    -> JSONDocument
  {
    var retry = Retry()
    while true {
      let failure: DynamoDBError
      do {
        return try attempt(operation, body: body, deadline: deadline)
      } catch {
        failure = error
      }
      try waitToRetry(&retry, after: failure, deadline: deadline)
    }
  }

  mutating func attempt(_ operation: String, body: [UInt8], deadline: Int64) throws(DynamoDBError)
    -> JSONDocument
  {
    guard body.count <= CallLimit.requestBodyBytes else { throw .requestTooLarge }
    let remaining = deadline - pace.monotonicMilliseconds
    guard remaining > 0 else { throw .timedOut }
    let call = DynamoDBCall(
      operation: operation, body: body, connectMilliseconds: min(remaining, Retry.connectMilliseconds),
      totalMilliseconds: min(remaining, Retry.attemptMilliseconds))
    switch transport.send(call) {
    case .success(let answer): return try AnswerReader.document(answer, to: operation)
    case .failure(let failure):
      if failure.kind == .timeout, pace.monotonicMilliseconds >= deadline { throw .timedOut }
      throw .unreachable(failure)
    }
  }

  mutating func waitToRetry(_ retry: inout Retry, after failure: DynamoDBError, deadline: Int64)
    throws(DynamoDBError)
  {
    guard failure.isTransient else { throw failure }
    guard let pause = retry.pause(randomBits: pace.randomBits()),
      pace.monotonicMilliseconds + pause < deadline
    else { throw failure }
    pace.pause(milliseconds: pause)
  }
}

/// The retry policy: how often and after which pauses.
package struct Retry: Sendable {
  private var attempts = 1

  /// Creates the policy before the first attempt.
  package init() {}

  /// The maximum number of attempts including the first, as in AWS's SDKs for DynamoDB ("Error retries and
  /// exponential backoff").
  static let attemptLimit = 10
  /// The bound of the first pause in milliseconds, as in the SDKs.
  static let baseMilliseconds: Int64 = 25
  /// The bound of every pause in milliseconds: an invocation has seconds, not minutes.
  static let pauseLimitMilliseconds: Int64 = 1000
  /// The timeout of one connection: a lost SYN is sent again after 1 s (RFC 6298 section 2.1), and a new attempt has
  /// the same effect.
  static let connectMilliseconds: Int64 = 1000
  /// The timeout of one attempt. DynamoDB answers within 10 ms. A connection that died while the function was frozen
  /// never answers, and there must be time for another one.
  static let attemptMilliseconds: Int64 = 2000

  /// The pause before the next attempt, from 0 to the bound; `nil` if no attempt is left.
  mutating func pause(randomBits: UInt64) -> Int64? {
    attempts < Self.attemptLimit ? nextPause(randomBits: randomBits) : nil
  }

  /// The pause before the next attempt, with no limit on attempts.
  mutating func nextPause(randomBits: UInt64) -> Int64 {
    let doublings = min(attempts - 1, 10)
    let bound = min(Self.pauseLimitMilliseconds, Self.baseMilliseconds << Int64(doublings))
    attempts += 1
    return Int64(randomBits % UInt64(bound + 1))
  }
}
