import JSON

/// Reads and writes the items of one table whose key is the text `pk`. Belongs to one thread.
///
/// What may go well a moment later is tried again: after a random time up to a bound that doubles with each attempt ("full
/// jitter"; AWS Architecture Blog, "Exponential Backoff And Jitter"), as long as the deadline allows it. Deadlines are on
/// the monotonic clock of the pace: ``deadline(afterMilliseconds:)``, ``deadline(unixMilliseconds:)``.
public struct DynamoDBClient<Transport: DynamoDBTransport, Pace: DynamoDBPace> {
  /// The table's name.
  public let table: String
  private var transport: Transport
  /// The client's clocks and its random numbers.
  public private(set) var pace: Pace

  /// A client of this table.
  public init(table: String, transport: Transport, pace: Pace) {
    self.table = table
    self.transport = transport
    self.pace = pace
  }

  /// The deadline of a call that may take so long from now.
  public func deadline(afterMilliseconds milliseconds: Int64) -> Int64 {
    pace.monotonicMilliseconds &+ max(0, min(milliseconds, Int64(CallLimit.milliseconds)))
  }

  /// The deadline of a call that has to end at this time.
  public func deadline(unixMilliseconds time: Int64) -> Int64 {
    let (remaining, overflows) = time.subtractingReportingOverflow(pace.unixMilliseconds)
    return deadline(afterMilliseconds: overflows ? 0 : remaining)
  }

  /// 128 random bits in hexadecimal: a name that nobody else has.
  public mutating func freshName() -> [UInt8] {
    var name: [UInt8] = []
    for _ in 0..<2 {
      let bits = pace.randomBits()
      for place in stride(from: 60, through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: bits >> UInt64(place) & 15)
        name.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
    }
    return name
  }

  /// The item with this key; `nil` where there is none.
  ///
  /// - Parameters:
  ///   - key: its `pk`.
  ///   - isConsistent: whether it must show every write that was answered before, for twice the price; otherwise it may be
  ///     about a second old (DynamoDB, "Read consistency").
  public mutating func getItem(_ key: [UInt8], isConsistent: Bool, deadline: Int64) throws(DynamoDBError)
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
    // Another item than the one asked for would be somebody else's.
    guard let item = Item(member), item.string(Item.keyName) == key else { throw .malformedAnswer }
    return item
  }

  /// Does one write.
  ///
  /// A condition that fails is `conditionFailed`. Where an attempt had no answer and a later one finds its own work, it is
  /// the same: who needs to know puts a ``freshName()`` into the item and looks for it.
  public mutating func write(_ write: ItemWrite, deadline: Int64) throws(DynamoDBError) {
    var writer = JSONWriter(capacity: 512)
    writer.beginObject()
    write.writeMembers(table: table, to: &writer)
    writer.endObject()
    _ = try perform(write.operation, body: writer.bytes, deadline: deadline)
  }

  /// Does all writes or none, and only where the check holds; at most 100 items, each another (DynamoDB, "TransactWriteItems").
  ///
  /// The reasons of `transactionCancelled` are in the order of the writes, the check's last.
  ///
  /// Each attempt that had no answer is repeated under the same token, under which DynamoDB does a transaction once within
  /// ten minutes. One that was certainly not done is repeated under a new one.
  public mutating func transactWrite(_ writes: [ItemWrite], if check: ItemCheck? = nil, deadline: Int64)
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

  /// Waits before a caller begins anew because another writer was faster, as often as there is time; `contended` where there
  /// is none left. Somebody wins each race, so that nobody waits for nothing.
  public mutating func waitAfterLostRace(_ retry: inout Retry, deadline: Int64) throws(DynamoDBError) {
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

  private mutating func attempt(_ operation: String, body: [UInt8], deadline: Int64) throws(DynamoDBError)
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

  private mutating func waitToRetry(_ retry: inout Retry, after failure: DynamoDBError, deadline: Int64)
    throws(DynamoDBError)
  {
    guard failure.isPassing else { throw failure }
    guard let pause = retry.pause(randomBits: pace.randomBits()),
      pace.monotonicMilliseconds + pause < deadline
    else { throw failure }
    pace.pause(milliseconds: pause)
  }
}

/// How often, and after which times, something is tried again.
public struct Retry: Sendable {
  private var attempts = 1

  /// Nothing has been tried again yet.
  public init() {}

  /// Attempts at most, the first among them; as AWS's SDKs do for DynamoDB ("Error retries and exponential backoff").
  static let attemptLimit = 10
  /// The bound of the first pause; the SDKs' too.
  static let baseMilliseconds: Int64 = 25
  /// The bound of every pause: an invocation has seconds, not minutes.
  static let pauseLimitMilliseconds: Int64 = 1000
  /// For one connection: a lost SYN is sent again after 1 s (RFC 6298 section 2.1), and a new attempt does the same.
  static let connectMilliseconds: Int64 = 1000
  /// For one attempt. DynamoDB answers within 10 ms; a connection that died while the function was frozen says nothing
  /// at all, and there must be time for another one.
  static let attemptMilliseconds: Int64 = 2000

  /// How long to wait before the next attempt, from 0 to the bound; `nil` where it would be one too many.
  mutating func pause(randomBits: UInt64) -> Int64? {
    attempts < Self.attemptLimit ? nextPause(randomBits: randomBits) : nil
  }

  /// The same without an end.
  mutating func nextPause(randomBits: UInt64) -> Int64 {
    let doublings = min(attempts - 1, 10)
    let bound = min(Self.pauseLimitMilliseconds, Self.baseMilliseconds << Int64(doublings))
    attempts += 1
    return Int64(randomBits % UInt64(bound + 1))
  }
}
