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
  /// The same rules with development keys, without bindings and revocations, which the analysis leaves out.
  let trial: FunctionConfiguration
  /// Whether the configuration itself names the algorithms of an issuer, by the issuer's place.
  private let namesAlgorithms: [Bool]

  init(_ path: String, on machine: Machine) throws(CommandFailure) {
    self.path = path
    let bytes = try machine.files.bytes(at: path, limit: JSONLimits.configuration.bytes)
    do throws(JSONError) {
      original = try JSONTree(parsing: bytes, limits: .configuration)
    } catch {
      throw CommandFailure(.undecided, "\(path) is not JSON: \(error.description(in: bytes))")
    }
    let keySet = try machine.development.keySetPath()
    let folder = machine.files.directory(of: path)
    var readable = original
    readable["revocation"] = nil
    readable = Self.changingIssuers(of: readable) { issuer in
      guard issuer["keys"]?["secret"] != nil else { return }
      issuer["keys"] = nil
      issuer["algorithms"] = .array([.string("RS256")])
    }
    readable = FunctionConfiguration.withKeys(readable, keySet: keySet)
    let source = LocalSource(variables: Self.variables(readable), taskRoot: folder)
    do throws(ConfigurationError) { settings = try source.settings() } catch {
      throw CommandFailure(
        .undecided, Printable.lines("\(path) is invalid:\n\(error.description)"),
        hint: "authorizer-local config check shows the same for one configuration")
    }
    namesAlgorithms = readable.list("issuers").map { $0["algorithms"] != nil }
    let tried = Self.changingIssuers(of: readable) { issuer in
      issuer["proofOfPossession"] = .string("ignore")
      issuer["types"] = .array([.string("JWT")])
      if issuer["algorithms"] != nil { issuer["algorithms"] = .array([.string("RS256")]) }
    }
    trial = FunctionConfiguration(variables: Self.variables(tried), taskRoot: folder)
  }

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

  private static func changingIssuers(of tree: JSONTree, _ change: (inout JSONTree) -> Void) -> JSONTree {
    var tree = tree
    guard case .array(let issuers)? = tree["issuers"] else { return tree }
    tree["issuers"] = .array(
      issuers.map { issuer in
        var issuer = issuer
        if case .object = issuer { change(&issuer) }
        return issuer
      })
    return tree
  }
}
