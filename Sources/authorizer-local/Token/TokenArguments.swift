internal import ArgumentParser

/// The recipes that the command line chooses.
struct TokenSource: Equatable, Sendable {
  /// The file of `--tokens`; `nil` for the nearest `tokens.json`.
  var path: String?
  /// Whether recipes may have claims that their preset's issuer never sends.
  var signsUnsentClaims = false
}

/// The options that choose recipes of tokens.
struct TokenArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("File with token recipes. Default: the nearest tokens.json.", valueName: "file"),
    completion: .file())
  var tokens: String?

  @Flag(help: "Signs claims that the preset's issuer never sends, such as scopes of Apple.")
  var unsentClaims = false

  var source: TokenSource { TokenSource(path: tokens, signsUnsentClaims: unsentClaims) }
}
