internal import Bytes
internal import ArgumentParser
internal import Templates

struct PackageCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "package",
    abstract: "Packs a function for Lambda, checks the package and starts the packed function.",
    discussion: """
      Writes OUTPUT/NAME-ARCHITECTURE.zip with bootstrap, fetch-keys, the configuration and the files that it names; \
      also call-dynamodb, unless the configuration names no table. The same files give the same bytes with \
      the same zlib. A program that provided.al2023 cannot start is refused, and nothing is written.

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
    help: ArgumentHelp(
      "authorizer, identity, or another function: names the ZIP file and the configuration.",
      valueName: "name"))
  var name = "authorizer"

  @Option(
    help: ArgumentHelp(
      "Program of the function, packed as bootstrap. Default: bootstrap, or identity with --name identity.",
      valueName: "file"), completion: .file())
  var bootstrap: String?

  @Option(
    help: ArgumentHelp("Program that fetches keys. Default: fetch-keys.", valueName: "file"),
    completion: .file())
  var fetchKeys: String?

  @Option(
    name: .customLong("call-dynamodb"),
    help: ArgumentHelp("Program that calls DynamoDB. Default: call-dynamodb.", valueName: "file"),
    completion: .file())
  var callDynamoDB: String?

  @Option(
    help: ArgumentHelp(
      "Configuration, packed as NAME.json. Without it, variables configure the function.", valueName: "file"),
    completion: .file())
  var config: String?

  @Option(
    help: ArgumentHelp("Folder of key sets, packed as keys.", valueName: "folder"), completion: .directory)
  var keys: String?

  @Option(help: ArgumentHelp("Folder for the package.", valueName: "folder"), completion: .directory)
  var output = "dist"

  @Option(
    help: ArgumentHelp(
      "Event for the packed function. Default for the authorizer: \(PackageCommand.authorizerEvent), else a built-in event.",
      valueName: "event.json"))
  var event: String?

  @Option(
    help: ArgumentHelp(
      "Emulator that starts the packed program, for another processor; make package ARCH=arm64 gives it.",
      valueName: "command"))
  var runWith: String?

  func run(on machine: Machine) async throws {
    let isName = name.utf8.allSatisfy { 0x61...0x7A ~= $0 || $0.isDecimalDigit || $0 == .hyphen }
    guard isName, 1...64 ~= name.utf8.count else {
      throw CommandFailure(options: "--name must be 1 to 64 lowercase letters, digits and hyphens")
    }
    if let runWith, runWith.allSatisfy(\.isWhitespace) {
      throw CommandFailure(options: "--run-with needs a command, such as qemu-aarch64-static")
    }
    try await PackageRun(command: self, machine: machine).run()
  }

  /// The event of the authorizer if none is given.
  static let authorizerEvent = "events/rest-token-good.json"

  /// The function of this project with this name; `nil` for another function.
  var shipped: ShippedFunction? { ShippedFunction(rawValue: name) }

  /// Returns the path of the function's program.
  func program(on machine: Machine) throws(CommandFailure) -> String {
    try machine.path(
      of: shipped == .identity ? "identity" : "bootstrap", given: bootstrap, by: "--bootstrap")
  }
}
