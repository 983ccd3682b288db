internal import ArgumentParser
internal import Authorizer
internal import Emulator
internal import Foundation
internal import JSON

struct PackageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "package",
    abstract: "Packs the function for Lambda, checks the package and starts what is in it.",
    discussion: """
      Writes OUTPUT/NAME-ARCHITECTURE.zip with bootstrap, fetch-keys, the configuration and the files that it names; and \
      call-dynamodb, unless the configuration names no table. The same files give the same bytes. What provided.al2023 could \
      not start is refused, and nothing is written.

      --name identity packs the function that signs users in, which is started too. Another function is packed by its name, with \
      call-dynamodb; its configuration is packed as NAME.json and is not read; it is started where --event is given, and has \
      to answer.

      Examples:
        make package AUTHORIZER_CONFIG_FILE=deploy/authorizer.json
        make package-identity
        authorizer-local package --name identity --config deploy/identity.json

      Exit codes: 0 packed and started, 1 refused, 2 or 3 the function failed or died when it was started.
      """)

  @Option(
    help: ArgumentHelp("The function's name, of its ZIP file and of its configuration.", valueName: "name"))
  var name = "authorizer"

  @Option(
    help: ArgumentHelp(
      "The function, packed as bootstrap. Default: dist/bootstrap, or dist/identity with --name identity.",
      valueName: "file"))
  var bootstrap: String?

  @Option(help: ArgumentHelp("What fetches its keys.", valueName: "file"))
  var fetchKeys = "dist/fetch-keys"

  @Option(
    name: .customLong("call-dynamodb"), help: ArgumentHelp("What asks its table.", valueName: "file"))
  var callDynamoDB = "dist/call-dynamodb"

  @Option(
    help: ArgumentHelp(
      "Its configuration, packed as NAME.json; without one, variables configure it.", valueName: "file")
  )
  var config: String?

  @Option(help: ArgumentHelp("A folder that is packed as keys.", valueName: "folder"))
  var keys: String?

  @Option(help: ArgumentHelp("The folder for the package.", valueName: "folder"))
  var output = "dist"

  @Option(
    help: ArgumentHelp(
      "The event that the packed function is started with. Default of the authorizer: \(authorizerEvent)",
      valueName: "event.json"))
  var event: String?

  private static let authorizerEvent = "events/rest-token-good.json"

  /// Which of the project's functions it is.
  var shipped: ShippedFunction? { ShippedFunction(rawValue: name) }

  /// Its program.
  var program: String { bootstrap ?? (shipped == .identity ? "dist/identity" : "dist/bootstrap") }

  func validate() throws {
    let isName = name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D }
    guard isName, 1...64 ~= name.utf8.count else {
      throw ValidationError("--name: small letters, digits and hyphens are needed, 64 at most")
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
    let archive = contents.package.archive
    guard archive.count <= PackageBudget.limitBytes else {
      throw CommandFailure(
        .unmet, "the package has \(archive.count) bytes, more than \(PackageBudget.limitBytes)",
        hint: "the programs take 3 to 4 MB: which of its other files is large?")
    }
    let path = "\(output)/\(name)-\(programs.architecture).zip"
    try FileSystem.write(archive, to: path)
    Terminal.answer("\(path): \(PackageBudget.text(archive.count))")
    for file in contents.package.files {
      let mode = String(file.permissions, radix: 8)
      Terminal.answer(Printable.text("  \(mode) \(file.bytes.count) \(file.path)"))
    }
    programs.lines.forEach { Terminal.answer($0) }
    guard let configuration else {
      guard let start else { return Terminal.answer("not started: --event names what it has to answer") }
      return try await PackageTrial(archive: path, start: start).runOther()
    }
    if !configuration.isThere {
      let variables = configuration.function.configuringVariables.reversed().joined(separator: " or ")
      Terminal.answer("configuration: none in the package; \(variables) gives it")
    }
    switch configuration.function {
    case .authorizer:
      if let start { try await PackageTrial(archive: path, start: start).run(configuration) }
    case .identity: try await IdentityTrial(archive: path, start: start).run(configuration)
    }
  }

  /// Returns the event that the function is started with, read before anything is written; `nil` without one.
  private func startingEvent() throws(CommandFailure) -> StartingEvent? {
    guard let path = event ?? (shipped == .authorizer ? Self.authorizerEvent : nil) else { return nil }
    guard event != nil || FileSystem.exists(path) else {
      throw CommandFailure(
        .usage, "no event to start the function with: \(path) does not exist; nothing was written",
        hint: "run package in the root of the checkout, or give an event with a valid token: --event FILE")
    }
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
          ? "--name identity packs the function that signs users in, which this configures"
          : "authorizer-local config check reads it the same way")
    }
  }
}

/// How large a package may be.
enum PackageBudget {
  /// 5 MiB: the package's share of a cold start, as a budget of our own.
  static let limitBytes = 5 << 20
  /// 4 MiB.
  static let aimBytes = 4 << 20

  static func text(_ bytes: Int) -> String {
    let hundredths = (bytes * 100 + 1 << 19) >> 20
    let fraction = hundredths % 100
    return "\(bytes) bytes, \(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) MiB "
      + "(aim \(aimBytes >> 20), limit \(limitBytes >> 20))"
  }
}
