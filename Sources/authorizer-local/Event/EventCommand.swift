internal import ArgumentParser
internal import JSON

struct EventCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event",
    abstract: "Prints the event for a request, or an event file with its tokens filled in.",
    discussion: """
      Examples:
        authorizer-local event --token good https://api.example.com/prod/pets > events/pets.json
        authorizer-local event render events/rest-token-good.json | sam local invoke --event -
      """,
    subcommands: [EventMakeCommand.self, Render.self], defaultSubcommand: EventMakeCommand.self)

  struct Render: LocalCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Prints an event file with its {{token NAME}} and {{proof NAME METHOD URL}} filled in, for other tools.",
      discussion: """
        Example:
          authorizer-local event render events/rest-token-good.json > event.json
        """)

    @Argument(help: "Event file, or - for standard input.", completion: .file())
    var file: String

    @OptionGroup var tokens: TokenArguments

    func run(on machine: Machine) throws {
      let source = EventTokens(given: tokens.source, machine: machine)
      let bytes = try source.rendered(
        try machine.files.bytes(at: file), name: file, directory: machine.files.directory(of: file)
      ).bytes
      let tree = try? JSONTree(parsing: bytes)
      machine.terminal.answer(json: tree?.bytes(indentedBy: 2) ?? bytes)
    }
  }
}
