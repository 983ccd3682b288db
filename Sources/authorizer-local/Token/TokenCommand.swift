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
        authorizer-local token --preset auth0:example.eu.auth0.com --audience api --claim 'scope=read write'
      """)

  @Argument(help: "Name in tokens.json.")
  var name: String?

  @Option(help: "File with token recipes. Default: the nearest tokens.json.")
  var tokens: String?

  @Option(
    help:
      "Issuer preset of the token: \(TokenPreset.names.joined(separator: ", ")). A tenant follows a colon.")
  var preset: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: "The aud claim; client_id for cognito-access. Repeatable for a list.")
  var audience: [String] = []

  @Option(parsing: .unconditional, help: "The sub claim.")
  var subject: String?

  // A time in the past begins with a dash.
  @Option(
    parsing: .unconditional,
    help: "The exp claim: +10m, -1h, +90s, +2d from now, 2026-11-21T10:00:00Z, or seconds since 1970.")
  var expires: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: "Another claim. A value that is JSON is used as JSON, any other as text. Repeatable.")
  var claim: [String] = []

  @Option(help: "Signature algorithm. Overrides the preset's.")
  var algorithm: String?

  /// - Parameter now: the time that a relative `--expires` is checked with.
  func options(at now: Int64) throws(CommandFailure) -> TokenOptions {
    let isShaped = preset != nil || !audience.isEmpty || subject != nil || expires != nil || !claim.isEmpty
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
    return .shaped(
      TokenShape(
        preset: preset, audiences: audience, subject: subject, expires: expires, claims: claims,
        algorithm: algorithm))
  }

  func run(on machine: Machine) throws {
    let token = try options(at: machine.now()).token(on: machine)
    machine.terminal.answer(exact: token)
  }
}
