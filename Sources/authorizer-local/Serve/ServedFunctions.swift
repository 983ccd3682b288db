internal import Emulator
internal import Foundation
internal import JSON

/// The functions of a template that this machine runs, each with its program and configuration.
///
/// The authorizer is `bootstrap` and the identity function is `identity`. Any other function is a program of `--run`,
/// or an echo. The project's functions use the development keys; a table that does not exist here is
/// replaced by a file.
struct ServedFunctions {
  /// The functions in the order in which they are opened.
  let settings: [FunctionSettings]
  /// The differences from the template, as notes for the user.
  let notes: [String]

  /// Finds the functions and prepares them.
  ///
  /// - Parameters:
  ///   - configuration: the authorizer's configuration from the command line.
  ///   - folder: the folder of the template.
  /// - Throws: `CommandFailure` for two authorizers, a missing program, or an invalid configuration.
  init(
    _ command: ServeCommand, _ template: GatewayTemplate, _ configuration: FunctionConfiguration,
    in folder: String
  ) throws(CommandFailure) {
    var store = LocalStore(inherited: ProcessInfo.processInfo.environment)
    var secrets = LocalSecrets()
    var notes: [String] = []
    // Prepare them first: they decide which file the authorizer reads.
    var identities: [FunctionSettings] = []
    for name in template.functions.keys.sorted() where command.commands[name] == nil {
      guard let function = template.functions[name], function.signsIn else { continue }
      identities.append(try Self.identity(function, command, folder, &store, &secrets))
      notes += Self.note(function, command)
    }
    var authorizers: [FunctionSettings] = []
    for name in try Self.authorizers(command, template) {
      guard let function = template.functions[name] else { continue }
      authorizers.append(try Self.authorizer(function, command, configuration, folder, &store, &secrets))
      notes += Self.note(function, command)
    }
    var programs: [FunctionSettings] = []
    for name in command.commands.keys.sorted() {
      guard let function = template.functions[name], let text = command.commands[name] else { continue }
      notes += Self.note(function, command)
      // The command is the user's, but the template may be untrusted: its PATH would decide which program runs.
      let given = TemplateVariables(function.variables)
      var settings = try Self.settings(function, Self.shell(text), variables: given.kept, command)
      for name in given.leftOut {
        if let value = command.options.configuration.variables[name] { settings.variables[name] = value }
      }
      programs.append(settings)
    }
    settings = authorizers + identities + programs
    self.notes = notes + store.notes + secrets.notes
  }

  /// Returns a note about the template variables that a program does not receive.
  private static func note(_ function: TemplateFunction, _ command: ServeCommand) -> [String] {
    let given = command.options.configuration.variables
    let leftOut = TemplateVariables(function.variables).leftOut.filter { given[$0] == nil }
    guard !leftOut.isEmpty else { return [] }
    let names = leftOut.map(Printable.text).joined(separator: ", ")
    return [
      "ignored for \(function.name): \(names) (they could make it load or write other files); set them with --env"
    ]
  }

  /// Returns the authorizer functions without a `--run`. More than one is an error, because serve
  /// cannot tell which one is bootstrap.
  private static func authorizers(
    _ command: ServeCommand, _ template: GatewayTemplate
  ) throws(CommandFailure) -> [String] {
    let authorizers = template.authorizerFunctions.filter { command.commands[$0] == nil }
    guard authorizers.count <= 1 else {
      throw CommandFailure(
        .usage,
        "the template has \(authorizers.count) authorizer functions: \(authorizers.joined(separator: ", "))",
        hint: "give the program of each with --run FUNCTION=COMMAND")
    }
    return authorizers
  }

  private static func authorizer(
    _ function: TemplateFunction, _ command: ServeCommand, _ configuration: FunctionConfiguration,
    _ folder: String, _ store: inout LocalStore, _ secrets: inout LocalSecrets
  ) throws(CommandFailure) -> FunctionSettings {
    let options = command.options.configuration
    let start = try command.options.command(for: configuration)
    var settings = try Self.settings(
      function, start, variables: TemplateVariables(function.variables).kept, command)
    settings.variables.merge(options.variables) { $1 }
    try trustDevelopmentKeys(&settings.variables, command)
    let isOwn =
      options.config != nil
      || [options.variables, ProcessInfo.processInfo.environment].contains { $0["AUTHORIZER_CONFIG"] != nil }
    guard
      var served = try ServedConfiguration(
        settings.variables["AUTHORIZER_CONFIG"], "AUTHORIZER_CONFIG of \(function.name)", isOwn: isOwn,
        taskRoot: settings.variables["LAMBDA_TASK_ROOT"] ?? settings.taskRoot,
        folders: folders(of: function, beside: folder))
    else {
      try confineKeys(&settings, function, command, folder)
      return settings
    }
    let readsTable = served.tree["revocation"]?["dynamoDB"] != nil
    if !options.realKeys {
      let keySet = try DevelopmentKeySet.existingPath()
      served.change { FunctionConfiguration.withKeys($0, keySet: keySet) }
    }
    served.change { store.adapt(authorizer: $0) }
    try LocalStore.createRevocations(for: served.tree)
    settings.variables["AUTHORIZER_CONFIG"] = try served.text(fetches: options.realKeys)
    settings.taskRoot = served.folder.path
    settings.variables["LAMBDA_TASK_ROOT"] = served.folder.path
    if readsTable { settings.variables.merge(store.variables) { _, local in local } }
    secrets.resolve(
      &settings.variables, of: "AUTHORIZER_CONFIG", given: options.variables, in: settings.taskRoot)
    return settings
  }

