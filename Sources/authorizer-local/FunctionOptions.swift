internal import ArgumentParser
internal import Emulator
internal import Foundation

/// Which function to run, and with what.
struct FunctionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Runs this instead of dist/bootstrap: any program that speaks the Lambda Runtime API, as a shell command.",
      valueName: "command"))
  var function: String?

  @Option(
    help: ArgumentHelp(
      "Configuration of the authorizer. Default: authorizer.json beside the event or above it.",
      valueName: "file"))
  var config: String?

  @Flag(help: "Leaves the issuers' real keys in the configuration instead of the development keys.")
  var realKeys = false

  @Option(
    help: ArgumentHelp(
      "tokens.json for the {{token NAME}} in events. Default: the nearest one.", valueName: "file"))
  var tokens: String?

  @Option(help: ArgumentHelp("Adds a variable to the function's environment.", valueName: "name=value"))
  var env: [String] = []

  @Option(help: ArgumentHelp("Seconds that the function has for one event.", valueName: "seconds"))
  var timeout = Double(RuntimeAPILimits.invocationMilliseconds) / 1000

  @Flag(help: "Shows what the function writes, as it writes it.")
  var verbose = false

  func validate() throws {
    guard timeout > 0, timeout <= 900 else {
      throw ValidationError("--timeout must be over 0 and at most 900 seconds, Lambda's own limit")
    }
    for variable in env where !(variable.dropFirst().contains("=")) {
      throw ValidationError("--env needs NAME=VALUE, found \(variable)")
    }
  }

  /// The variables of `--env`.
  var variables: [String: String] {
    var variables: [String: String] = [:]
    for variable in env {
      guard let sign = variable.dropFirst().firstIndex(of: "=") else { continue }
      variables[String(variable[..<sign])] = String(variable[variable.index(after: sign)...])
    }
    return variables
  }

  var limits: ExecutionEnvironment.Limits {
    var limits = ExecutionEnvironment.Limits()
    limits.invocationMilliseconds = Int((timeout * 1000).rounded(.up))
    return limits
  }

  /// The command for a configuration.
  ///
  /// A plain path is started as it is; anything more is a command line for the shell, which gives its place to it.
  func command(for configuration: FunctionConfiguration) throws(CommandFailure) -> FunctionCommand {
    let inherited = ProcessInfo.processInfo.environment
    let taskRoot = configuration.taskRoot ?? FileSystem.currentDirectory
    var environment = LambdaVariables.all(taskRoot: taskRoot, inherited: inherited)
    // A file's configuration stands in the place of whatever the environment says about issuers.
    let replaced: Set<String> =
      configuration.isFromFile ? ["AUTHORIZER_ISSUER", "AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS"] : []
    for (name, value) in inherited where name.hasPrefix("AUTHORIZER_") && !replaced.contains(name) {
      environment[name] = value
    }
    environment.merge(configuration.variables) { _, new in new }
    environment.merge(variables) { _, new in new }
    guard let function else {
      return FunctionCommand(executable: try Self.bootstrap(), environment: environment)
    }
    let isPath = !function.contains(where: { $0.isWhitespace || "'\"$;&|<>(){}*?`\\~".contains($0) })
    if isPath, FileSystem.exists(function), !FileSystem.isDirectory(function) {
      return FunctionCommand(executable: FileSystem.absolute(function), environment: environment)
    }
    if isPath, function.contains("/") {
      throw CommandFailure(.unavailable, "no such function: \(function)", hint: "is the path right?")
    }
    return FunctionCommand(
      executable: "/bin/sh", arguments: ["-c", "exec " + function], environment: environment)
  }

  /// `dist/bootstrap` here or in the package around.
  private static func bootstrap() throws(CommandFailure) -> String {
    if let path = FileSystem.nearest("dist/bootstrap", from: FileSystem.currentDirectory) { return path }
    throw CommandFailure(
      .unavailable, "dist/bootstrap is not there",
      hint: "make bootstrap builds it; --function COMMAND runs something else")
  }
}
