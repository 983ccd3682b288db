import DynamoDB
import Foundation
import JSON

/// An in-memory DynamoDB table with the features that the store uses: four operations, conditions, transactions.
/// Requests are serialized. It refuses unknown requests.
final class EmulatedTable: @unchecked Sendable {
  /// Injected faults. No thread gets more than `consecutiveLimit` in a row, so a client that retries more often succeeds,
  /// whatever the order of the requests is.
  struct Faults: Sendable {
    /// The percentages of requests that fail before and after they are performed.
    var before = 0
    var after = 0
    /// The percentage of transactions that fail with a conflict.
    var conflicts = 0
    /// Whether a repeated transaction with the same token is recognized, as in DynamoDB. If not, the same write is
    /// performed twice.
    var remembersTokens = true

    /// Less than the attempts that a client makes (`Retry.attemptLimit`).
    static let consecutiveLimit = 6
  }

  private let lock = NSLock()
  private let faults: Faults
  private var chance: UInt64
  /// The number of faults in a row, by thread.
  private var consecutiveFaults: [ObjectIdentifier: Int] = [:]
  /// Of the request under the lock.
  private var mayFail = true
  private var hasFailed = false
  private var items: [[UInt8]: JSONTree] = [:]
  private var tokens: Set<String> = []
  private var requests: [String] = []
  private var meanwhile: (@Sendable () throws -> Void)?
  private var lost: (operation: String, meanwhile: @Sendable () throws -> Void)?

  init(_ faults: Faults = Faults(), seed: UInt64 = 1) {
    self.faults = faults
    chance = seed
  }

  /// The names of the operations so far.
  var operations: [String] { lock.withLock { requests } }

  /// A stored item.
  func item(_ key: String) -> JSONTree? { lock.withLock { items[Array(key.utf8)] } }

  /// Puts an item, like another client.
  func put(_ key: String, _ item: JSONTree) { lock.withLock { items[Array(key.utf8)] = item } }

  /// Performs an action of another client after the next request, before its answer is read.
  func onNextRequest(_ action: @escaping @Sendable () throws -> Void) { lock.withLock { meanwhile = action } }

  /// Performs the next request of this kind but loses its answer, then performs an action of another client.
  func loseAnswer(of operation: String, _ action: @escaping @Sendable () throws -> Void) {
    lock.withLock { lost = (operation, action) }
  }

  func answer(_ call: DynamoDBCall) throws -> Result<DynamoDBAnswer, CallFailure> {
    let answer = answerLocked(call)
    let lost = lock.withLock {
      guard let lost = self.lost, lost.operation == call.operation else {
        return nil as (@Sendable () throws -> Void)?
      }
      self.lost = nil
      return lost.meanwhile
    }
    if let lost {
      try lost()
      return .failure(CallFailure(.transfer))
    }
    let action = lock.withLock {
      defer { meanwhile = nil }
      return meanwhile
    }
    try action?()
    // Lets other clients run between a read and the next write.
    sched_yield()
    return answer
  }

