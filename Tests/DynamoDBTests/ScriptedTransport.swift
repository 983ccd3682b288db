import DynamoDB

/// A transport with scripted answers that records the calls.
final class ScriptedTransport: DynamoDBTransport {
  typealias Step = Result<DynamoDBAnswer, CallFailure>

  private var steps: [Step]
  private let pace: HeldPace
  private(set) var calls: [DynamoDBCall] = []

  init(_ steps: [Step], _ pace: HeldPace = HeldPace()) {
    self.steps = steps
    self.pace = pace
  }

  func send(_ call: DynamoDBCall) -> Step {
    calls.append(call)
    let step = steps.isEmpty ? .failure(CallFailure(.connect, "the script has ended")) : steps.removeFirst()
    // A timeout advances the clock.
    if case .failure(let failure) = step, failure.kind == .timeout { pace.time += call.totalMilliseconds }
    return step
  }

  /// The bodies as text.
  var bodies: [String] { calls.map { String(decoding: $0.body, as: UTF8.self) } }
}

extension ScriptedTransport.Step {
  static func answer(_ status: Int = 200, _ body: String = "{}") -> Self {
    .success(DynamoDBAnswer(status: status, body: Array(body.utf8)))
  }

  /// An error with DynamoDB's name.
  static func error(_ name: String, _ status: Int = 400, _ more: String = "") -> Self {
    .answer(status, #"{"__type":"com.amazonaws.dynamodb.v20120810#\#(name)","message":"secret"\#(more)}"#)
  }

  static func cancelled(_ codes: [String]) -> Self {
    let reasons = codes.map { #"{"Code":"\#($0)","Message":"secret"}"# }.joined(separator: ",")
    return .error("TransactionCanceledException", 400, #","CancellationReasons":[\#(reasons)]"#)
  }
}

/// A clock that only pauses advance, and predictable random numbers.
final class HeldPace: DynamoDBPace {
  var time: Int64 = 1_000_000
  private(set) var pauses: [Int64] = []
  private var bits: UInt64
  private let step: UInt64

  /// Creates a pace with the first random number and the increment of the next ones.
  init(bits: UInt64 = 0, step: UInt64 = 0) {
    self.bits = bits
    self.step = step
  }

  var monotonicMilliseconds: Int64 { time }
  var unixMilliseconds: Int64 { 1_795_000_000_000 + time }

  func pause(milliseconds: Int64) {
    pauses.append(milliseconds)
    time += milliseconds
  }

  func randomBits() -> UInt64 {
    defer { bits &+= step }
    return bits
  }
}

/// A client with a scripted transport.
struct Scripted {
  let pace: HeldPace
  let transport: ScriptedTransport
  var client: DynamoDBClient<ScriptedTransport, HeldPace>

  init(_ steps: [ScriptedTransport.Step], pace: HeldPace = HeldPace()) {
    self.pace = pace
    transport = ScriptedTransport(steps, pace)
    client = DynamoDBClient(table: "users", transport: transport, pace: pace)
  }

  mutating func item(_ key: String = "a", milliseconds: Int64 = 60_000) throws(DynamoDBError) -> Item? {
    try client.getItem(
      Array(key.utf8), isConsistent: false, deadline: client.deadline(afterMilliseconds: milliseconds))
  }

  mutating func put(milliseconds: Int64 = 60_000) throws(DynamoDBError) {
    let write = ItemWrite.put(.key([0x61]), if: "attribute_not_exists(pk)")
    try client.write(write, deadline: client.deadline(afterMilliseconds: milliseconds))
  }

  mutating func transact(milliseconds: Int64 = 60_000) throws(DynamoDBError) {
    let writes = [ItemWrite.put(.key([0x61])), .put(.key([0x62]))]
    try client.transactWrite(writes, deadline: client.deadline(afterMilliseconds: milliseconds))
  }
}
