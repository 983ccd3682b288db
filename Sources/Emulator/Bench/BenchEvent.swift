/// One event of a load, with its answer to `/next` made before.
public struct BenchEvent: Sendable {
  /// The event.
  public let body: [UInt8]
  /// Who a right answer is about; `nil` where only the outcome counts.
  public let principal: String?
  /// The id that the answer must come back under.
  let requestID: [UInt8]
  /// The whole answer to `/next`.
  let response: [UInt8]

  /// An event.
  ///
  /// - Parameters:
  ///   - body: its JSON.
  ///   - principal: the `principalId` that a right answer names; `nil` where only the outcome counts.
  ///   - number: its place in the load; the request id is made of it.
  ///   - deadlineMilliseconds: the deadline that the function is told, in Unix milliseconds: after the end of the run.
  public init(body: [UInt8], principal: String?, number: Int, deadlineMilliseconds: Int64) {
    self.body = body
    self.principal = principal
    let digits = String(number, radix: 16)
    let id = "8476a536-e9f4-11e8-9739-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    requestID = Array(id.utf8)
    let head = """
      HTTP/1.1 200 OK\r
      Content-Type: application/json\r
      Lambda-Runtime-Aws-Request-Id: \(id)\r
      Lambda-Runtime-Deadline-Ms: \(deadlineMilliseconds)\r
      Lambda-Runtime-Invoked-Function-Arn: \(LambdaVariables.functionARN)\r
      Lambda-Runtime-Trace-Id: Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1\r
      Content-Length: \(body.count)\r
      \r

      """
    response = Array(head.utf8) + body
  }
}

/// A function that takes part in a benchmark.
public struct BenchContestant: Sendable {
  /// What tables call it.
  public let name: String
  /// How it is started.
  public let command: FunctionCommand
  /// Whether it answers the constant of `Tests/Fixtures/floor.c`, about the principal `floor`.
  public let isFloor: Bool

  /// A contestant.
  public init(name: String, command: FunctionCommand, isFloor: Bool) {
    self.name = name
    self.command = command
    self.isFloor = isFloor
  }
}

/// Why there are no figures.
public enum BenchFault: Error, Equatable, Sendable {
  /// The system would not start it, or the benchmark has no socket for it.
  case notStarted(reason: String)
  /// It ended before it had answered.
  case died
  /// It took longer than this many seconds for one step.
  case timedOut(seconds: Int)
  /// What it sent is none of the Runtime API's requests, or not the one that was due.
  case protocolViolation(String)
  /// It reported an error in place of an answer; its document.
  case functionError(String)
  /// It reported that it cannot start; its document.
  case initializationError(String)
  /// An answer that does not let the bearer in, or lets in another one: a fast wrong answer is no result.
  case wrongAnswer(String)

  /// For people, in lower case.
  public var description: String {
    switch self {
    case .notStarted(let reason): "could not be started: \(reason)"
    case .died: "ended before it answered"
    case .timedOut(let seconds): "did not answer within \(seconds) seconds"
    case .protocolViolation(let what): "broke the protocol: \(what)"
    case .functionError(let document): "reported an error: \(document)"
    case .initializationError(let document): "reported that it cannot start: \(document)"
    case .wrongAnswer(let what): "gave a wrong answer: \(what)"
    }
  }
}
