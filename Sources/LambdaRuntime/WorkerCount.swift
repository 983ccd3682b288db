/// How many events a process answers at the same time: `AWS_LAMBDA_MAX_CONCURRENCY`, which Lambda sets for managed
/// instances (https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances-runtimes.html).
public struct WorkerCount: Equatable, Sendable {
  /// From 1 to ``limit``.
  public let number: Int

  /// Workers of a process, at most: ours, of ``InvocationLane/limit``. Lambda's API takes 1,600
  /// (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-lambda-function-lambdamanagedinstancescapacityproviderconfig.html).
  public static let limit = InvocationLane.limit
  /// The name of the variable.
  public static let variable = "AWS_LAMBDA_MAX_CONCURRENCY"

  /// Why the variable is not understood.
  public struct Flaw: Error, Equatable, Sendable, CustomStringConvertible {
    /// One sentence, and a line with a hint. What the variable holds is left out.
    public var description: String {
      "AWS_LAMBDA_MAX_CONCURRENCY: a whole number from 1 to \(WorkerCount.limit) is expected\n"
        + "hint: Lambda sets it from PerExecutionEnvironmentMaxConcurrency of the function; do not set it yourself"
    }

    /// The name of every refusal.
    public let code = "invalidConcurrency"
  }

  /// Reads the variable; one worker where it is unset or empty.
  ///
  /// - Throws: `Flaw` for all but a whole number from 1 to ``limit``, in decimal digits alone. With fewer workers than
  ///   Lambda counts on, calls would fail while others are answered.
  public init(parsing text: String?) throws(Flaw) {
    guard let digits = text?.utf8, !digits.isEmpty else {
      number = 1
      return
    }
    var number = 0
    for digit in digits {
      guard digit >= 0x30, digit <= 0x39 else { throw Flaw() }
      number = number * 10 + Int(digit - 0x30)
      guard number <= Self.limit else { throw Flaw() }
    }
    guard number >= 1 else { throw Flaw() }
    self.number = number
  }
}
