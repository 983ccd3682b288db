internal import GatewayModel
internal import DeploymentChecks
internal import Templates
internal import Text
internal import Authorizer
internal import FunctionHost
internal import JSON

/// One run of `package`: packs a function, checks the package and starts the packed function.
struct PackageRun {
  let command: PackageCommand
  let machine: Machine

  /// - Throws: `CommandFailure` if nothing was packed, and `CommandExit` if the packed function does not answer as
  ///   expected.
  func run() async throws {
    try machine.files.refuseLinks(to: command.output)
    let contents = try PackageContents(command, on: machine)
    let programs = try contents.programs()
    let configuration = command.shipped.map {
      PackagedConfiguration(function: $0, package: contents.package, variables: [:])
    }
    if let configuration, configuration.isThere { try check(configuration) }
    let start = try startingEvent()
    if command.runWith == nil, command.shipped != nil || start != nil {
      let program = try command.program(on: machine)
      try ForeignProgram.refuse(program, as: program) {
        "nothing was written; start it in an emulator: --run-with \(ShellWord.quoted($0, or: "COMMAND"))"
      }
    }
    let archive = contents.package.archive
    guard archive.count <= PackageBudget.limitBytes else {
      throw CommandFailure(
        .unmet, "the package has \(archive.count) bytes, more than \(PackageBudget.limitBytes)",
        hint: "the programs need 3 to 4 MB; remove other large files")
    }
    let path = "\(command.output)/\(command.name)-\(programs.machine?.rawValue ?? "").zip"
    try machine.files.write(archive, to: path)
    machine.terminal.answer("\(path): \(PackageBudget.text(archive.count))")
    for file in contents.package.files {
      let mode = String(file.permissions, radix: 8)
      machine.terminal.answer(Printable.text("  \(mode) \(file.bytes.count) \(file.path)"))
    }
    programs.facts.forEach { machine.terminal.answer(Printable.text("\($0.name): \($0.value)")) }
    let trial = PackageTrial(
      archive: path, emulator: command.runWith.map { EmulatorCommand($0, machine.files) }, machine: machine)
    guard let configuration else {
      guard let start else { return machine.terminal.answer("not started: give an event with --event") }
      return try await trial.other(start)
    }
    if !configuration.isThere {
      let variables = configuration.function.configuringVariables.reversed().joined(separator: " or ")
      machine.terminal.answer("configuration: none in the package; set \(variables)")
      warnOfUnpackedFile(configuration.function.fileName)
    }
    switch configuration.function {
    case .authorizer: if let start { try await trial.authorizer(configuration, start) }
    case .identity: try await trial.identity(configuration, start)
    }
  }

  /// Warns if there is a configuration that was probably meant to be packed.
  private func warnOfUnpackedFile(_ name: String) {
    let here = machine.files.currentDirectory
    guard
      let path = machine.files.nearest("template/" + name, from: here)
        ?? machine.files.nearest(name, from: here)
    else { return }
    let shown = path.hasBytePrefix(here + "/") ? String(path.dropFirst(bytes: here.utf8.count + 1)) : path
    machine.terminal.note("warning: the package has no configuration, although \(shown) exists")
    machine.terminal.note("hint: pack it with --config \(ShellWord.path(shown, or: "FILE"))")
  }

  /// Returns the event that the function is started with, read before anything is written; `nil` without one.
  private func startingEvent() throws -> StartingEvent? {
    let isAuthorizer = command.shipped == .authorizer
    guard let path = command.event ?? (isAuthorizer ? PackageCommand.authorizerEvent : nil) else {
      return nil
    }
    guard command.event != nil || machine.files.exists(path) else {
      return try StartingEvent.builtIn(on: machine)
    }
    let bytes = try machine.files.bytes(at: path, limit: JSONLimits.event.bytes)
    guard isAuthorizer else { return StartingEvent(path: path, bytes: bytes) }
    let rendered = try EventTokens(given: TokenSource(signsUnsentClaims: true), machine: machine).rendered(
      bytes, name: path, directory: machine.files.directory(of: path))
    return StartingEvent(path: path, bytes: rendered.bytes)
  }

  private func check(_ configuration: PackagedConfiguration) throws(CommandFailure) {
    do throws(ConfigurationError) {
      switch configuration.function {
      case .authorizer:
        for warning in try configuration.settings().warnings {
          machine.terminal.note("warning: \(warning.description)")
        }
      case .identity: _ = try configuration.identitySettings()
      }
    } catch {
      let name = command.config ?? configuration.function.fileName
      let isOthers =
        configuration.function == .authorizer && name.hasByteSuffix(ShippedFunction.identity.fileName)
      throw CommandFailure(
        .unmet, "the function would not start with \(name)\n\(error.description)",
        hint: isOthers
          ? "this configures the identity function; pack it with --name identity"
          : "authorizer-local config check reports the same problems")
    }
  }
}
