import Bytes

/// The number of events that a process answers concurrently: `AWS_LAMBDA_MAX_CONCURRENCY`, which Lambda sets for
/// managed instances (https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances-runtimes.html).
package struct WorkerCount: Equatable, Sendable {
  /// From 1 to ``limit``.
  package let number: Int

  /// The maximum number of workers of a process: ``WorkerSlot/limit``. Lambda's API accepts up to 1,600
  /// (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-lambda-function-lambdamanagedinstancescapacityproviderconfig.html).
  package static let limit = WorkerSlot.limit
  /// The name of the variable.
  package static let variable = "AWS_LAMBDA_MAX_CONCURRENCY"

  /// The reason why the variable is refused.
  package struct Flaw: Error, Equatable, Sendable, CustomStringConvertible {
    /// A description of the error, and a line with a hint. It does not contain the value.
    package var description: String {
      "AWS_LAMBDA_MAX_CONCURRENCY: a whole number from 1 to \(WorkerCount.limit) is expected\n"
        + "hint: Lambda sets it from PerExecutionEnvironmentMaxConcurrency of the function; do not set it yourself"
    }

    /// The stable name of this error.
    package let code = "invalidConcurrency"
  }

  /// Reads the variable; one worker if it is unset or empty.
  ///
  /// - Throws: `Flaw` unless the value is a whole number from 1 to ``limit`` in decimal digits. There is no fallback:
  ///   with fewer workers than Lambda expects, some concurrent calls would fail.
  package init(parsing text: String?) throws(Flaw) {
    guard let digits = text?.utf8, !digits.isEmpty else {
      number = 1
      return
    }
    var number = 0
    for digit in digits {
      guard digit.isDecimalDigit else { throw Flaw() }
      number = number * 10 + Int(digit - .digitZero)
      guard number <= Self.limit else { throw Flaw() }
    }
    guard number >= 1 else { throw Flaw() }
    self.number = number
  }
}
