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

  @OptionGroup var configuration: ConfigurationOptions

  @Option(help: ArgumentHelp("Seconds that the function has for one event.", valueName: "seconds"))
  var timeout = Double(RuntimeAPILimits.invocationMilliseconds) / 1000

  @Flag(help: "Shows what the function writes, as it writes it.")
  var verbose = false

  func validate() throws {
    guard timeout > 0, timeout <= 900 else {
      throw ValidationError("--timeout must be over 0 and at most 900 seconds, Lambda's own limit")
    }
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
    environment.merge(configuration.authorizerVariables(self.configuration)) { _, new in new }
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
      executable: "/bin/sh", arguments: ["-c", function], environment: environment)
  }

  /// `dist/bootstrap` here or in the package around.
  private static func bootstrap() throws(CommandFailure) -> String {
    if let path = FileSystem.nearest("dist/bootstrap", from: FileSystem.currentDirectory) { return path }
    throw CommandFailure(
      .unavailable, "dist/bootstrap is not there",
      hint: "make bootstrap builds it; --function COMMAND runs something else")
  }
}
