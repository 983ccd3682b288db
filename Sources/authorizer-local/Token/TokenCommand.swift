internal import GatewayEmulator
internal import LambdaEmulator
internal import ArgumentParser
internal import JSON
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

  @Option(
    help: ArgumentHelp("File with token recipes. Default: the nearest tokens.json.", valueName: "file"),
    completion: .file())
  var tokens: String?

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

  /// - Parameter now: the time that a relative `--expires` is checked with.
  func options(at now: Int64) throws(CommandFailure) -> TokenOptions {
    let isShaped =
      preset != nil || !audience.isEmpty || subject != nil || expires != nil || !claim.isEmpty
      || scope != nil || !bind.isEmpty
    if let name {
      guard !isShaped else {
        throw CommandFailure(
          options: "a named token takes no other claims; change tokens.json, or use --preset")
      }
      return .named(name, tokens: tokens)
    }
    guard preset != nil else {
      throw CommandFailure(options: "give the name of a token in tokens.json, or --preset")
    }
    if let expires, TokenShape.moment(expires, at: now) == nil {
      throw CommandFailure(options: Moment.problem("--expires", expires))
    }
    var claims: [TokenShape.Claim] = []
    for text in claim {
      guard let pair = NamedValues.pair(text) else {
        throw CommandFailure(options: "--claim needs NAME=VALUE, found \(text)")
      }
      claims.append(pair)
    }
    if let scope {
      if claims.contains(where: { $0.name == "scope" }) {
        throw CommandFailure(options: "give --scope or --claim scope, not both")
      }
      // As JSON, so that a scope such as 1 stays a text.
      claims.append(("scope", String(decoding: JSONTree.string(scope).bytes(), as: UTF8.self)))
    }
    return .shaped(
      TokenShape(
        preset: preset, audiences: audience, subject: subject, expires: expires, claims: claims,
        algorithm: algorithm, bindings: try bindings(claims)))
  }

  private func bindings(_ claims: [TokenShape.Claim]) throws(CommandFailure) -> [TokenShape.Binding] {
    var bindings: [TokenShape.Binding] = []
    for text in bind {
      let pair = NamedValues.pair(text)
      if text == "dpop" {
        bindings.append(.proof)
      } else if let pair, pair.name == "certificate", !pair.value.isEmpty {
        bindings.append(.certificate(path: pair.value))
      } else {
        throw CommandFailure(options: "--bind must be dpop or certificate=FILE, found \(text)")
      }
    }
    let isRepeated =
      bindings.filter { $0 == .proof }.count > 1 || bindings.filter { $0 != .proof }.count > 1
    if isRepeated { throw CommandFailure(options: "give each kind of --bind once") }
    if !bindings.isEmpty, claims.contains(where: { $0.name == "cnf" }) {
      throw CommandFailure(options: "--bind makes the claim cnf: omit --claim cnf")
    }
    return bindings
  }

  func run(on machine: Machine) throws {
    let token = try options(at: machine.now()).token(on: machine)
    machine.terminal.answer(exact: token)
  }
}
