internal import Emulator
internal import Foundation
internal import JSON

/// The functions of a template that this machine runs, each with the program and the configuration that it has here.
///
/// The authorizer is `dist/bootstrap`, the function that signs users in `dist/identity`; any other is a program of `--run`, or
/// echoed. Both of ours get the development keys, and a table that this machine has not becomes a file.
struct ServedFunctions {
  /// In the order in which they are opened.
  let settings: [FunctionSettings]
  /// What is other here than in the template.
  let notes: [String]

  /// Finds them.
  ///
  /// - Parameters:
  ///   - configuration: of the authorizer, as the command line has it.
  ///   - folder: the template's.
  /// - Throws: `CommandFailure` for two authorizers, a program that is missing, or a configuration that is none.
  init(
    _ command: ServeCommand, _ template: GatewayTemplate, _ configuration: FunctionConfiguration,
    in folder: String
  ) throws(CommandFailure) {
    var settings: [FunctionSettings] = []
    var store = LocalStore(inherited: ProcessInfo.processInfo.environment)
    for name in try Self.authorizers(command, template) {
      guard let function = template.functions[name] else { continue }
      let start = try command.options.command(for: configuration)
      var one = Self.settings(function, start, command)
      try Self.trustDevelopmentKeys(&one.variables, command)
      var readsTable = false
      try Self.adapt(&one.variables, "AUTHORIZER_CONFIG", command) { tree, keySet in
        if tree["revocation"]?["dynamoDB"] != nil { readsTable = true }
        return store.adapt(
          authorizer: keySet.map { FunctionConfiguration.withKeys(tree, keySet: $0) } ?? tree)
      }
      if readsTable { one.variables.merge(store.variables) { _, local in local } }
      settings.append(one)
    }
    for name in template.functions.keys.sorted() where command.commands[name] == nil {
      guard let function = template.functions[name], function.signsIn else { continue }
      settings.append(try Self.identity(function, command, folder, &store))
    }
    for name in command.commands.keys.sorted() {
      guard let function = template.functions[name], let text = command.commands[name] else { continue }
      settings.append(Self.settings(function, Self.shell(text), command))
    }
    self.settings = settings
    notes = store.notes
  }

  /// The functions behind authorizers that no `--run` names; of several none can be chosen.
  private static func authorizers(
    _ command: ServeCommand, _ template: GatewayTemplate
  ) throws(CommandFailure) -> [String] {
    let authorizers = template.authorizerFunctions.filter { command.commands[$0] == nil }
    guard authorizers.count <= 1 else {
      throw CommandFailure(
        .usage,
        "the template has \(authorizers.count) authorizer functions: \(authorizers.joined(separator: ", "))",
        hint: "say with --run FUNCTION=COMMAND which program each of them is")
    }
    return authorizers
  }

  private static func settings(
    _ function: TemplateFunction, _ start: FunctionCommand, _ command: ServeCommand
  ) -> FunctionSettings {
    var variables = start.environment.filter {
      $0.key.hasPrefix("AUTHORIZER_") || $0.key == "LAMBDA_TASK_ROOT"
    }
    // A configuration of the command line stands for all that the template says about issuers.
    let isConfigured = variables["AUTHORIZER_CONFIG"] != nil
    let inTemplate = function.variables.filter { name, _ in !(isConfigured && shortForm.contains(name)) }
    variables.merge(inTemplate) { given, _ in given }
    var settings = FunctionSettings(
      name: function.name, executable: start.executable, arguments: start.arguments,
      taskRoot: start.environment["LAMBDA_TASK_ROOT"] ?? FileSystem.currentDirectory, variables: variables)
    settings.timeoutMilliseconds = function.timeoutMilliseconds
    settings.concurrency = command.concurrency
    return settings
  }

  private static let shortForm: Set = ["AUTHORIZER_ISSUER", "AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS"]

  /// The short form of a template, with the development keys; keys that `--env` gives stay.
  private static func trustDevelopmentKeys(
    _ variables: inout [String: String], _ command: ServeCommand
  ) throws(CommandFailure) {
    let options = command.options.configuration
    guard !options.realKeys, options.variables["AUTHORIZER_KEYS"] == nil,
      variables["AUTHORIZER_CONFIG"] == nil, variables["AUTHORIZER_ISSUER"] != nil
    else { return }
    variables["AUTHORIZER_KEYS"] = try DevelopmentKeySet.existingPath()
  }

  private static func shell(_ text: String) -> FunctionCommand {
    FunctionCommand(
      shell: text,
      environment: LambdaVariables.all(
        taskRoot: FileSystem.currentDirectory, inherited: ProcessInfo.processInfo.environment))
  }

  // MARK: Sign-in

  private static func identity(
    _ function: TemplateFunction, _ command: ServeCommand, _ folder: String, _ store: inout LocalStore
  ) throws(CommandFailure) -> FunctionSettings {
    guard let program = FileSystem.nearest("dist/identity", from: FileSystem.currentDirectory) else {
      throw CommandFailure(
        .unavailable, "dist/identity is not there, and \(function.name) needs it",
        hint: "make bootstrap builds it; --run \(function.name)=COMMAND runs something else")
    }
    var variables = function.variables
    if !command.options.configuration.realKeys { variables["AUTHORIZER_DEVELOPMENT"] = "1" }
    var root = folder
    if variables["IDENTITY_CONFIG"] == nil, let path = FileSystem.nearest("identity.json", from: folder) {
      variables["IDENTITY_CONFIG"] = String(decoding: try FileSystem.bytes(at: path), as: UTF8.self)
      root = FileSystem.directory(of: path)
    }
    var secrets: [String] = []
    try adapt(&variables, "IDENTITY_CONFIG", command) { tree, keySet in
      var tree = tree
      if let keySet {
        tree["keys"] = .object([
          .init(name: "seed", value: .string(keySet)), .init(name: "pinned", value: .boolean(true)),
        ])
      }
      if case .string(let name)? = tree["nonce"]?["secret"]?["environment"] { secrets.append(name) }
      return store.adapt(identity: tree)
    }
    for name in secrets where variables[name].map({ $0.isEmpty || $0.hasPrefix("{{resolve:") }) ?? true {
      variables[name] = localSecret
    }
    variables.merge(store.variables) { _, local in local }
    variables.merge(command.options.configuration.variables) { $1 }
    var settings = FunctionSettings(
      name: function.name, executable: program, taskRoot: root, variables: variables)
    settings.timeoutMilliseconds = function.timeoutMilliseconds
    settings.concurrency = command.concurrency
    return settings
  }

  /// In the place of a secret that only the cloud can look up: 64 hexadecimal digits, others for each start of `serve`.
  private static let localSecret = (0..<32).map { _ in
    let byte = UInt8.random(in: 0...255)
    return (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }.joined()

  // MARK: Configuration

  /// Changes a configuration that stands in a variable as JSON; a path and what is no JSON is left to the function, which
  /// says what is wrong with it.
  ///
  /// - Parameter change: gets the path of the development key set, or `nil` where the real keys stay.
  private static func adapt(
    _ variables: inout [String: String], _ name: String, _ command: ServeCommand,
    _ change: (JSONTree, _ keySet: String?) -> JSONTree
  ) throws(CommandFailure) {
    guard let text = variables[name], let tree = try? JSONTree(parsing: Array(text.utf8)),
      case .object = tree
    else { return }
    let keySet =
      command.options.configuration.realKeys ? nil : try DevelopmentKeySet.existingPath()
    variables[name] = String(decoding: change(tree, keySet).bytes(), as: UTF8.self)
  }
}