  /// Returns the folders that a path in a template's variable may refer to: the function's code and the template's
  /// folder.
  private static func folders(of function: TemplateFunction, beside folder: String) -> [String] {
    guard let code = function.code, case .missing = ConfinedFolder(folder).place(of: code),
      FileSystem.isDirectory(folder + "/" + code)
    else { return [folder] }
    return [folder + "/" + code, folder]
  }

  /// Checks the key file of the short form if the real keys are used.
  private static func confineKeys(
    _ settings: inout FunctionSettings, _ function: TemplateFunction, _ command: ServeCommand,
    _ folder: String
  ) throws(CommandFailure) {
    guard let keys = settings.variables["AUTHORIZER_KEYS"], keys == function.variables["AUTHORIZER_KEYS"],
      !keys.contains("://"), command.options.configuration.realKeys
    else { return }
    guard case .outside = ConfinedFolder(settings.taskRoot).place(of: keys) else { return }
    throw CommandFailure(
      .usage,
      "AUTHORIZER_KEYS of \(function.name) names \(Printable.text(keys)), which is outside of \(settings.taskRoot)",
      hint:
        "serve reads only files in the template's folder; use --env AUTHORIZER_KEYS=FILE for a file of your own"
    )
  }

  private static func settings(
    _ function: TemplateFunction, _ start: FunctionCommand, variables inTemplate: [String: String],
    _ command: ServeCommand
  ) throws(CommandFailure) -> FunctionSettings {
    var variables = start.environment.filter {
      $0.key.hasPrefix("AUTHORIZER_") || $0.key == "LAMBDA_TASK_ROOT"
    }
    // A configuration of the command line overrides the template's issuer variables.
    let isConfigured = variables["AUTHORIZER_CONFIG"] != nil
    let others = inTemplate.filter { name, _ in !(isConfigured && shortForm.contains(name)) }
    variables.merge(others) { given, _ in given }
    var settings = FunctionSettings(
      name: function.name, executable: start.executable, arguments: start.arguments,
      taskRoot: start.environment["LAMBDA_TASK_ROOT"] ?? FileSystem.currentDirectory, variables: variables)
    try limit(&settings, function, command)
    return settings
  }

  private static func limit(
    _ settings: inout FunctionSettings, _ function: TemplateFunction, _ command: ServeCommand
  ) throws(CommandFailure) {
    let inTemplate = try TimeoutFactor.milliseconds(function.timeoutMilliseconds)
    settings.timeoutMilliseconds = command.options.timeoutMilliseconds ?? inTemplate
    settings.initializationMilliseconds = try TimeoutFactor.milliseconds(settings.initializationMilliseconds)
    settings.concurrency = command.concurrency
  }

  private static let shortForm: Set = ["AUTHORIZER_ISSUER", "AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS"]

  /// Uses the development keys in a template's short form, unless `--env` sets other keys.
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
    _ function: TemplateFunction, _ command: ServeCommand, _ folder: String, _ store: inout LocalStore,
    _ secrets: inout LocalSecrets
  ) throws(CommandFailure) -> FunctionSettings {
    guard let program = Installation.program("identity") else {
      throw Installation.missing(
        "identity", neededBy: function.name,
        orElse: "run another program with --run \(function.name)=COMMAND")
    }
    try ForeignProgram.refuse(program, as: program) {
      "build it with make bootstrap, or run it in an emulator: --run \(function.name)='\($0) \(program)'"
    }
    let options = command.options.configuration
    var variables = TemplateVariables(function.variables).kept
    if !options.realKeys { variables["AUTHORIZER_DEVELOPMENT"] = "1" }
    var root = folder
    let own = options.variables["IDENTITY_CONFIG"]
    if let own {
      variables["IDENTITY_CONFIG"] = own
    } else if variables["IDENTITY_CONFIG"] == nil,
      let path = FileSystem.nearest("identity.json", from: folder)
    {
      variables["IDENTITY_CONFIG"] = String(decoding: try FileSystem.bytes(at: path), as: UTF8.self)
      root = FileSystem.directory(of: path)
    }
    if var served = try ServedConfiguration(
      variables["IDENTITY_CONFIG"], "IDENTITY_CONFIG of \(function.name)", isOwn: own != nil, taskRoot: root,
      folders: folders(of: function, beside: folder))
    {
      if !options.realKeys {
        let keySet = try DevelopmentKeySet.existingPath()
        served.change { tree in
          var tree = tree
          tree["keys"] = .object([
            .init(name: "seed", value: .string(keySet)), .init(name: "pinned", value: .boolean(true)),
          ])
          return tree
        }
      }
      served.change { store.adapt(identity: $0) }
      variables["IDENTITY_CONFIG"] = try served.text(fetches: options.realKeys)
      root = served.folder.path
    }
    secrets.resolve(&variables, of: "IDENTITY_CONFIG", given: options.variables, in: root)
    variables.merge(store.variables) { _, local in local }
    variables.merge(options.variables.filter { $0.key != "IDENTITY_CONFIG" }) { $1 }
    var settings = FunctionSettings(
      name: function.name, executable: program, taskRoot: root, variables: variables)
    try limit(&settings, function, command)
    return settings
  }
}
