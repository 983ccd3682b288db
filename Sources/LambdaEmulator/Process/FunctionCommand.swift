/// A command and its environment. It starts in the harness's own working directory.
package struct FunctionCommand: Equatable, Sendable {
  package let executable: String
  package let arguments: [String]
  /// The whole environment of the process; nothing else is inherited.
  package var environment: [String: String]

  package init(executable: String, arguments: [String] = [], environment: [String: String]) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }
}
