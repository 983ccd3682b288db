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
      "Runs the bootstrap of a deployment package instead, unpacked into a folder of its own.",
      valueName: "file"))
  var zip: String?

  @OptionGroup var configuration: ConfigurationOptions

  @Option(
    help: ArgumentHelp(
      "Seconds that the function has for one event, and at most for its start. Default: 10; in serve the Timeout of the template.",
      valueName: "seconds"))
  var timeout: Double?

  @Flag(help: "Shows what the function writes, as it writes it.")
  var verbose = false

  func validate() throws {
    if let timeout, !(timeout > 0 && timeout <= 900) {
      throw ValidationError("--timeout must be over 0 and at most 900 seconds, Lambda's own limit")
    }
    if function != nil, zip != nil { throw ValidationError("give --function or --zip, not both") }
  }

  /// What `--timeout` says.
  var timeoutMilliseconds: Int? { timeout.map { Int(($0 * 1000).rounded(.up)) } }

  func limits() throws(CommandFailure) -> ExecutionEnvironment.Limits {
    var limits = try Self.defaultLimits()
    limits.invocationMilliseconds = timeoutMilliseconds ?? limits.invocationMilliseconds
    // Whoever waits half a second for an answer does not wait ten for the start.
    limits.initializationMilliseconds = min(
      limits.initializationMilliseconds, limits.invocationMilliseconds)
    return limits
  }

  /// Those of a function for which no option says anything.
  static func defaultLimits() throws(CommandFailure) -> ExecutionEnvironment.Limits {
    var limits = ExecutionEnvironment.Limits()
    limits.invocationMilliseconds = try Patience.milliseconds(limits.invocationMilliseconds)
    limits.initializationMilliseconds = try Patience.milliseconds(limits.initializationMilliseconds)
    return limits
  }

  /// Whether our own function runs, which cannot start without a configuration; a package may bring one along.
  var needsConfiguration: Bool { function == nil && zip == nil }

  /// The command for a configuration.
  ///
  /// A plain path is started as it is; anything more is a command line for the shell.
  func command(for configuration: FunctionConfiguration) throws(CommandFailure) -> FunctionCommand {
    let inherited = ProcessInfo.processInfo.environment
    let package = try zip.map { path throws(CommandFailure) in try FunctionPackage.folder(of: path) }
    let taskRoot = package ?? configuration.taskRoot ?? FileSystem.currentDirectory
    var environment = LambdaVariables.all(taskRoot: taskRoot, inherited: inherited)
    environment.merge(configuration.authorizerVariables(self.configuration)) { _, new in new }
    if package != nil {
      // Lambda starts it in its own folder.
      return FunctionCommand(
        executable: "/bin/sh", arguments: ["-c", #"cd "$LAMBDA_TASK_ROOT" && exec ./bootstrap"#],
        environment: environment)
    }
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
    return FunctionCommand(shell: function, environment: environment)
  }

  /// `dist/bootstrap` here or in the package around.
  private static func bootstrap() throws(CommandFailure) -> String {
    if let path = FileSystem.nearest("dist/bootstrap", from: FileSystem.currentDirectory) { return path }
    throw CommandFailure(
      .unavailable, "dist/bootstrap is not there",
      hint: "make bootstrap builds it; --function COMMAND or --zip FILE runs something else")
  }
}
