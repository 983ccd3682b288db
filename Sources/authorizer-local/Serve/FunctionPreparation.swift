internal import DeploymentChecks
internal import GatewayModel
internal import LambdaEmulator
internal import Templates
internal import Text
internal import JSON

/// Prepares the functions of a template for processes of this machine. They share the local store and its secrets.
struct FunctionPreparation {
  let options: ServeOptions
  let machine: Machine
  let folder: String
  private var store: LocalStore
  private var secrets: LocalSecrets

  init(_ options: ServeOptions, in folder: String, on machine: Machine) {
    self.options = options
    self.machine = machine
    self.folder = folder
    store = LocalStore(on: machine)
    secrets = LocalSecrets(machine.files)
  }

  var chosen: ConfigurationOptions { options.function.configuration }

  /// What replaces parts of the deployment, as notes for the user.
  var notes: [String] { store.notes + secrets.notes }

  /// Returns the settings of another function, which runs the user's command.
  func program(
    _ function: TemplateFunction, command text: String
  ) throws(CommandFailure) -> FunctionSettings {
    var settings = try settings(
      function,
      FunctionCommand(
        shell: text,
        environment: LambdaVariables.all(
          taskRoot: machine.files.currentDirectory, inherited: machine.environment)),
      variables: variables(of: function, for: .program).kept)
    for name in function.variables.keys {
      if let value = chosen.variables[name] { settings.variables[name] = value }
    }
    return settings
  }

  /// Returns the variables of the template that a program gets.
  func variables(
    of function: TemplateFunction, for receiver: TemplateVariables.Receiver
  ) -> TemplateVariables {
    TemplateVariables(function.variables, for: receiver, isTrusted: options.trustsVariables)
  }

  /// Returns a note about the template variables that a program does not get.
  func notes(_ function: TemplateFunction, for receiver: TemplateVariables.Receiver) -> [String] {
    variables(of: function, for: receiver).notes(
      for: function.name, besides: Set(secrets.renamed).union(chosen.variables.keys))
  }

  /// Returns the settings of the authorizer.
  ///
  /// - Parameter configuration: its configuration from the command line.
  mutating func authorizer(
    _ function: TemplateFunction, _ configuration: FunctionConfiguration
  ) throws(CommandFailure) -> FunctionSettings {
    let start = try options.function.command(for: configuration, on: machine)
    var settings = try settings(
      function, start, variables: variables(of: function, for: .shippedFunction).kept)
    settings.variables.merge(chosen.variables) { $1 }
    try trustDevelopmentKeys(&settings.variables)
    let isOwn =
      chosen.config != nil
      || [chosen.variables, machine.environment].contains { $0["AUTHORIZER_CONFIG"] != nil }
    guard
      var served = try ServedConfiguration(
        settings.variables["AUTHORIZER_CONFIG"], "AUTHORIZER_CONFIG of \(function.name)", isOwn: isOwn,
        taskRoot: settings.variables["LAMBDA_TASK_ROOT"] ?? settings.taskRoot,
        folders: folders(of: function), on: machine)
    else {
      try confineKeys(&settings, function)
      return settings
    }
    let usesTable = ShippedFunction.authorizer.needsTable(served.tree)
    if !chosen.realKeys {
      let keySet = try machine.development.keySetPath()
      served.change { FunctionConfiguration.withKeys($0, keySet: keySet) }
    }
    served.change { store.adapt(authorizer: $0) }
    try store.createRevocations(for: served.tree, machine.files)
    settings.variables["AUTHORIZER_CONFIG"] = try served.text(fetches: chosen.realKeys)
    settings.taskRoot = served.folder.path
    settings.variables["LAMBDA_TASK_ROOT"] = served.folder.path
    if usesTable { settings.variables.merge(store.variables) { _, local in local } }
    secrets.resolve(
      &settings.variables, of: "AUTHORIZER_CONFIG", inTemplate: function.variables, given: chosen.variables,
      in: settings.taskRoot)
    return settings
  }

  /// Returns the folders that a path in a template's variable may refer to: the function's code and the template's
  /// folder.
  private func folders(of function: TemplateFunction) -> [String] {
    guard let code = function.code, case .missing = ConfinedFolder(folder).place(of: code),
      machine.files.isDirectory(folder + "/" + code)
    else { return [folder] }
    return [folder + "/" + code, folder]
  }

  /// Checks the key file of the short form if the real keys are used.
  private func confineKeys(
    _ settings: inout FunctionSettings, _ function: TemplateFunction
  ) throws(CommandFailure) {
    guard let keys = settings.variables["AUTHORIZER_KEYS"], keys == function.variables["AUTHORIZER_KEYS"],
      !keys.containsBytes(of: "://"), chosen.realKeys
    else { return }
    guard case .outside = ConfinedFolder(settings.taskRoot).place(of: keys) else { return }
    throw CommandFailure(
      .usage,
      "AUTHORIZER_KEYS of \(function.name) names \(Printable.text(keys)), which is outside of \(settings.taskRoot)",
      hint:
        "serve reads only files in the template's folder; use --env AUTHORIZER_KEYS=FILE for a file of your own"
    )
  }

