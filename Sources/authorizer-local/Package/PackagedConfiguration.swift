internal import Text
internal import GatewayModel
internal import DeploymentChecks
internal import Templates
internal import Bytes
internal import Authorizer
internal import FunctionHost
internal import Identity
internal import JSON

/// The configuration of a deployment package, read like the function reads it, without unpacking.
struct PackagedConfiguration {
  var function = ShippedFunction.authorizer
  /// The files in the function's folder.
  let package: DeploymentPackage
  let variables: [String: String]

  private var fileName: String { function.fileName }
  private var variable: String { function.variable }

  var isThere: Bool {
    package.file(fileName) != nil
      || function.configuringVariables.contains { !(variables[$0] ?? "").isEmpty }
  }

  /// Whether a variable contains a dynamic reference, which only AWS resolves ("Dynamic references").
  func isUnknown(_ variable: String) -> Bool { variables[variable]?.containsBytes(of: "{{resolve:") == true }

  /// The variable that configures the function; `nil` if a file does, or nothing.
  var configuringVariable: String? {
    guard configurationFile == nil else { return nil }
    return function.configuringVariables.first { !(variables[$0] ?? "").isEmpty }
  }

  /// The file of the package that configures the function, as the function opens it; `nil` if a variable does, or
  /// nothing.
  var configurationFile: String? {
    let text = variables[variable] ?? ""
    guard text.isEmpty else { return Self.isInline(text) || isUnknown(variable) ? nil : Self.relative(text) }
    return package.file(fileName) == nil ? nil : fileName
  }

  /// The configuration file that a variable names instead of the function's own file.
  var namedConfiguration: String? {
    guard let text = variables[variable], !text.isEmpty, !Self.isInline(text),
      Self.relative(text) != fileName
    else { return nil }
    return text
  }

  /// Whether the function's own file exists and another configuration overrides it.
  var isShadowed: Bool {
    guard let text = variables[variable], !text.isEmpty else { return false }
    return package.file(fileName) != nil && Self.relative(text) != fileName
  }

  /// The files that the configuration names, in any form of configuration.
  var namedFiles: [String] {
    if let document { return Self.files(namedBy: document) }
    guard function == .authorizer else { return [] }
    let keys = variables["AUTHORIZER_KEYS"] ?? ""
    return keys.isEmpty || keys.containsBytes(of: "://") || isUnknown("AUTHORIZER_KEYS") ? [] : [keys]
  }

  private static func isInline(_ text: String) -> Bool {
    text.utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == .openingBrace
  }

  /// Returns a name relative to the package, which Lambda unpacks to `/var/task` ("Defined runtime environment
  /// variables", LAMBDA_TASK_ROOT).
  static func relative(_ path: String) -> String {
    let root = "/var/task/"
    var relative = path.rest(after: root).map(String.init) ?? path
    while let rest = relative.rest(after: "./") { relative = String(rest) }
    return relative
  }

  /// Returns the settings that the authorizer would read.
  func settings(development: Bool = false) throws(ConfigurationError) -> Settings {
    try Settings(reading: source(development: development))
  }

  /// Returns the settings that the identity function would read.
  func identitySettings(development: Bool = false) throws(ConfigurationError) -> IdentitySettings {
    try IdentitySettings(reading: source(development: development))
  }

  /// Returns the problems that prevent the function from starting with it.
  func problems(development: Bool = false) -> [ConfigurationProblem] {
    do throws(ConfigurationError) {
      switch function {
      case .authorizer: _ = try settings(development: development)
      case .identity: _ = try identitySettings(development: development)
      }
      return []
    } catch {
      return error.problems
    }
  }

  private func source(development: Bool) -> Source {
    var variables = standIns.merging(variables.filter { !isUnknown($0.key) }) { $1 }
    // Lambda sets AWS_REGION ("Defined runtime environment variables"). The check works with any region.
    variables["AWS_REGION"] = "us-east-1"
    variables["AUTHORIZER_DEVELOPMENT"] = development ? "1" : nil
    return Source(package: package, variables: variables)
  }

  /// The JSON document of the settings; `nil` for the short form, and for text that is not JSON.
  var document: JSONTree? {
    let given = variables[variable] ?? ""
    if function == .authorizer, given.isEmpty, !(variables["AUTHORIZER_ISSUER"] ?? "").isEmpty { return nil }
    let source = Source(package: package, variables: [:])
    let isInline = Self.isInline(given)
    let path = given.isEmpty ? fileName : given
    let bytes = isInline ? Array(given.utf8) : try? source.file(path, limit: JSONLimits.configuration.bytes)
    return bytes.flatMap { try? JSONTree(parsing: $0, limits: .configuration) }
  }

