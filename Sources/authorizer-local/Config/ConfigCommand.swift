internal import ArgumentParser
internal import Authorizer
internal import Foundation
internal import JOSE
internal import JSON

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Checks configurations of the authorizer and of the identity function.",
    discussion: """
      Examples:
        authorizer-local config check template/authorizer.json
        authorizer-local config check template/identity.json
        authorizer-local config schema > authorizer.schema.json
      """,
    subcommands: [Check.self, Schema.self])

  struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the JSON Schema of authorizer.json or identity.json, for editors.",
      discussion: """
        Refer to the schema in the configuration, and an editor completes and checks members as you type:
          { "$schema": "authorizer.schema.json", "issuers": [ … ] }

        The schema checks names, types and ranges. config check also checks how the members fit together.

        Examples:
          authorizer-local config schema > authorizer.schema.json
          authorizer-local config schema --identity > identity.schema.json
        """)

    @Flag(help: "Prints the schema of identity.json, the configuration of the identity function.")
    var identity = false

    func run() throws {
      // Parsed and printed again, because the text is composed of parts that both schemas share.
      let text = identity ? IdentitySchema.text : ConfigurationSchema.text
      let schema = try JSONTree(parsing: Array(text.utf8), limits: .configuration)
      Terminal.answer(json: schema.bytes(indentedBy: 2))
    }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reads a configuration as the function does at its start, and prints every problem.",
      discussion: """
        Warnings name settings that are valid but may surprise, such as a wildcard that matches several path \
        segments. Relative paths start at the folder of the file, as in a deployment. Without a file, the command \
        reads AUTHORIZER_CONFIG or AUTHORIZER_ISSUER, else the nearest authorizer.json.

        A file named identity.json is read as the configuration of the identity function; --identity does so for any \
        file. Without a file, --identity reads IDENTITY_CONFIG, else the nearest identity.json.

        Examples:
          authorizer-local config check template/authorizer.json
          authorizer-local config check --identity deploy/settings.json
          AUTHORIZER_ISSUER=apple AUTHORIZER_AUDIENCE=com.example.app AUTHORIZER_KEYS=apple.json \
        authorizer-local config check

        Exit codes: 0 valid, with or without warnings, 1 invalid (the function would not start with it), 64 no \
        configuration to read.
        """)

    @Argument(help: "Configuration file, or - for standard input.")
    var file: String?

    @Flag(help: "Reads it as the identity function does. Default for a file named identity.json.")
    var identity = false

    @Flag(help: "Accepts development keys, as with AUTHORIZER_DEVELOPMENT=1.")
    var development = false

    @Flag(help: "Prints JSON instead of text.")
    var json = false

    func run() throws {
      if isIdentity { return try checkIdentity() }
      let source = try source()
      do throws(ConfigurationError) {
        let settings = try source.settings()
        if json {
          Terminal.answer(json: Self.json([], settings.warnings, keys: Self.keyLines(settings)))
        } else {
          Self.lines(settings).forEach { Terminal.answer($0) }
        }
      } catch {
        try refuse(error)
      }
    }

    /// Prints every problem. If a secret's variable is missing, also prints how to check without the secret.
    func refuse(_ error: ConfigurationError) throws -> Never {
      if json {
        Terminal.answer(json: Self.json(error.problems, []))
      } else {
        error.problems.forEach { Terminal.answer(Printable.text($0.description)) }
      }
      if error.problems.contains(where: { $0.path.hasSuffix("secret.environment") }) {
        Terminal.note(
          "hint: the check reads the secret's variable, as the function does: set it to random bytes of the same length"
        )
      }
      throw CommandExit.unmet.exit
    }

    private func source() throws(CommandFailure) -> LocalSource {
      // All variables, because a secret may be in any of them.
      var variables = ProcessInfo.processInfo.environment
      if development { variables["AUTHORIZER_DEVELOPMENT"] = "1" }
      let isGiven = variables["AUTHORIZER_CONFIG"] != nil || variables["AUTHORIZER_ISSUER"] != nil
      let nearest = isGiven ? nil : FileSystem.nearest("authorizer.json", from: FileSystem.currentDirectory)
      guard let path = file ?? nearest else {
        guard isGiven else {
          throw CommandFailure(
            .usage, "no configuration to check", hint: "name a file: authorizer-local config check FILE")
        }
        return LocalSource(variables: variables, taskRoot: FileSystem.currentDirectory)
      }
      for name in ["AUTHORIZER_ISSUER", "AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS"] { variables[name] = nil }
      if path == "-" {
        variables["AUTHORIZER_CONFIG"] = String(decoding: try FileSystem.bytes(at: path), as: UTF8.self)
      } else {
        // Read here too, so that a wrong path is a usage error and not an invalid configuration.
        guard !FileSystem.isDirectory(path), (try? FileSystem.bytes(at: path)) != nil else {
          throw FileSystem.unreadable(
            path,
            orElse:
              "name a file such as template/authorizer.json, or omit it to check the nearest authorizer.json")
        }
        variables["AUTHORIZER_CONFIG"] = FileSystem.absolute(path)
      }
      return LocalSource(variables: variables, taskRoot: FileSystem.directory(of: path))
    }

    /// Returns a summary of the settings, one line for each issuer.
    private static func lines(_ settings: Settings) -> [String] {
      let lines = settings.issuers.map { issuer in
        let profile = issuer.profile
        let algorithms = profile.algorithms.map(\.rawValue).joined(separator: ", ")
        return "  \(profile.name): \(profile.issuers.joined(separator: " or ")) for "
          + "\(ExplanationWords.values(profile.audience)), \(algorithms), "
          + ExplanationWords.count(issuer.keys.deployed)
      }
      let revocation = settings.revocation.map { ["  revocation: " + $0.text(among: settings.issuers)] } ?? []
      let warnings = settings.warnings.map { "warning: \($0.description)" }
      let notes = keyLines(settings).map { "note: " + $0 }
      let verdict = ["valid"] + (warnings.isEmpty ? [] : [Self.count(warnings.count)])
      return [verdict.joined(separator: ", ")] + (lines + revocation + warnings + notes).map(Printable.text)
    }

    private static func count(_ warnings: Int) -> String { "\(warnings) warning\(warnings == 1 ? "" : "s")" }

    /// Returns the notes about the keys that are deployed with the function.
    private static func keyLines(_ settings: Settings) -> [String] {
      settings.issuers.flatMap { issuer -> [String] in
        guard case .keys(let keys)? = issuer.keys.deployed else { return [] }
        return KeySetFile.lines(keys).map { "\(issuer.profile.name): \($0)" }
      }
    }

    static func json(
      _ problems: [ConfigurationProblem], _ warnings: [ConfigurationProblem], keys: [String] = []
    ) -> [UInt8] {
      JSONTree.object([
        .init(name: "valid", value: .boolean(problems.isEmpty)),
        .init(name: "problems", value: .array(problems.map(tree))),
        .init(name: "warnings", value: .array(warnings.map(tree))),
        .init(name: "keys", value: .array(keys.map { .string($0) })),
      ]).bytes(indentedBy: 2)
    }

    private static func tree(_ problem: ConfigurationProblem) -> JSONTree {
      .object([
        .init(name: "path", value: .string(problem.path)),
        .init(name: "message", value: .string(problem.message)),
      ])
    }
  }
}
