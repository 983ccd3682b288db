package import LambdaEmulator

/// One event of a load, with a precomputed response to `/next`.
package struct BenchEvent: Sendable {
  package let body: [UInt8]
  /// The `principalId` of a correct answer; `nil` if only the outcome matters.
  package let principal: String?
  /// The request ID that the answer must have.
  let requestID: [UInt8]
  /// The complete response to `/next`.
  let response: [UInt8]

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - number: the index of the event in the load; the request ID contains it.
  ///   - deadlineMilliseconds: the function's deadline in Unix milliseconds, after the end of the run.
  package init(body: [UInt8], principal: String?, number: Int, deadlineMilliseconds: Int64) {
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
package struct BenchContestant: Sendable {
  package let name: String
  package let command: FunctionCommand
  /// Whether it returns the constant answer of `Tests/Fixtures/floor.c`, for the principal `floor`.
  package let isFloor: Bool

  package init(name: String, command: FunctionCommand, isFloor: Bool) {
    self.name = name
    self.command = command
    self.isFloor = isFloor
  }
}

/// The reason why a function has no figures.
package enum BenchFault: Error, Equatable, Sendable {
  /// The system could not start it, or the benchmark could not open a socket for it.
  case notStarted(reason: String)
  /// It ended before it answered.
  case died
  /// It took longer than this many seconds for one step.
  case timedOut(seconds: Int)
  /// It sent an invalid request, or a request at the wrong time.
  case protocolViolation(String)
  /// It reported this error document instead of an answer.
  case functionError(String)
  /// It reported this error document for its initialization.
  case initializationError(String)
  /// Its answer does not allow the token's user, or allows another one.
  case wrongAnswer(String)

  /// The fault as human-readable text, in lower case.
  package var description: String {
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