  private func answerLocked(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure> {
    lock.withLock {
      requests.append(call.operation)
      let thread = ObjectIdentifier(Thread.current)
      let faultsBefore = consecutiveFaults[thread, default: 0]
      mayFail = faultsBefore < Faults.consecutiveLimit
      hasFailed = false
      defer { consecutiveFaults[thread] = hasFailed ? faultsBefore + 1 : 0 }
      let number = random()
      if number < faults.before, fail() { return Self.error("InternalServerError", status: 500) }
      guard let parameters = try? JSONTree(parsing: call.body) else {
        return Self.error("SerializationException")
      }
      let answer = answer(call.operation, parameters)
      if number >= faults.before, number < faults.before + faults.after, fail() {
        return .failure(CallFailure(.transfer))
      }
      return answer
    }
  }

  private func answer(_ operation: String, _ parameters: JSONTree) -> Result<DynamoDBAnswer, CallFailure> {
    switch operation {
    case "GetItem":
      guard let key = Self.key(parameters["Key"]) else { return Self.error("ValidationException") }
      var answer = JSONTree.object([])
      answer["Item"] = items[key]
      return .success(DynamoDBAnswer(status: 200, body: answer.bytes()))
    case "PutItem", "UpdateItem":
      guard let write = EmulatedWrite(parameters) else { return Self.error("ValidationException") }
      guard write.allows(items[write.key]) else { return Self.error("ConditionalCheckFailedException") }
      items[write.key] = write.applied(to: items[write.key])
      return Self.done
    case "TransactWriteItems": return transact(parameters)
    default: return Self.error("UnknownOperationException")
    }
  }

  private func transact(_ parameters: JSONTree) -> Result<DynamoDBAnswer, CallFailure> {
    guard case .array(let elements) = parameters["TransactItems"],
      case .string(let token) = parameters["ClientRequestToken"], token.utf8.count <= 36
    else { return Self.error("ValidationException") }
    let writes = elements.compactMap { element in
      (element["Put"] ?? element["Update"] ?? element["ConditionCheck"]).flatMap { EmulatedWrite($0) }
    }
    guard writes.count == elements.count, Set(writes.map(\.key)).count == writes.count else {
      return Self.error("ValidationException")
    }
    if faults.remembersTokens, tokens.contains(token) { return Self.done }
    if random() < faults.conflicts, fail() {
      return Self.cancelled(writes.map { _ in "TransactionConflict" })
    }
    let fails = writes.map { !$0.allows(items[$0.key]) }
    guard !fails.contains(true) else {
      return Self.cancelled(fails.map { $0 ? "ConditionalCheckFailed" : "None" })
    }
    for (write, element) in zip(writes, elements) where element["ConditionCheck"] == nil {
      items[write.key] = write.applied(to: items[write.key])
    }
    tokens.insert(token)
    return Self.done
  }

  /// Records a fault of this request; `false` if the thread has had as many in a row as the limit allows.
  private func fail() -> Bool {
    if mayFail { hasFailed = true }
    return mayFail
  }

  /// A random number from 0 to 99 (Knuth's MMIX generator).
  private func random() -> Int {
    chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(chance >> 33) % 100
  }

  static func key(_ item: JSONTree?) -> [UInt8]? {
    guard case .string(let key) = item?["pk"]?["S"] else { return nil }
    return Array(key.utf8)
  }

  private static let done = Result<DynamoDBAnswer, CallFailure>.success(
    DynamoDBAnswer(status: 200, body: Array("{}".utf8)))

  private static func error(_ name: String, status: Int = 400, _ more: String = "") -> Result<
    DynamoDBAnswer, CallFailure
  > {
    let body = #"{"__type":"com.amazonaws.dynamodb.v20120810#\#(name)"\#(more)}"#
    return .success(DynamoDBAnswer(status: status, body: Array(body.utf8)))
  }

  private static func cancelled(_ codes: [String]) -> Result<DynamoDBAnswer, CallFailure> {
    let reasons = codes.map { #"{"Code":"\#($0)"}"# }.joined(separator: ",")
    return error("TransactionCanceledException", #","CancellationReasons":[\#(reasons)]"#)
  }
}

/// A transport to the emulated table.
struct EmulatedTransport: DynamoDBTransport {
  let table: EmulatedTable

  func send(_ call: DynamoDBCall) -> Result<DynamoDBAnswer, CallFailure> {
    do {
      return try table.answer(call)
    } catch {
      return .failure(CallFailure(.configuration, "\(error)"))
    }
  }
}

/// The machine's clocks, without pauses: an in-memory table does not need them.
struct HastyPace: DynamoDBPace {
  private var system = SystemPace()

  var monotonicMilliseconds: Int64 { system.monotonicMilliseconds }
  var unixMilliseconds: Int64 { system.unixMilliseconds }

  mutating func pause(milliseconds: Int64) {}
  mutating func randomBits() -> UInt64 { system.randomBits() }
}
