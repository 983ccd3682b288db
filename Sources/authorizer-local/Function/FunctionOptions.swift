internal import DeploymentChecks
internal import LambdaEmulator
internal import Text
internal import ArgumentParser

/// The choice of the function and of its configuration.
struct FunctionOptions: Sendable {
  var function: String?
  var zip: String?
  /// The handler of `--handler`, in Python or JavaScript.
  var handler: HandlerOption?
  /// The handlers of functions of a template, by the names of the functions.
  var namedHandlers: [String: HandlerOption] = [:]
  /// The addresses of `--key-set`, which handlers get as the development key set.
  var keySets: [String] = []
  var configuration = ConfigurationOptions()
  var timeoutMilliseconds: Int?
  var memoryMegabytes: Int?
  var verbose = false

  func limits(_ timeouts: TimeoutFactor) throws(CommandFailure) -> ExecutionEnvironment.Limits {
    var limits = try timeouts.limits()
    limits.invocationMilliseconds = timeoutMilliseconds ?? limits.invocationMilliseconds
    // A caller that waits half a second for an answer must not wait ten seconds for the start.
    limits.initializationMilliseconds = min(
      limits.initializationMilliseconds, limits.invocationMilliseconds)
    if let memoryMegabytes {
      limits.memoryMegabytes = memoryMegabytes
      limits.enforcesMemory = true
    }
    return limits
  }

  /// Whether this project's function runs, which cannot start without a configuration. A package may contain one.
  var needsConfiguration: Bool { function == nil && zip == nil && handler == nil }

