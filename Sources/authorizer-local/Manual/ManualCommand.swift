internal import ArgumentParser
internal import JSON

/// Writes the man pages; `make install` calls it.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Writes the man pages of all commands to a folder.",
    shouldDisplay: false)

  @Argument(help: ArgumentHelp("The folder; it is created.", valueName: "folder"))
  var folder: String

  func run() throws {
    let dump: JSONTree
    do throws(JSONError) {
      dump = try JSONTree(parsing: Array(AuthorizerLocal._dumpHelp().utf8), limits: .event)
    } catch {
      throw CommandFailure(.unavailable, "the help is not JSON: \(error.description)")
    }
    for page in ManualPage.all(of: dump["command"] ?? .null) {
      let path = "\(folder)/\(page.name).1"
      try FileSystem.write(Array(page.source.utf8), to: path)
      Terminal.answer(Printable.text(path))
    }
  }
}
