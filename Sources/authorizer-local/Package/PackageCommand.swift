internal import ArgumentParser
internal import Authorizer
internal import Emulator
internal import Foundation
internal import JSON

struct PackageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "package",
    abstract: "Packs a function for Lambda, checks the package and starts the packed function.",
    discussion: """
      Writes OUTPUT/NAME-ARCHITECTURE.zip with bootstrap, fetch-keys, the configuration and the files that it names; \
      also call-dynamodb, unless the configuration names no table. The same files give the same bytes. A program \
      that provided.al2023 cannot start is refused, and nothing is written.

      --name identity packs the identity function and starts it too. Any other name packs another function with \
      call-dynamodb. Its configuration is packed as NAME.json and is not read. It is started only with --event, and \
      must answer.

      A program for another processor is started with --run-with: the command line that the packed program is \
      appended to. make package ARCH=arm64 gives it.

      Examples:
        make package AUTHORIZER_CONFIG_FILE=deploy/authorizer.json
        make package ARCH=arm64
        make package-identity
        authorizer-local package --name identity --config deploy/identity.json

      Exit codes: 0 packed and started, 1 refused, 2 or 3 the function failed or died when started.
      """)

  @Option(
    help: ArgumentHelp("Name of the function, its ZIP file and its configuration.", valueName: "name"))
  var name = "authorizer"

  @Option(
    help: ArgumentHelp(
      "Program of the function, packed as bootstrap. Default: bootstrap, or identity with --name identity.",
      valueName: "file"))
  var bootstrap: String?

  @Option(help: ArgumentHelp("Program that fetches keys. Default: fetch-keys.", valueName: "file"))
  var fetchKeys: String?

  @Option(
    name: .customLong("call-dynamodb"),
    help: ArgumentHelp("Program that calls DynamoDB. Default: call-dynamodb.", valueName: "file"))
  var callDynamoDB: String?

  @Option(
    help: ArgumentHelp(
      "Configuration, packed as NAME.json. Without it, variables configure the function.", valueName: "file")
  )
  var config: String?

  @Option(help: ArgumentHelp("Folder of key sets, packed as keys.", valueName: "folder"))
  var keys: String?

  @Option(help: ArgumentHelp("Folder for the package.", valueName: "folder"))
  var output = "dist"

  @Option(
    help: ArgumentHelp(
      "Event for the packed function. Default for the authorizer: \(authorizerEvent), else a built-in event.",
      valueName: "event.json"))
  var event: String?

  @Option(
    help: ArgumentHelp(
      "Command that starts the packed program: an emulator for a program of another processor.",
      valueName: "command"))
  var runWith: String?

  private static let authorizerEvent = "events/rest-token-good.json"

  /// The function of this project with this name; `nil` for another function.
  var shipped: ShippedFunction? { ShippedFunction(rawValue: name) }

  /// Returns the path of the function's program.
  func program() throws(CommandFailure) -> String {
    try Self.path(of: shipped == .identity ? "identity" : "bootstrap", given: bootstrap, by: "--bootstrap")
  }

  /// Returns the path of a program: the given one, or that of this release.
  static func path(
    of name: String, given: String?, by option: String
  ) throws(CommandFailure) -> String {
    if let path = given ?? Installation.program(name) { return path }
    throw Installation.missing(name, orElse: "give its path with \(option) FILE")
  }

  func validate() throws {
    let isName = name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D }
    guard isName, 1...64 ~= name.utf8.count else {
      throw ValidationError("--name must be 1 to 64 lowercase letters, digits and hyphens")
    }
    if let runWith, runWith.allSatisfy(\.isWhitespace) {
      throw ValidationError("--run-with needs a command, such as qemu-aarch64-static")
    }
  }

  func run() async throws {
    let contents = try PackageContents(self)
    let programs = try contents.programs()
    let configuration = shipped.map {
      PackagedConfiguration(function: $0, package: contents.package, variables: [:])
    }
    if let configuration, configuration.isThere { try check(configuration) }
    let start = try startingEvent()
    if runWith == nil, shipped != nil || start != nil {
      let program = try program()
      try ForeignProgram.refuse(program, as: program) {
        "nothing was written; start it in an emulator: --run-with \($0)"
      }
    }
    let archive = contents.package.archive
    guard archive.count <= PackageBudget.limitBytes else {
      throw CommandFailure(
        .unmet, "the package has \(archive.count) bytes, more than \(PackageBudget.limitBytes)",
        hint: "the programs need 3 to 4 MB; remove other large files")
    }
    let path = "\(output)/\(name)-\(programs.architecture).zip"
    try FileSystem.write(archive, to: path)
    Terminal.answer("\(path): \(PackageBudget.text(archive.count))")
    for file in contents.package.files {
      let mode = String(file.permissions, radix: 8)
      Terminal.answer(Printable.text("  \(mode) \(file.bytes.count) \(file.path)"))
    }
    programs.lines.forEach { Terminal.answer($0) }
    let emulator = runWith.map(EmulatorCommand.init)
    guard let configuration else {
      guard let start else { return Terminal.answer("not started: give an event with --event") }
      return try await PackageTrial(archive: path, start: start, emulator: emulator).runOther()
    }
    if !configuration.isThere {
      let variables = configuration.function.configuringVariables.reversed().joined(separator: " or ")
      Terminal.answer("configuration: none in the package; set \(variables)")
      warnOfUnpackedFile(configuration.function.fileName)
    }
    switch configuration.function {
    case .authorizer:
      if let start {
        try await PackageTrial(archive: path, start: start, emulator: emulator).run(configuration)
      }
    case .identity:
      try await IdentityTrial(archive: path, start: start, emulator: emulator).run(configuration)
    }
  }

  /// Warns if there is a configuration that was probably meant to be packed.
  private func warnOfUnpackedFile(_ name: String) {
    let here = FileSystem.currentDirectory
    guard
      let path = FileSystem.nearest("template/" + name, from: here) ?? FileSystem.nearest(name, from: here)
    else { return }
    let shown = path.hasPrefix(here + "/") ? String(path.dropFirst(here.count + 1)) : path
    Terminal.note("warning: the package has no configuration, although \(shown) exists")
    Terminal.note("hint: pack it with --config \(shown)")
  }

  /// Returns the event that the function is started with, read before anything is written; `nil` without one.
  private func startingEvent() throws -> StartingEvent? {
    guard let path = event ?? (shipped == .authorizer ? Self.authorizerEvent : nil) else { return nil }
    guard event != nil || FileSystem.exists(path) else { return try StartingEvent.builtIn() }
    let bytes = try FileSystem.bytes(at: path, limit: JSONLimits.event.bytes)
    guard shipped == .authorizer else { return StartingEvent(path: path, bytes: bytes) }
    let rendered = try EventTokens(given: nil).rendered(
      bytes, name: path, directory: FileSystem.directory(of: path))
    return StartingEvent(path: path, bytes: rendered.bytes)
  }

  private func check(_ configuration: PackagedConfiguration) throws(CommandFailure) {
    do throws(ConfigurationError) {
      switch configuration.function {
      case .authorizer:
        for warning in try configuration.settings().warnings {
          Terminal.note("warning: \(warning.description)")
        }
      case .identity: _ = try configuration.identitySettings()
      }
    } catch {
      let name = config ?? configuration.function.fileName
      let isOthers =
        configuration.function == .authorizer && name.hasSuffix(ShippedFunction.identity.fileName)
      throw CommandFailure(
        .unmet, "the function would not start with \(name)\n\(error.description)",
        hint: isOthers
          ? "this configures the identity function; pack it with --name identity"
          : "authorizer-local config check reports the same problems")
    }
  }
}

/// Size limits of a package.
enum PackageBudget {
  /// 5 MiB: our own limit, because the package size adds to a cold start.
  static let limitBytes = 5 << 20
  /// 4 MiB.
  static let aimBytes = 4 << 20

  static func text(_ bytes: Int) -> String {
    let hundredths = (bytes * 100 + 1 << 19) >> 20
    let fraction = hundredths % 100
    return "\(bytes) bytes, \(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) MiB "
      + "(target \(aimBytes >> 20), limit \(limitBytes >> 20))"
  }
}
