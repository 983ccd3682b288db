/// One Lambda function as a template or a command line describes it.
public struct FunctionSettings: Equatable, Sendable {
  /// Its name, `AWS_LAMBDA_FUNCTION_NAME`.
  public var name: String
  /// Path of the executable: `bootstrap`, or anything that speaks the Lambda Runtime API.
  public var executable: String
  /// The arguments after the executable's own name.
  public var arguments: [String]
  /// The folder in which the function finds its files (`/var/task` on AWS), `LAMBDA_TASK_ROOT`.
  public var taskRoot: String
  /// `Handler`, `_HANDLER`.
  public var handler: String
  /// `Environment.Variables` of the template; they win over Lambda's own of the same name.
  public var variables: [String: String]
  /// Memory that the function may use, in MB (AWS Lambda quotas: 128 to 10,240).
  public var memoryMegabytes: Int
  /// How long one invocation may take, in milliseconds (AWS Lambda: 3 s unless told otherwise, 900 s at most).
  public var timeoutMilliseconds: Int
  /// How long a process may take until its first `/next`, in milliseconds.
  public var initializationMilliseconds: Int
  /// Execution environments that may run at once (`ReservedConcurrentExecutions`).
  public var concurrency: Int
  /// Invocations that may wait for a free environment; one more is refused as Lambda refuses it, with 429. 0 is what
  /// AWS does; a laptop has fewer environments than the cloud, so they wait by default.
  public var waitingInvocations: Int

  /// A function with Lambda's defaults.
  public init(
    name: String = LambdaVariables.functionName, executable: String, arguments: [String] = [],
    taskRoot: String, variables: [String: String] = [:]
  ) {
    self.name = name
    self.executable = executable
    self.arguments = arguments
    self.taskRoot = taskRoot
    self.variables = variables
    handler = "bootstrap"
    memoryMegabytes = 128
    timeoutMilliseconds = 3000
    initializationMilliseconds = RuntimeAPILimits.initializationMilliseconds
    concurrency = 1
    waitingInvocations = 10_000
  }

  /// The function's ARN without a qualifier.
  public var arn: String { LambdaVariables.arn(ofFunction: name) }

  /// What to start.
  ///
  /// - Parameter inherited: the harness's own environment, of which `PATH`, `TZ` and `LANG` are kept.
  func command(inheriting inherited: [String: String]) -> FunctionCommand {
    var environment = LambdaVariables.all(taskRoot: taskRoot, inherited: inherited)
    environment["_HANDLER"] = handler
    environment["AWS_LAMBDA_FUNCTION_NAME"] = name
    environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] = String(memoryMegabytes)
    environment["AWS_LAMBDA_LOG_GROUP_NAME"] = "/aws/lambda/\(name)"
    environment.merge(variables) { _, own in own }
    return FunctionCommand(executable: executable, arguments: arguments, environment: environment)
  }
}

/// Settings that no function of Lambda could have, or that this harness does not emulate.
public enum FunctionSettingsError: Error, Equatable, Sendable {
  /// Not 128 to 10,240 MB (AWS Lambda quotas).
  case memory(megabytes: Int)
  /// Not over 0 and at most 900 s (AWS Lambda quotas).
  case timeout(milliseconds: Int)
  /// No environment at all.
  case concurrency(Int)
  /// `AWS_LAMBDA_MAX_CONCURRENCY` is set: many events in one process, as on Lambda Managed Instances.
  case managedInstances

  /// For people, with the cure.
  public var description: String {
    switch self {
    case .memory(let megabytes): "a function has 128 to 10240 MB of memory, not \(megabytes)"
    case .timeout(let milliseconds):
      "a function has over 0 and at most 900 seconds, not \(Double(milliseconds) / 1000)"
    case .concurrency(let count): "a function needs one environment or more, not \(count)"
    case .managedInstances:
      "Lambda Managed Instances are not emulated: take AWS_LAMBDA_MAX_CONCURRENCY out, each environment has one event "
        + "at a time"
    }
  }
}

extension FunctionSettings {
  /// Finds what cannot be.
  func check() throws(FunctionSettingsError) {
    guard (128...10_240).contains(memoryMegabytes) else { throw .memory(megabytes: memoryMegabytes) }
    guard (1...900_000).contains(timeoutMilliseconds) else {
      throw .timeout(milliseconds: timeoutMilliseconds)
    }
    guard concurrency > 0 else { throw .concurrency(concurrency) }
    // An empty variable counts as unset, as in the function.
    guard (variables["AWS_LAMBDA_MAX_CONCURRENCY"] ?? "").isEmpty else { throw .managedInstances }
  }
}
