package struct FunctionSettings: Equatable, Sendable {
  /// The name, `AWS_LAMBDA_FUNCTION_NAME`.
  package var name: String
  /// The path of the executable: `bootstrap`, or any program that uses the Lambda Runtime API.
  package var executable: String
  package var arguments: [String]
  /// The folder with the function's files (`/var/task` on AWS), `LAMBDA_TASK_ROOT`.
  package var taskRoot: String
  /// `Handler`, `_HANDLER`.
  package var handler = "bootstrap"
  /// `Environment.Variables` of the template; they override Lambda's own variables of the same name.
  package var variables: [String: String]
  /// The memory limit in MB (AWS Lambda quotas: 128 to 10,240).
  package var memoryMegabytes = 128
  /// The time limit of one invocation in milliseconds (AWS Lambda: 3 s by default, at most 900 s).
  package var timeoutMilliseconds = 3000
  /// The time limit until a process's first `/next`, in milliseconds.
  package var initializationMilliseconds = RuntimeAPILimits.initializationMilliseconds
  /// Whether each environment is for one tenant (`TenancyConfig`).
  package var isTenantIsolated = false
  /// The maximum number of concurrent execution environments (`ReservedConcurrentExecutions`).
  package var concurrency = 1
  /// The maximum number of invocations that wait for a free environment; further ones are refused with 429, as on
  /// Lambda. AWS uses 0. A laptop has fewer environments than the cloud, so invocations wait by default.
  package var waitingInvocations = 10_000

  /// Creates the settings of a function with Lambda's defaults.
  package init(
    name: String = LambdaVariables.functionName, executable: String, arguments: [String] = [],
    taskRoot: String, variables: [String: String] = [:]
  ) {
    self.name = name
    self.executable = executable
    self.arguments = arguments
    self.taskRoot = taskRoot
    self.variables = variables
  }

  package var arn: String { LambdaVariables.arn(ofFunction: name) }

  /// Returns the command that starts the function.
  ///
  /// - Parameter inherited: the harness's own environment, of which only `PATH`, `TZ` and `LANG` are passed on.
  package func command(inheriting inherited: [String: String]) -> FunctionCommand {
    var environment = LambdaVariables.all(taskRoot: taskRoot, inherited: inherited)
    environment["_HANDLER"] = handler
    environment["AWS_LAMBDA_FUNCTION_NAME"] = name
    environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] = String(memoryMegabytes)
    environment["AWS_LAMBDA_LOG_GROUP_NAME"] = "/aws/lambda/\(name)"
    environment.merge(variables) { _, own in own }
    return FunctionCommand(executable: executable, arguments: arguments, environment: environment)
  }
}

/// An error in settings that Lambda does not allow or that this harness does not emulate.
package enum FunctionSettingsError: Error, Equatable, Sendable {
  /// The memory is not 128 to 10,240 MB (AWS Lambda quotas).
  case memory(megabytes: Int)
  /// The timeout is not over 0 and at most 900 s (AWS Lambda quotas).
  case timeout(milliseconds: Int)
  case concurrency(Int)
  /// `AWS_LAMBDA_MAX_CONCURRENCY` is set: many events in one process, as on Lambda Managed Instances.
  case managedInstances

  /// The error as human-readable text, with the fix.
  package var description: String {
    switch self {
    case .memory(let megabytes): "the memory must be 128 to 10240 MB, not \(megabytes)"
    case .timeout(let milliseconds):
      "the timeout must be over 0 and at most 900 seconds, not \(Double(milliseconds) / 1000)"
    case .concurrency(let count): "the concurrency must be at least 1, not \(count)"
    case .managedInstances:
      "Lambda Managed Instances are not emulated: remove AWS_LAMBDA_MAX_CONCURRENCY; each environment handles one"
        + " event at a time"
    }
  }
}

extension FunctionSettings {
  package func check() throws(FunctionSettingsError) {
    guard LambdaVariables.memoryMegabytes.contains(memoryMegabytes) else {
      throw .memory(megabytes: memoryMegabytes)
    }
    guard (1...900_000).contains(timeoutMilliseconds) else {
      throw .timeout(milliseconds: timeoutMilliseconds)
    }
    guard concurrency > 0 else { throw .concurrency(concurrency) }
    // An empty variable counts as unset, as in the function.
    guard (variables["AWS_LAMBDA_MAX_CONCURRENCY"] ?? "").isEmpty else { throw .managedInstances }
  }
}
