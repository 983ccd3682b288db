internal import ArgumentParser

extension ConfigCommand {
  struct Compare: LocalCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Tells what a changed configuration allows that the old one refuses, over all requests and all tokens.",
      discussion: """
        Compares rules, guests and what issuers require of their tokens. Each difference has an example: a request, and the \
        recipe of a token as tokens.json has it, on which the function decides as it says. Other differences, such as \
        audiences, are listed as not compared. docs/compare.md describes the JSON output.

        Examples:
          git show main:template/authorizer.json > /tmp/old.json
          authorizer-local config compare /tmp/old.json template/authorizer.json

        Exit codes: 0 the new configuration allows nothing more; 1 it does, or something is not compared; 2 not decided.
        """)

    @Argument(help: "The configuration before the change.", completion: .file())
    var old: String

    @Argument(help: "The configuration after the change.", completion: .file())
    var new: String

    @Flag(help: "Leaves out differences that are not compared.")
    var rulesOnly = false

    @Flag(help: "Prints JSON instead of text.")
    var json = false

    func run(on machine: Machine) async throws { try await CompareRun(command: self, machine: machine).run() }
  }

  struct Prove: LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Proves what a configuration never or always allows, or shows an example of the opposite.",
      discussion: """
        PROPERTIES.json is {"properties": [{"name": "…", "never": {"routes": ["* /admin/*"], "who": "guest"}}]}, with \
        "never" or "always". "who" is "guest", "anyone" (any valid token; for "never" guests too) or \
        {"require": {…}, "issuer": "NAME"}, with "require" as in rules. docs/compare.md has examples.

        Examples:
          authorizer-local config prove template/authorizer.json properties.json

        Exit codes: 0 all proven; 1 one has a counterexample; 2 one is not decided, or is about no callers.
        """)

    @Argument(help: "Configuration of the authorizer.", completion: .file())
    var configuration: String

    @Argument(help: "The properties.", completion: .file())
    var properties: String

    @Flag(help: "Prints JSON instead of text.")
    var json = false

    func run(on machine: Machine) async throws { try await ProveRun(command: self, machine: machine).run() }
  }
}
