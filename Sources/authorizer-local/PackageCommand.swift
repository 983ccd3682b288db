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
      Writes OUTPUT/authorizer-ARCHITECTURE.zip with bootstrap, fetch-keys, the configuration and the files that it names. \
      The same files give the same bytes. What provided.al2023 could not start is refused, and nothing is written.

      Example:
        make package AUTHORIZER_CONFIG_FILE=deploy/authorizer.json

      Exit codes: 0 packed and started, 1 refused, 2 or 3 the function failed or died when it was started.
      """)

  @Option(help: ArgumentHelp("The function.", valueName: "file"))
  var bootstrap = "dist/bootstrap"

  @Option(help: ArgumentHelp("What fetches its keys.", valueName: "file"))
  var fetchKeys = "dist/fetch-keys"

  @Option(
    help: ArgumentHelp(
      "Its configuration, packed as authorizer.json; without one, variables configure it.", valueName: "file")
  )
  var config: String?

  @Option(help: ArgumentHelp("A folder that is packed as keys.", valueName: "folder"))
  var keys: String?

  @Option(help: ArgumentHelp("The folder for the package.", valueName: "folder"))
  var output = "dist"

  @Option(help: ArgumentHelp("The event that the packed function is started with.", valueName: "event.json"))
  var event = "events/rest-token-good.json"

  func run() async throws {
    let contents = try PackageContents(self)
    let programs = try contents.programs()
    let configuration = PackagedConfiguration(package: contents.package, variables: [:])
    if configuration.isThere { try check(configuration) }
    let archive = contents.package.archive
    guard archive.count <= PackageBudget.limitBytes else {
      throw CommandFailure(
        .unmet, "the package has \(archive.count) bytes, more than \(PackageBudget.limitBytes)",
        hint: "the two programs take about 3 MB: which of its other files is large?")
    }
    let path = "\(output)/authorizer-\(programs.architecture).zip"
    try FileSystem.write(archive, to: path)
    Terminal.answer("\(path): \(PackageBudget.text(archive.count))")
    for file in contents.package.files {
      let mode = String(file.permissions, radix: 8)
      Terminal.answer("  \(mode) \(file.bytes.count) \(file.path)")
    }
    programs.lines.forEach { Terminal.answer($0) }
    if !configuration.isThere {
      Terminal.answer("configuration: none in the package; AUTHORIZER_ISSUER or AUTHORIZER_CONFIG gives it")
    }
    try await PackageTrial(archive: path, event: event).run(configuration)
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
