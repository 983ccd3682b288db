internal import IssuerEmulator
internal import JSON
internal import LambdaEmulator

/// The receivers of the served identity functions, to which the development issuer sends tokens.
enum ServedReceivers {
  static func all(of functions: [FunctionSettings]) -> [SignalReceiver] {
    functions.flatMap { function -> [SignalReceiver] in
      guard let text = function.variables["IDENTITY_CONFIG"],
        let configuration = try? JSONTree(parsing: Array(text.utf8), limits: .configuration)
      else { return [] }
      return configuration.list("receivers").compactMap { receiver($0, configuration, function.variables) }
    }
  }

  private static func receiver(
    _ entry: JSONTree, _ configuration: JSONTree, _ variables: [String: String]
  ) -> SignalReceiver? {
    guard let name = entry.word("name"), let issuer = entry.word("issuer"),
      let audience = entry.words("audiences").first, let algorithm = entry.words("algorithms").first
    else { return nil }
    return SignalReceiver(
      name: name, issuer: issuer, users: entry.words("users"), audience: audience,
      // Both names mean the Ed25519 signature; development keys use the older one.
      algorithm: algorithm == "Ed25519" ? "EdDSA" : algorithm,
      basePath: configuration.word("basePath") ?? "",
      authorization: entry["authorization"]?.word("environment").flatMap { variables[$0] })
  }
}
