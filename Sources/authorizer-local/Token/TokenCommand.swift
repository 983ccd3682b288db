internal import GatewayEmulator
internal import LambdaEmulator
internal import ArgumentParser
internal import TestTokens

struct TokenCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Prints a token signed with a development key.",
    discussion: """
      Prints the token with this name in the nearest tokens.json, or a token in the shape of an issuer's. Deployed \
      functions refuse both: their key IDs begin with development-.

      Examples:
        authorizer-local token good
        authorizer-local token --preset apple --audience com.example.app --subject 001234.abc --expires +10m
        authorizer-local token --preset auth0:example.eu.auth0.com --audience api --scope 'read write'
        authorizer-local token --preset oidc:https://issuer.example.com --audience api --bind dpop
      """)

  @Argument(help: "Name in tokens.json.", completion: TokenFile.names)
  var name: String?

  @OptionGroup var tokens: TokenArguments

  @Option(
    help:
      "Issuer preset: \(TokenPreset.names.joined(separator: ", ")). A tenant follows a colon.",
    completion: .list(TokenPreset.names))
  var preset: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: "The aud claim; client_id for cognito-access. Repeatable for a list.")
  var audience: [String] = []

  @Option(parsing: .unconditional, help: "The sub claim.")
  var subject: String?

  @Option(parsing: .unconditional, help: "The scope claim; several scopes are separated by spaces.")
  var scope: String?

  // A time in the past begins with a dash.
  @Option(
    parsing: .unconditional,
    help: "The exp claim: +10m, -1h, +90s, +2d from now, 2026-11-21T10:00:00Z, or seconds since 1970.")
  var expires: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: "Another claim; its value is JSON, else text. Repeatable.")
  var claim: [String] = []

  @Option(
    help: "Signature algorithm. Overrides the preset's.",
    completion: .list(SigningAlgorithm.allCases.map(\.rawValue)))
  var algorithm: String?

  @Option(
    help: ArgumentHelp(
      "Binds the token (claim cnf): dpop to the key of the command proof, certificate=FILE to a client certificate in PEM. Repeatable.",
      valueName: "binding"))
  var bind: [String] = []

  func run(on machine: Machine) throws {
    machine.terminal.answer(exact: try token(on: machine))
  }

  /// Returns the token, signed with a development key.
  private func token(on machine: Machine) throws(CommandFailure) -> String {
    let isShaped =
      preset != nil || !audience.isEmpty || subject != nil || expires != nil || !claim.isEmpty
      || scope != nil || !bind.isEmpty
    if let name {
      guard !isShaped else {
        throw CommandFailure(
          options: "a named token takes no other claims; change tokens.json, or use --preset")
      }
      var source = tokens.source
      source.path = source.path ?? Self.sampleTokens(machine.files)
      return try TokenFile.nearest(to: machine.files.currentDirectory, given: source, on: machine)
        .token(named: name)
    }
    guard preset != nil else {
      throw CommandFailure(options: "give the name of a token in tokens.json, or --preset")
    }
    if let expires, Self.moment(expires, at: machine.now()) == nil {
      throw CommandFailure(options: Moment.problem("--expires", expires))
    }
    let tree = try recipe(on: machine)
    let recipe = try Result { () throws(TokenFileError) in
      try TokenRecipe(tree, name: "token", signsUnsentClaims: tokens.unsentClaims)
    }.mapError { CommandFailure(.usage, $0.description) }.get()
    return try TokenFile.token(recipe, on: machine)
  }

  /// At the root of a repository, the recipes of the sample events are used.
  private static func sampleTokens(_ files: FileSystem) -> String? {
    let here = files.currentDirectory
    if files.nearest(TokenFile.name, from: here) != nil { return nil }
    return files.nearest("events/" + TokenFile.name, from: here)
  }
}
