/// What a check has found, or why it has found nothing.
typealias Checked<Value> = Result<Value, TokenRejection>

/// Runs the checks of a verification, one after the other, and decides what follows a failure.
///
/// The order of the checks stands in `TokenForm` and `TokenChecks`, for the verifier and for explanations alike.
protocol CheckRecorder {
  /// What ends a verification early: a rejection, or `Never` if all checks run.
  associatedtype End: Error

  /// Runs a check: evaluates its body.
  @discardableResult
  mutating func run<Value>(
    _ check: @autoclosure () -> TokenCheck, _ body: @autoclosure () throws(TokenRejection) -> Value
  ) throws(End) -> Checked<Value>

  /// Notes a check that cannot run, because its input is missing or invalid.
  mutating func skip(_ check: @autoclosure () -> TokenCheck)
}

extension CheckRecorder {
  /// Runs a check on what an earlier check has found; skips it if that is nothing.
  @inline(__always)
  @discardableResult
  mutating func run<Input, Value>(
    _ check: @autoclosure () -> TokenCheck, on input: Checked<Input>,
    _ body: (Input) throws(TokenRejection) -> Value
  ) throws(End) -> Checked<Value> {
    switch input {
    case .success(let input): return try run(check(), try body(input))
    case .failure(let rejection):
      skip(check())
      return .failure(rejection)
    }
  }
}

/// Ends at the first failure, as the authorizer does, and records nothing. Inlined, it leaves only the checks.
struct FirstFailure: CheckRecorder {
  @inline(__always)
  func run<Value>(
    _ check: @autoclosure () -> TokenCheck, _ body: @autoclosure () throws(TokenRejection) -> Value
  ) throws(TokenRejection) -> Checked<Value> {
    .success(try body())
  }

  @inline(__always)
  func skip(_ check: @autoclosure () -> TokenCheck) {}
}
