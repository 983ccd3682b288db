internal import AuthorizerContract
internal import LambdaEmulator
internal import Templates
internal import Text
internal import JSON

/// The event for the trial start of a packaged function. Its tokens are signed.
struct StartingEvent: Sendable {
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
///
/// Each run throws `CommandExit` if the function does not answer as expected.
struct PackageTrial {
  let archive: String
  /// Starts the program; `nil` to start it directly.
  let emulator: EmulatorCommand?
  let machine: Machine

  private static let own = "with its own configuration"

  /// Starts an authorizer.
  ///
  /// - Parameter start: an event with a valid token.
  func authorizer(_ configuration: PackagedConfiguration, _ start: StartingEvent) async throws {
    let variables =
      try start.variables
      ?? EventSource(options: FunctionOptions(zip: archive), machine: machine)
      .configuration(for: start.path).variables
    try await send(start, variables, "with development keys", expecting: .allowed)
    guard configuration.isThere else { return }
    try await send(Self.noToken, configuration.standIns, Self.own, expecting: .unauthorized)
  }

  /// Starts an identity function.
  ///
  /// - Parameter start: an API Gateway request event; `nil` for a request for a nonce.
  func identity(_ configuration: PackagedConfiguration, _ start: StartingEvent?) async throws {
    let start = start ?? Self.nonceRequest
    let status = { (bytes: [UInt8]) -> String? in
      let status = (try? JSONTree(parsing: bytes))?.integer("statusCode") ?? 500
      return status < 500 ? "returned \(status)" : nil
    }
    try await send(start, try identityVariables(), "with development keys", status)
    guard configuration.isThere else { return }
    // SQLite would create a database on this machine, at the path of the deployment.
    guard configuration.table != nil else {
      return machine.terminal.answer(
        "not started with its own configuration, which would store users on this machine's disk")
    }
    try await send(start, configuration.standIns, Self.own, status)
  }

  /// Starts a function of another kind. It passes with any answer.
  func other(_ start: StartingEvent) async throws {
    try await send(start, [:], Self.own) { "was answered, \($0.count) bytes" }
  }

  /// An event that is refused for its form, so that no key is needed or fetched.
  private static let noToken = StartingEvent(
    path: "an event without a valid token",
    bytes: Array(
      """
      {"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/prod/GET/me",\
      "authorizationToken":"Bearer none"}
      """.utf8))

  /// A request that needs no key and no table.
  private static let nonceRequest = StartingEvent(
    path: "POST /auth/nonce",
    bytes: Array(
      """
      {"version":"2.0","routeKey":"POST /auth/nonce","rawPath":"/auth/nonce","headers":{},"requestContext":\
      {"http":{"method":"POST","path":"/auth/nonce"},"stage":"$default"},"isBase64Encoded":false}
      """.utf8))

  /// Returns a configuration that issues nonces and stores users in the package's folder, which is removed
  /// afterwards.
  private func identityVariables() throws(CommandFailure) -> [String: String] {
    let secret = "IDENTITY_NONCE_SECRET"
    let configuration = JSONTree.members([
      "audiences": .array([.string("com.example.app")]),
      "keys": .members([
        "seed": .string(try machine.development.keySetPath()), "pinned": .boolean(true),
      ]),
      "nonce": .members(["secret": .members(["environment": .string(secret)])]),
      "store": .members(["sqlite": .members(["path": .string("identity.sqlite3")])]),
    ])
    return [
      "AUTHORIZER_DEVELOPMENT": "1", secret: LocalSecrets.secret,
      ShippedFunction.identity.variable: String(decoding: configuration.bytes(), as: UTF8.self),
    ]
  }

  private func send(
    _ event: StartingEvent, _ variables: [String: String], _ circumstance: String, expecting outcome: Outcome
  ) async throws {
    let found = try await self.outcome(of: event, variables)
    let reason = found.result.decision?.reason.map { " (\($0))" } ?? ""
    guard found.evaluation.outcome == outcome else {
      try fail(
        found, circumstance,
        "was \(found.evaluation.outcome.rawValue)\(reason), not \(outcome.rawValue)")
    }
    pass(found, circumstance, "is \(outcome.rawValue)\(reason)")
  }

  /// - Parameter words: what is said about a response; `nil` for one that is not as expected.
  private func send(
    _ event: StartingEvent, _ variables: [String: String], _ circumstance: String,
    _ words: ([UInt8]) -> String?
  ) async throws {
    let found = try await outcome(of: event, variables)
    guard case .response(let bytes) = found.result.answer, let words = words(bytes) else {
      try fail(found, circumstance, "was not answered")
    }
    pass(found, circumstance, words)
  }

  private func pass(_ found: EventOutcome, _ circumstance: String, _ words: String) {
    machine.terminal.answer(
      "started \(circumstance): \(found.event.name) \(words), \(found.result.microseconds) µs")
  }

  private func fail(_ found: EventOutcome, _ circumstance: String, _ words: String) throws -> Never {
    found.showLog(on: machine.terminal)
    machine.terminal.error(
      "started \(circumstance), but \(found.event.name) \(words)", hint: found.evaluation.explanation)
    throw found.exitWhenUnmet
  }

  /// Sends one event to the function, with these variables and those of Lambda.
  private func outcome(of event: StartingEvent, _ variables: [String: String]) async throws -> EventOutcome {
    let folder = try FunctionPackage.folder(of: archive, machine.files)
    // The emulator is found as the user finds it.
    let inherited = emulator == nil ? [:] : machine.environment.filter { $0.key == "PATH" }
    // Lambda starts the function in the folder of its code.
    let command = FunctionCommand(
      executable: "/bin/sh",
      arguments: ["-c", #"cd "$LAMBDA_TASK_ROOT" && exec \#(emulator?.prefix ?? "")./bootstrap"#],
      environment: LambdaVariables.all(taskRoot: folder, inherited: inherited).merging(variables) { $1 })
    let result = try await ExecutionEnvironment.run(
      command, limits: try machine.timeouts.limits(), clock: try machine.timeouts.clock(),
      logger: .criticalOnly, onLine: nil
    ) { await $0.invoke(event: event.bytes) }
    return EventOutcome(
      event: PreparedEvent(
        name: event.path, bytes: event.bytes,
        configuration: FunctionConfiguration(variables: variables, taskRoot: folder)),
      result: result, evaluation: Evaluation(of: result.answer, to: event.bytes, at: machine.now()))
  }
}
