internal import ArgumentParser
internal import JSON
internal import TestTokens

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Makes and shows the development keys.",
    discussion: """
      Each machine has keys of its own in .development, made on the first use and never committed.

      Example:
        authorizer-local keys show > jwks.json
      """,
    subcommands: [Make.self, Show.self])

  struct Make: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Makes the development keys where there are none, and prints the path of their public key set.",
      discussion: """
        Example:
          authorizer-local keys make
        """)

    func run() throws {
      Terminal.answer(try DevelopmentKeySet.existingPath())
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the public key set, as an issuer publishes it.",
      discussion: """
        Example:
          authorizer-local keys show | jq '.keys[].kid'
        """)

    func run() throws {
      Terminal.answer(try DevelopmentKeySet.keys().publicKeySet.bytes(indentedBy: 2))
    }
  }
}
