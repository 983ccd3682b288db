internal import JSON
internal import Text

/// The addresses of the development authorization server in a configuration, whose port is not always that of `serve`.
enum DevelopmentAddresses {
  /// Returns the issuers, and the audiences of their tokens, that have another port: no token of a login has them.
  static func stray(in configuration: String, port: Int) -> [String] {
    let tree = try? JSONTree(parsing: Array(configuration.utf8), limits: .configuration)
    return (tree?.list("issuers") ?? []).flatMap { issuer -> [String] in
      guard let name = issuer.word("issuer"), name.hasByteSuffix("/dev/oauth") else { return [] }
      return ([name] + issuer.words("audiences")).filter { text in
        loopbacks.contains { text.hasBytePrefix($0) && !text.hasBytePrefix("\($0)\(port)/") }
      }
    }
  }

  private static let loopbacks = ["http", "https"].flatMap { ["\($0)://127.0.0.1:", "\($0)://localhost:"] }
}
