internal import ArgumentParser
internal import JSON

/// Writes the man pages; `make install` calls it.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Writes the man pages of all commands to a folder.",
    shouldDisplay: false)

  @Argument(help: ArgumentHelp("The folder; it is created.", valueName: "folder"), completion: .directory)
  var folder: String

  /// - Parameters:
  ///   - help: what swift-argument-parser prints for `--experimental-dump-help`.
  ///   - release: the version of this program.
  func run(on machine: Machine, help: String, release: String) throws(CommandFailure) {
    let dump: JSONTree
    do throws(JSONError) {
      dump = try JSONTree(parsing: Array(help.utf8), limits: .event)
    } catch {
      throw CommandFailure(.unavailable, "the help is not JSON: \(error.description)")
    }
    for page in ManualPage.all(of: dump["command"] ?? .null) {
      let path = "\(folder)/\(page.name).1"
      try machine.files.write(Array(page.source(release: release).utf8), to: path)
      machine.terminal.answer(Printable.text(path))
    }
  }
}
