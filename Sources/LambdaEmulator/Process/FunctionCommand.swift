/// A command and its environment. It starts in the harness's own working directory.
package struct FunctionCommand: Equatable, Sendable {
  package let executable: String
  package let arguments: [String]
  /// The whole environment of the process; nothing else is inherited.
  package let environment: [String: String]

  package init(executable: String, arguments: [String] = [], environment: [String: String]) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }

  /// Returns the command with one variable set or removed.
  package func setting(_ name: String, _ value: String?) -> FunctionCommand {
    var environment = environment
    environment[name] = value
    return FunctionCommand(executable: executable, arguments: arguments, environment: environment)
  }

  /// Returns the command with additional variables, which override those of the same name.
  package func adding(_ variables: [String: String]) -> FunctionCommand {
    FunctionCommand(
      executable: executable, arguments: arguments,
      environment: environment.merging(variables) { _, new in new })
  }
}
