internal import ArgumentParser
internal import Emulator
internal import Foundation

/// The options that select the function and its configuration.
struct FunctionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Runs this shell command instead of bootstrap: any client of the Lambda Runtime API.",
      valueName: "command"))
  var function: String?

  @Option(
    help: ArgumentHelp(
      "Runs the bootstrap of this deployment package instead, unpacked into a temporary folder.",
      valueName: "file"))
  var zip: String?

  @OptionGroup var configuration: ConfigurationOptions

  @Option(
    help: ArgumentHelp(
      "Timeout in seconds for one event; also limits the start. Default: 10; with serve, the Timeout of the template.",
      valueName: "seconds"))
  var timeout: Double?

  @Flag(help: "Prints the output of the function while it runs.")
  var verbose = false

  func validate() throws {
    if let timeout, !(timeout > 0 && timeout <= 900) {
      throw ValidationError("--timeout must be greater than 0 and at most 900 seconds, the limit of Lambda")
    }
    if function != nil, zip != nil { throw ValidationError("give --function or --zip, not both") }
  }

  /// The value of `--timeout` in milliseconds.
  var timeoutMilliseconds: Int? { timeout.map { Int(($0 * 1000).rounded(.up)) } }

  func limits() throws(CommandFailure) -> ExecutionEnvironment.Limits {
    var limits = try Self.defaultLimits()
    limits.invocationMilliseconds = timeoutMilliseconds ?? limits.invocationMilliseconds
    // A caller that waits half a second for an answer must not wait ten seconds for the start.
    limits.initializationMilliseconds = min(
      limits.initializationMilliseconds, limits.invocationMilliseconds)
    return limits
  }

  /// Returns the limits for a function without options.
  static func defaultLimits() throws(CommandFailure) -> ExecutionEnvironment.Limits {
    var limits = ExecutionEnvironment.Limits()
    limits.invocationMilliseconds = try TimeoutFactor.milliseconds(limits.invocationMilliseconds)
    limits.initializationMilliseconds = try TimeoutFactor.milliseconds(limits.initializationMilliseconds)
    return limits
  }

  /// Whether this project's function runs, which cannot start without a configuration. A package may contain one.
  var needsConfiguration: Bool { function == nil && zip == nil }

  /// Prints a hint if a package had no keys. Only a configuration from a file gets the development keys.
  func noteRealKeys(_ outcomes: [EventOutcome]) {
    guard zip != nil, !configuration.realKeys else { return }
    let isPacked = outcomes.contains { outcome in
      let variables = outcome.event.configuration.authorizerVariables(configuration)
      return outcome.result.decision?.reason == "keysUnavailable"
        && ShippedFunction.authorizer.configuringVariables.allSatisfy { (variables[$0] ?? "").isEmpty }
    }
    guard isPacked else { return }
    Terminal.note(
      "hint: the package's own configuration verifies with the issuers' real keys; give --config FILE to use"
        + " development keys")
  }

  /// Returns the command for a configuration.
  ///
  /// A plain path is executed directly; anything else is a command line for the shell.
  func command(for configuration: FunctionConfiguration) throws(CommandFailure) -> FunctionCommand {
    let inherited = ProcessInfo.processInfo.environment
    let package = try zip.map { path throws(CommandFailure) in try FunctionPackage.folder(of: path) }
    let taskRoot = package ?? configuration.taskRoot ?? FileSystem.currentDirectory
    var environment = LambdaVariables.all(taskRoot: taskRoot, inherited: inherited)
    environment.merge(configuration.authorizerVariables(self.configuration)) { _, new in new }
    if let package {
      try ForeignProgram.refuse(
        package + "/bootstrap", as: "the bootstrap of \(zip ?? "the package")"
      ) { "unpack it and run it in an emulator: --function '\($0) FOLDER/bootstrap'" }
      // Lambda starts the function in the folder of its code.
      return FunctionCommand(
        executable: "/bin/sh", arguments: ["-c", #"cd "$LAMBDA_TASK_ROOT" && exec ./bootstrap"#],
        environment: environment)
    }
    guard let function else {
      let path = try Self.bootstrap()
      try ForeignProgram.refuse(path, as: path) { _ in "build it for this machine with make bootstrap" }
      return FunctionCommand(executable: path, environment: environment)
    }
    let isPath = !function.contains(where: { $0.isWhitespace || "'\"$;&|<>(){}*?`\\~".contains($0) })
    if isPath, FileSystem.exists(function), !FileSystem.isDirectory(function) {
      let path = FileSystem.absolute(function)
      try ForeignProgram.refuse(path, as: function) {
        "run it in an emulator: --function '\($0) \(function)'"
      }
      return FunctionCommand(executable: path, environment: environment)
    }
    if isPath, function.contains("/") {
      throw CommandFailure(.unavailable, "no such function: \(function)", hint: "check the path")
    }
    return FunctionCommand(shell: function, environment: environment)
  }

  private static func bootstrap() throws(CommandFailure) -> String {
    if let path = Installation.program("bootstrap") { return path }
    throw Installation.missing(
      "bootstrap", orElse: "run another function with --function COMMAND or --zip FILE")
  }
}