  private func settings(
    _ function: TemplateFunction, _ start: FunctionCommand, variables inTemplate: [String: String]
  ) throws(CommandFailure) -> FunctionSettings {
    var variables = start.environment.filter {
      $0.key.hasBytePrefix("AUTHORIZER_") || $0.key == "LAMBDA_TASK_ROOT"
    }
    // A configuration of the command line overrides the template's issuer variables.
    let isConfigured = variables["AUTHORIZER_CONFIG"] != nil
    let others = inTemplate.filter { name, _ in !(isConfigured && LocalSource.shortForm.contains(name)) }
    variables.merge(others) { given, _ in given }
    var settings = FunctionSettings(
      name: function.name, executable: start.executable, arguments: start.arguments,
      taskRoot: start.environment["LAMBDA_TASK_ROOT"] ?? machine.files.currentDirectory, variables: variables)
    try limit(&settings, function)
    return settings
  }

  /// Sets the limits of the template and of the command line.
  func limit(
    _ settings: inout FunctionSettings, _ function: TemplateFunction
  ) throws(CommandFailure) {
    let inTemplate = try machine.timeouts.milliseconds(function.timeoutMilliseconds)
    settings.timeoutMilliseconds = options.function.timeoutMilliseconds ?? inTemplate
    settings.memoryMegabytes = options.function.memoryMegabytes ?? settings.memoryMegabytes
    settings.initializationMilliseconds = try machine.timeouts.milliseconds(
      settings.initializationMilliseconds)
    settings.concurrency = options.concurrency
    settings.isTenantIsolated = function.isTenantIsolated
  }

  /// Uses the development keys in a template's short form, unless `--env` sets other keys.
  private func trustDevelopmentKeys(_ variables: inout [String: String]) throws(CommandFailure) {
    guard !chosen.realKeys, chosen.variables["AUTHORIZER_KEYS"] == nil,
      variables["AUTHORIZER_CONFIG"] == nil, variables["AUTHORIZER_ISSUER"] != nil
    else { return }
    variables["AUTHORIZER_KEYS"] = try machine.development.keySetPath()
  }

  // MARK: Sign-in

  mutating func identity(_ function: TemplateFunction) throws(CommandFailure) -> FunctionSettings {
    guard let program = machine.installation.program("identity") else {
      throw machine.installation.missing(
        "identity", neededBy: function.name,
        orElse: "run another program with --run \(ShellWord.assignment(function.name, "COMMAND"))")
    }
    try ForeignProgram.refuse(program, as: program) {
      "build it with make bootstrap, or run it in an emulator: --template-variables --run "
        + ShellWord.assignment(function.name, "\($0) \(ShellWord.path(program, or: "FILE"))")
    }
    var variables = variables(of: function, for: .shippedFunction).kept
    if !chosen.realKeys { variables["AUTHORIZER_DEVELOPMENT"] = "1" }
    var root = folder
    let own = chosen.variables["IDENTITY_CONFIG"]
    if let own {
      variables["IDENTITY_CONFIG"] = own
    } else if variables["IDENTITY_CONFIG"] == nil,
      let path = machine.files.nearest("identity.json", from: folder)
    {
      variables["IDENTITY_CONFIG"] = String(decoding: try machine.files.bytes(at: path), as: UTF8.self)
      root = machine.files.directory(of: path)
    }
    if var served = try ServedConfiguration(
      variables["IDENTITY_CONFIG"], "IDENTITY_CONFIG of \(function.name)", isOwn: own != nil, taskRoot: root,
      folders: folders(of: function), on: machine)
    {
      if !chosen.realKeys {
        let keySet = try machine.development.keySetPath()
        served.change { tree in
          let keys = JSONTree.members(["seed": .string(keySet), "pinned": .boolean(true)])
          var tree = tree
          if tree["audiences"] != nil { tree["keys"] = keys }
          return tree.changingObjects(of: "receivers") { $0["keys"] = keys }
        }
      }
      served.change { store.adapt(identity: $0) }
      variables["IDENTITY_CONFIG"] = try served.text(fetches: chosen.realKeys)
      root = served.folder.path
    }
    secrets.resolve(
      &variables, of: "IDENTITY_CONFIG", inTemplate: function.variables, given: chosen.variables, in: root)
    variables.merge(store.variables) { _, local in local }
    variables.merge(chosen.variables.filter { $0.key != "IDENTITY_CONFIG" }) { $1 }
    var settings = FunctionSettings(
      name: function.name, executable: program, taskRoot: root, variables: variables)
    try limit(&settings, function)
    return settings
  }
}