  /// Returns the command for a configuration.
  ///
  /// A plain path is executed directly; anything else is a command line for the shell.
  func command(
    for configuration: FunctionConfiguration, on machine: Machine
  ) throws(CommandFailure) -> FunctionCommand {
    if let handler {
      return try LocalHandlers(machine: machine, keySets: keySets).function(handler).command(
        inheriting: machine.environment, given: self.configuration.variables)
    }
    let package = try zip.map { path throws(CommandFailure) in
      try FunctionPackage.folder(of: path, machine.files)
    }
    let taskRoot = package ?? configuration.taskRoot ?? machine.files.currentDirectory
    var environment = LambdaVariables.all(taskRoot: taskRoot, inherited: machine.environment)
    environment.merge(configuration.authorizerVariables(self.configuration, machine.environment)) { _, new in
      new
    }
    if let package {
      try ForeignProgram.refuse(
        package + "/bootstrap", as: "the bootstrap of \(zip ?? "the package")"
      ) {
        "unpack it and run it in an emulator: --function \(ShellWord.quoted("\($0) FOLDER/bootstrap", or: "COMMAND"))"
      }
      // Lambda starts the function in the folder of its code.
      return FunctionCommand(
        executable: "/bin/sh", arguments: ["-c", #"cd "$LAMBDA_TASK_ROOT" && exec ./bootstrap"#],
        environment: environment)
    }
    guard let function else {
      guard let path = machine.installation.program("bootstrap") else {
        throw machine.installation.missing(
          "bootstrap", orElse: "run another function with --function COMMAND or --zip FILE")
      }
      try ForeignProgram.refuse(path, as: path) { _ in "build it for this machine with make bootstrap" }
      return FunctionCommand(executable: path, environment: environment)
    }
    let isPath = !function.unicodeScalars.contains {
      $0.properties.isWhitespace || "'\"$;&|<>(){}*?`\\~".unicodeScalars.contains($0)
    }
    if isPath, machine.files.exists(function), !machine.files.isDirectory(function) {
      let path = machine.files.absolute(function)
      try ForeignProgram.refuse(path, as: function) {
        "run it in an emulator: --function "
          + ShellWord.quoted("\($0) \(ShellWord.path(function, or: "FILE"))", or: "COMMAND")
      }
      return FunctionCommand(executable: path, environment: environment)
    }
    if isPath, function.containsBytes(of: "/") {
      throw CommandFailure(.unavailable, "no such function: \(function)", hint: "check the path")
    }
    return FunctionCommand(shell: function, environment: environment)
  }
}

/// The options that select the function.
///
/// No group of options contains another one: in debug builds the parser checks the inner one four times for each check of
/// the outer one, which takes longer than a command.
struct FunctionArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Runs this shell command instead of bootstrap: any client of the Lambda Runtime API.",
      valueName: "command"))
  var function: String?

  @Option(
    help: ArgumentHelp(
      "Runs the bootstrap of this deployment package instead, unpacked into a temporary folder.",
      valueName: "file"), completion: .file())
  var zip: String?

  @Option(
    help: ArgumentHelp(
      "Runs this function of a Python or JavaScript file instead, such as app.py:handler, with your rights, but without your variables. With serve also NAME=PATH:FUNCTION for a function of the template; repeatable.",
      valueName: "path:function"))
  var handler: [String] = []

  @Option(
    help: ArgumentHelp(
      "Answers requests of handlers for this https:// address with the development key set. For addresses of keys that the code builds itself. Repeatable.",
      valueName: "url"))
  var keySet: [String] = []

  @Option(
    help: ArgumentHelp(
      "Timeout of one event, and of the start. Default: 10; with serve, the Timeout of the template.",
      valueName: "seconds"))
  var timeout: Double?

  @Option(
    help: ArgumentHelp(
      "Memory limit in MB, 128 to 10240: a process above it is killed, as on Lambda. Default: none; with serve, the MemorySize of the template.",
      valueName: "megabytes"))
  var memory: Int?

  @Flag(help: "Prints the output of the function while it runs.")
  var verbose = false

  /// - Parameters:
  ///   - named: whether `--handler` may name functions of a template.
  ///   - other: the handler of another option, which gets the key sets too.
  func options(
    _ configuration: ConfigurationOptions, named: Bool = false, besides other: String? = nil
  ) throws(CommandFailure) -> FunctionOptions {
    if let timeout, !(timeout > 0 && timeout <= 900) {
      throw CommandFailure(
        options: "--timeout must be greater than 0 and at most 900 seconds, the limit of Lambda")
    }
    if let memory, !LambdaVariables.memoryMegabytes.contains(memory) {
      throw CommandFailure(options: "--memory must be 128 to 10240 MB, the limits of Lambda")
    }
    let handlers = try HandlerOption.parse(handler, named: named)
    if function != nil, zip != nil { throw CommandFailure(options: "give --function or --zip, not both") }
    if handlers.one != nil, function != nil || zip != nil {
      throw CommandFailure(options: "give --handler, or --function or --zip, not both")
    }
    if handlers.one != nil, configuration.config != nil {
      throw CommandFailure(
        options: "--config is for this project's authorizer, and --handler runs another one")
    }
    try checkKeySets(configuration)
    if !named, !keySet.isEmpty, handlers.one == nil, other == nil {
      throw CommandFailure(options: "--key-set needs --handler")
    }
    return FunctionOptions(
      function: function, zip: zip, handler: handlers.one, namedHandlers: handlers.byName, keySets: keySet,
      configuration: configuration,
      timeoutMilliseconds: timeout.map { Int(($0 * 1000).rounded(.up)) }, memoryMegabytes: memory,
      verbose: verbose)
  }

  private func checkKeySets(_ configuration: ConfigurationOptions) throws(CommandFailure) {
    let start = "https://"
    for text in keySet {
      let rest = text.utf8.dropFirst(start.utf8.count)
      guard text.utf8.starts(with: start.utf8), let first = rest.first, first != UInt8(ascii: "/"),
        rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
      else {
        throw CommandFailure(
          options:
            "--key-set needs an https:// address such as https://id.example.com/jwks.json, found \(text)")
      }
    }
    if !keySet.isEmpty, configuration.realKeys {
      throw CommandFailure(options: "--key-set answers with the development keys: omit --real-keys")
    }
  }
}