  /// A placeholder for each secret in a variable, so that the file can be checked without the real values.
  var standIns: [String: String] {
    // Long enough for HS512 (RFC 7518 section 3.2), as text and as base64.
    Dictionary(secrets.compactMap { $0.word("environment") }.map { ($0, LocalSecrets.secret) }) { $1 }
  }

  /// The files of the package that contain a secret, according to the configuration.
  var secretFiles: Set<String> { Set(secrets.compactMap { $0.word("file") }.map(Self.relative)) }

  private var secrets: [JSONTree] { document.map(Self.secrets) ?? [] }

  /// Returns the secrets of issuers, nonces and receivers.
  private static func secrets(namedBy document: JSONTree) -> [JSONTree] {
    (document.list("issuers").map { $0["keys"]?["secret"] } + [document["nonce"]?["secret"]]
      + document.list("receivers").map { $0["authorization"] })
      .compactMap { $0 }
  }

  /// Returns the parts of a configuration that have keys.
  private static func keyHolders(in document: JSONTree) -> [JSONTree] {
    document.list("issuers") + document.list("receivers") + [document]
  }

  /// The table of users or of revocations; `nil` if the function needs none, or if that is unknown.
  var table: DeployedTable? { document.flatMap { function.table(of: $0) } }

  /// The tables of used proofs; empty if the function needs none, or if that is unknown.
  var proofTables: [DeployedTable] { document.map { function.proofTables(of: $0) } ?? [] }

  /// Whether the function is known to read or write a table.
  var needsTable: Bool { table != nil || !proofTables.isEmpty }

  /// The seed files that the configuration names, in any form of configuration.
  var seeds: Set<String> {
    guard let document else { return Set(namedFiles) }
    return Self.seeds(namedBy: document)
  }

  /// Returns the seed files that the document names.
  static func seeds(namedBy document: JSONTree) -> Set<String> {
    Set(keyHolders(in: document).compactMap { $0["keys"]?.word("seed") })
  }

  /// Returns the files that the document names: seeds, secrets and certificates.
  static func files(namedBy document: JSONTree) -> [String] {
    var paths: [String] = []
    func add(_ value: JSONTree?) {
      if case .string(let path)? = value, !paths.contains(path) { paths.append(path) }
    }
    for entry in keyHolders(in: document) { add(entry["keys"]?["seed"]) }
    for secret in secrets(namedBy: document) { add(secret["file"]) }
    add(document["fetch"]?["certificateAuthorities"])
    return paths
  }

  private struct Source: ConfigurationSource {
    let package: DeploymentPackage
    let variables: [String: String]

    func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
      // ENOENT on Linux and macOS (errno(3)).
      guard let file = package.file(PackagedConfiguration.relative(path)) else { throw .unreadable(errno: 2) }
      guard file.bytes.count <= limit else { throw .tooLarge(limit: limit) }
      return file.bytes
    }
  }
}

extension ShippedFunction {
  /// The function that a file configures, by its name.
  init(configuredBy path: String) {
    let name = path.splitBytes(at: "/").last.map(String.init)
    self = name == ShippedFunction.identity.fileName ? .identity : .authorizer
  }

  /// Returns the table of users or of revocations that a configuration of the function names.
  func table(of document: JSONTree) -> DeployedTable? {
    Self.table(document[self == .authorizer ? "revocation" : "store"])
  }

  /// Returns the tables of used proofs that the issuers of a configuration name, each once.
  func proofTables(of document: JSONTree) -> [DeployedTable] {
    guard self == .authorizer else { return [] }
    return document.list("issuers").compactMap { issuer in
      Self.table(issuer["proofOfPossession"]?["dpop"]?["replay"])
    }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// Whether a function with this configuration needs the program that calls DynamoDB.
  func needsTable(_ document: JSONTree) -> Bool {
    table(of: document) != nil || !proofTables(of: document).isEmpty
  }

  private static func table(_ store: JSONTree?) -> DeployedTable? {
    let part = store?["dynamoDB"]
    var readsBatches = false
    if case .object? = store?["issuers"] { readsBatches = true }
    return part?.word("table").map {
      DeployedTable(name: $0, region: part?.word("region"), readsBatches: readsBatches)
    }
  }
}
