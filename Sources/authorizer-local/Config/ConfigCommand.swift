internal import Text
internal import IAMPolicy
internal import Templates
internal import ArgumentParser
internal import JSON

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Checks and compares configurations of the authorizer and of the identity function.",
    discussion: """
      Examples:
        authorizer-local config check template/authorizer.json
        authorizer-local config check template/identity.json
        authorizer-local config schema > authorizer.schema.json
        authorizer-local config compare old.json template/authorizer.json
      """,
    subcommands: [Check.self, Schema.self, Compare.self, Prove.self])

  struct Schema: LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the JSON Schema of authorizer.json or identity.json, for editors.",
      discussion: """
        Refer to the schema in the configuration, and an editor completes and checks fields as you type:
          { "$schema": "authorizer.schema.json", "issuers": [ … ] }

        The schema checks names, types and ranges. config check also checks how the fields fit together.

        Examples:
          authorizer-local config schema > authorizer.schema.json
          authorizer-local config schema --identity > identity.schema.json
        """)

    @Flag(help: "Prints the schema of identity.json.")
    var identity = false

    func run(on machine: Machine) throws {
      // Parsed and printed again, because the text is composed of parts that both schemas share.
      let text = identity ? IdentitySchema.text : ConfigurationSchema.text
      let schema = try JSONTree(parsing: Array(text.utf8), limits: .configuration)
      machine.terminal.answer(json: schema.bytes(indentedBy: 2))
    }
  }

  struct Check: LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reads a configuration as the function does at its start, and prints every problem.",
      discussion: """
        Warnings name settings that are valid but may surprise, such as a wildcard that matches several path \
        segments. Relative paths start at the folder of the file, as in a deployment. Without a file, the command \
        reads AUTHORIZER_CONFIG or AUTHORIZER_ISSUER, else the nearest authorizer.json.

        With --template, warnings also name rules that match no route of the template's APIs, and routes that no rule \
        names, so that every token gets 403.

        A file named identity.json is read as the configuration of the identity function; --identity does so for any \
        file. Without a file, --identity reads IDENTITY_CONFIG, else the nearest identity.json. With --authorizer, \
        warnings also name users of its receivers that the authorizer does not look up.

        Examples:
          authorizer-local config check template/authorizer.json
          authorizer-local config check template/authorizer.json --template template/template.yaml
          authorizer-local config check --identity deploy/settings.json
          authorizer-local config check template/identity.json --authorizer template/authorizer.json
          AUTHORIZER_ISSUER=apple AUTHORIZER_AUDIENCE=com.example.app AUTHORIZER_KEYS=apple.json \
        authorizer-local config check

        Exit codes: 0 valid, with or without warnings, 1 invalid (the function would not start with it), 64 no \
        configuration to read.
        """)

    @Argument(help: "Configuration file, or - for standard input.", completion: .file())
    var file: String?

    @Option(
      help: ArgumentHelp("Template whose routes are compared with the rules.", valueName: "file"))
    var template: String?

    @OptionGroup var templateArguments: TemplateArguments

    @Flag(help: "Reads it as the identity function does. Default for identity.json.")
    var identity = false

    @Option(
      help: ArgumentHelp(
        "Configuration of the authorizer, with which the receivers of identity.json are compared.",
        valueName: "file"))
    var authorizer: String?

    @Flag(help: "Accepts development keys, as with AUTHORIZER_DEVELOPMENT=1.")
    var development = false

    @Flag(help: "Prints JSON instead of text.")
    var json = false

    /// The function that the file configures.
    var function: ShippedFunction {
      identity ? .identity : file.map(ShippedFunction.init(configuredBy:)) ?? .authorizer
    }

    func run(on machine: Machine) throws {
      if template != nil, function == .identity {
        throw CommandFailure(options: "--template compares rules, which identity.json does not have")
      }
      if authorizer != nil, function == .authorizer {
        throw CommandFailure(options: "--authorizer compares receivers, which only identity.json has")
      }
      try ConfigCheck(command: self, machine: machine).run()
    }
  }
}
