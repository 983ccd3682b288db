internal import ArgumentParser
internal import JSON

struct EventCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "event",
    abstract: "Makes the event of a request, or prints an event file with its tokens.",
    discussion: """
      Examples:
        authorizer-local event --token good https://api.example.com/prod/pets > events/pets.json
        authorizer-local event render events/rest-token-good.json | sam local invoke --event -
      """,
    subcommands: [EventMakeCommand.self, Render.self], defaultSubcommand: EventMakeCommand.self)

  struct Render: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints an event with its {{token NAME}} filled, for other runners.",
      discussion: """
        Example:
          authorizer-local event render events/rest-token-good.json > event.json
        """)

    @Argument(help: "Event file, or - for standard input.")
    var file: String

    @Option(help: "File with the tokens' recipes. Default: the nearest tokens.json.")
    var tokens: String?

    func run() throws {
      let source = EventTokens(given: tokens)
      let bytes = try source.rendered(
        try FileSystem.bytes(at: file), name: file, directory: FileSystem.directory(of: file)
      ).bytes
      let tree = try? JSONTree(parsing: bytes)
      Terminal.answer(json: tree?.bytes(indentedBy: 2) ?? bytes)
    }
  }
}
