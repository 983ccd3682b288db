internal import AuthorizerContract
internal import LambdaEmulator
internal import Templates
internal import Text
internal import JSON

/// The event for the trial start of a packaged function. Its tokens are signed.
struct StartingEvent {
  /// The event's file, or `-` for standard input; a description of the built-in event.
  let path: String
  let bytes: [UInt8]
  /// The variables of the function; `nil` for those of the configuration beside the event's file.
  var variables: [String: String]?

  /// Returns an event with a valid development token, for folders without sample events.
  static func builtIn(on machine: Machine) throws -> StartingEvent {
    let recipe = try BenchTemplates.recipe(.rs256, subject: "package")
    let issuer = JSONTree.members([
      "preset": .string("apple"), "audiences": .array([.string(BenchTemplates.audience)]),
    ])
    let configuration = FunctionConfiguration.withKeys(
      .members(["issuers": .array([issuer])]), keySet: try machine.development.keySetPath())
    return StartingEvent(
      path: "the built-in event",
      bytes: BenchTemplates.fill(
        BenchTemplates.token, token: try TokenFile.token(recipe, on: machine), bytes: nil),
      variables: [
        "AUTHORIZER_DEVELOPMENT": "1",
        ShippedFunction.authorizer.variable: String(decoding: configuration.bytes(), as: UTF8.self),
      ])
  }
}

/// The command line of an emulator.
struct EmulatorCommand {
  /// The text before the program in a shell command.
  let prefix: String

  /// - Parameter text: a command line. A relative path of the emulator itself becomes absolute, because the program
  ///   starts in another folder.
  init(_ text: String, _ files: FileSystem) {
    let name = String(Substring(text.unicodeScalars.prefix { !$0.properties.isWhitespace }))
    let isPath = name.containsBytes(of: "/") && !name.hasBytePrefix("/") && files.exists(name)
    prefix =
      (isPath ? ShellWord.exact(files.absolute(name)) + text.dropFirst(bytes: name.utf8.count) : text) + " "
  }
}

/// Starts a packaged function under a Runtime API, in a folder of its own, without the variables of this environment.
struct PackageTrial {
  let archive: String
  /// An event with a valid token.
  let start: StartingEvent
  /// Starts the program; `nil` to start it directly.
  let emulator: EmulatorCommand?
  let machine: Machine

  /// - Throws: `CommandExit` if the function does not answer as expected.
  func run(_ configuration: PackagedConfiguration) async throws {
    let folder = try FunctionPackage.folder(of: archive, machine.files)
    let variables =
      try start.variables
      ?? EventSource(options: FunctionOptions(zip: archive), machine: machine)
      .configuration(for: start.path).variables
    try await send(
      start.bytes, named: start.path, in: folder, variables, expecting: .allowed, "with development keys")
    guard configuration.isThere else { return }
    try await send(
      Array(Self.noToken.utf8), named: "an event without a valid token", in: folder, configuration.standIns,
      expecting: .unauthorized, "with its own configuration")
  }

  /// Starts a function that is not an authorizer. It passes with any answer.
  ///
  /// - Throws: `CommandExit` if it fails, dies or does not answer.
  func runOther() async throws {
    let folder = try FunctionPackage.folder(of: archive, machine.files)
    try await send(
      start.bytes, named: start.path, in: folder, [:], expecting: nil, "with its own configuration")
  }

  /// An event that is refused for its form, so that no key is needed or fetched.
  private static let noToken = """
    {"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/prod/GET/me",\
    "authorizationToken":"Bearer none"}
    """

  private func send(
    _ body: [UInt8], named name: String, in folder: String, _ variables: [String: String],
    expecting outcome: Outcome?, _ circumstance: String
  ) async throws {
    let found = try await Self.outcome(
      of: body, named: name, in: folder, variables, emulator, on: machine)
    guard let outcome else { return try judge(found, circumstance) }
    let reason = found.result.decision?.reason.map { " (\($0))" } ?? ""
    guard found.evaluation.outcome == outcome else {
      found.showLog(on: machine.terminal)
      machine.terminal.error(
        "started \(circumstance), but \(name) was \(found.evaluation.outcome.rawValue)\(reason), not \(outcome.rawValue)",
        hint: found.evaluation.explanation)
      throw found.exitWhenUnmet
    }
    machine.terminal.answer(
      "started \(circumstance): \(name) is \(outcome.rawValue)\(reason), \(found.result.microseconds) µs")
  }

  /// Sends one event to the function in this folder, with these variables and those of Lambda.
  static func outcome(
    of body: [UInt8], named name: String, in folder: String, _ variables: [String: String],
    _ emulator: EmulatorCommand?, on machine: Machine
  ) async throws -> EventOutcome {
    // The emulator is found as the user finds it.
    let inherited = emulator == nil ? [:] : machine.environment.filter { $0.key == "PATH" }
    let environment = LambdaVariables.all(taskRoot: folder, inherited: inherited).merging(variables) { $1 }
    // Lambda starts the function in the folder of its code.
    let command = FunctionCommand(
      executable: "/bin/sh",
      arguments: ["-c", #"cd "$LAMBDA_TASK_ROOT" && exec \#(emulator?.prefix ?? "")./bootstrap"#],
      environment: environment)
    let result = try await ExecutionEnvironment.run(
      command, limits: try machine.timeouts.limits(), clock: try machine.timeouts.clock(),
      logger: .criticalOnly, onLine: nil
    ) { await $0.invoke(event: body) }
    return EventOutcome(
      event: PreparedEvent(
        name: name, bytes: body, configuration: FunctionConfiguration(variables: variables, taskRoot: folder)),
      result: result, evaluation: Evaluation(of: result.answer, to: body, at: machine.now()))
  }

  private func judge(_ found: EventOutcome, _ circumstance: String) throws {
    guard case .response(let bytes) = found.result.answer else {
      found.showLog(on: machine.terminal)
      machine.terminal.error(
        "started \(circumstance), but \(found.event.name) was not answered",
        hint: found.evaluation.explanation)
      throw found.exitWhenUnmet
    }
    machine.terminal.answer(
      "started \(circumstance): \(found.event.name) was answered, \(bytes.count) bytes, \(found.result.microseconds) µs"
    )
  }
}
