internal import AuthorizerContract
internal import ArgumentParser
internal import JOSE
internal import JSON
internal import TestTokens

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Makes and shows the development keys, and fetches an issuer's keys for a seed.",
    discussion: """
      Each machine has its own development keys. They are made on first use and never committed; show prints their \
      folder, which docs/harness/state.md describes.

      Examples:
        authorizer-local keys show > jwks.json
        authorizer-local keys fetch apple -o keys/apple.json
      """,
    subcommands: [Make.self, Show.self, Fetch.self])

  struct Make: LocalCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Makes the development keys if there are none, and prints the path of their public key set.",
      discussion: """
        Example:
          authorizer-local keys make
        """)

    func run(on machine: Machine) throws {
      machine.terminal.answer(try machine.development.keySetPath())
    }
  }

  struct Show: LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the public development key set, or describes the keys of a file.",
      discussion: """
        With --jwks it lists the keys of a file as the authorizer sees them: kid, type, bits, algorithms, and why a \
        key is not used.

        Examples:
          authorizer-local keys show | jq '.keys[].kid'
          authorizer-local keys show --jwks apple.json

        Exit codes: 0 a key is usable, 1 no key is usable, 64 the file is not a key set.
        """)

    @Option(help: ArgumentHelp("Key set to describe.", valueName: "file"), completion: .file())
    var jwks: String?

    @Flag(help: "Prints JSON instead of text.")
    var json = false

    func run(on machine: Machine) throws {
      guard let jwks else {
        machine.terminal.answer(json: try machine.development.keys().publicKeySet.bytes(indentedBy: 2))
        machine.terminal.note(Printable.text("note: the private keys are in \(machine.development.path)"))
        return
      }
      let (keys, unusable) = try Self.keys(of: jwks, machine.files)
      if json {
        machine.terminal.answer(json: KeySetFile.json(keys, unusable))
      } else {
        var table = TextTable(columns: ["kid", "type", "bits", "algorithms", "use"], rightAligned: [2])
        for row in KeySetFile.table(keys, unusable) { table.add(row.map(Printable.text)) }
        table.lines.forEach { machine.terminal.answer($0) }
      }
      if keys.isEmpty { throw CommandExit.unmet }
    }

    private static func keys(
      of path: String, _ files: FileSystem
    ) throws(CommandFailure) -> (usable: [VerificationKey], unusable: [KeySet.UnusableKey]) {
      let bytes = try files.bytes(at: path)
      do throws(KeySetError) {
        let set = try KeySet(parsing: bytes)
        return (set.keys, set.unusable)
      } catch {
        if case .noUsableKey(let unusable) = error, !unusable.isEmpty { return ([], unusable) }
        throw CommandFailure(.usage, "\(path): \(error.description)")
      }
    }
  }
}
