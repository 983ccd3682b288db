internal import Authorizer
internal import FunctionHost
internal import JOSE
internal import JSON

/// A configuration whose rules are analysed, and the same for trials with development tokens.
struct ComparedConfiguration {
  let path: String
  /// As it is written.
  let original: JSONTree
  let settings: Settings
  /// The same rules with development keys, and without bindings, revocations and places of tokens, which the analysis
  /// leaves out.
  let trial: FunctionConfiguration
  /// Whether the configuration itself names the algorithms of an issuer, by the issuer's place.
  private let namesAlgorithms: [Bool]
  private let source: LocalSource

  init(_ path: String, on machine: Machine) throws(CommandFailure) {
    self.path = path
    original = try machine.files.configuration(at: path, orElse: .undecided)
    let keySet = try machine.development.keySetPath()
    let folder = machine.files.directory(of: path)
    var readable = original
    readable["revocation"] = nil
    readable = readable.changingObjects(of: "issuers") { issuer in
      guard issuer["keys"]?["secret"] != nil else { return }
      issuer["keys"] = nil
      issuer["algorithms"] = .array([.string("RS256")])
    }
    readable = FunctionConfiguration.withKeys(readable, keySet: keySet)
    source = LocalSource(variables: Self.variables(readable), taskRoot: folder)
    settings = try Result(catching: source.settings).mapError {
      CommandFailure(
        .undecided, Printable.lines("\(path) is invalid:\n\($0.description)"),
        hint: "authorizer-local config check shows the same for one configuration")
    }.get()
    namesAlgorithms = readable.list("issuers").map { $0["algorithms"] != nil }
    var tried = readable.changingObjects(of: "issuers") { issuer in
      issuer["proofOfPossession"] = .string("ignore")
      issuer["types"] = .array([.string("JWT")])
      if issuer["algorithms"] != nil { issuer["algorithms"] = .array([.string("RS256")]) }
    }
    tried["tokenSources"] = nil
    tried["allowQueryTokens"] = nil
    trial = FunctionConfiguration(variables: Self.variables(tried), taskRoot: folder)
  }

  /// Returns the content of a file that the configuration names; `nil` if it cannot be read, or has more than 4 MiB, the
  /// limit for certificate authorities.
  func contents(of path: String) -> [UInt8]? { try? source.file(path, limit: 4 << 20) }

  /// Returns a recipe that the trial accepts: its algorithms and types are not those of the issuer.
  func trialRecipe(_ recipe: JSONTree) -> JSONTree {
    var recipe = recipe
    recipe["header"] = nil
    let issuer = recipe["claims"]?.word("iss") ?? ""
    let place = settings.issuers.firstIndex { $0.profile.issuers.contains(issuer) }
    if let place, namesAlgorithms[place] { recipe["algorithm"] = nil }
    return recipe
  }

  private static func variables(_ tree: JSONTree) -> [String: String] {
    ["AUTHORIZER_DEVELOPMENT": "1", "AUTHORIZER_CONFIG": String(decoding: tree.bytes(), as: UTF8.self)]
  }
}
