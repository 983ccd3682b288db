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
      Writes OUTPUT/NAME-ARCHITECTURE.zip with bootstrap, fetch-keys, the configuration and the files that it names. \
      The same files give the same bytes. What provided.al2023 could not start is refused, and nothing is written.

      Another function than the authorizer is packed by its name. Its configuration is packed as NAME.json and is not read, \
      call-dynamodb is packed too; it is started where --event is given, and has to answer.

      Examples:
        make package AUTHORIZER_CONFIG_FILE=deploy/authorizer.json
        authorizer-local package --name identity --bootstrap dist/identity --config deploy/identity.json

      Exit codes: 0 packed and started, 1 refused, 2 or 3 the function failed or died when it was started.
      """)

  @Option(
    help: ArgumentHelp("The function's name, of its ZIP file and of its configuration.", valueName: "name"))
  var name = "authorizer"

  @Option(help: ArgumentHelp("The function, packed as bootstrap.", valueName: "file"))
  var bootstrap = "dist/bootstrap"

  @Option(help: ArgumentHelp("What fetches its keys.", valueName: "file"))
  var fetchKeys = "dist/fetch-keys"

  @Option(
    help: ArgumentHelp("What calls DynamoDB for another function than the authorizer.", valueName: "file"))
  var callDynamodb = "dist/call-dynamodb"

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

  var isAuthorizer: Bool { name + ".json" == PackagedConfiguration.fileName }

  func validate() throws {
    let isName = name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D }
    guard isName, 1...64 ~= name.utf8.count else {
      throw ValidationError("--name: small letters, digits and hyphens are needed, 64 at most")
    }
  }

  func run() async throws {
    let contents = try PackageContents(self)
    let programs = try contents.programs()
    let configuration = PackagedConfiguration(package: contents.package, variables: [:])
    if isAuthorizer, configuration.isThere { try check(configuration) }
    let archive = contents.package.archive
    guard archive.count <= PackageBudget.limitBytes else {
      throw CommandFailure(
        .unmet, "the package has \(archive.count) bytes, more than \(PackageBudget.limitBytes)",
        hint: "the two programs take about 3 MB: which of its other files is large?")
    }
    let path = "\(output)/\(name)-\(programs.architecture).zip"
    try FileSystem.write(archive, to: path)
    Terminal.answer("\(path): \(PackageBudget.text(archive.count))")
    for file in contents.package.files {
      let mode = String(file.permissions, radix: 8)
      Terminal.answer(Printable.text("  \(mode) \(file.bytes.count) \(file.path)"))
    }
    programs.lines.forEach { Terminal.answer($0) }
    guard isAuthorizer else {
      guard let event else { return Terminal.answer("not started: --event names what it has to answer") }
      return try await PackageTrial(archive: path, event: event).runOther()
    }
    if !configuration.isThere {
      Terminal.answer("configuration: none in the package; AUTHORIZER_ISSUER or AUTHORIZER_CONFIG gives it")
    }
    try await PackageTrial(archive: path, event: event ?? Self.authorizerEvent).run(configuration)
  }

  private func check(_ configuration: PackagedConfiguration) throws(CommandFailure) {
    do throws(ConfigurationError) {
      let settings = try configuration.settings()
      for warning in settings.warnings { Terminal.note("warning: \(warning.description)") }
    } catch {
      throw CommandFailure(
        .unmet,
        "the function would not start with \(config ?? PackagedConfiguration.fileName)\n\(error.description)",
        hint: "authorizer-local config check reads it the same way")
    }
  }
}

/// How large a package may be.
enum PackageBudget {
  /// 5 MiB (DESIGN: the package's share of a cold start).
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
