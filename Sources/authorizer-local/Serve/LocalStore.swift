internal import Text
internal import DeploymentChecks
internal import Templates
internal import Foundation
internal import JSON
internal import KeyFetcher

/// The local store for users and revocations, which replaces a DynamoDB table.
///
/// If `AWS_ENDPOINT_URL_DYNAMODB`, AWS's own variable, points to a DynamoDB on this machine, it is used and nothing
/// is replaced. An endpoint on another machine is ignored: anyone can sign in here, and the table might be the real
/// one.
struct LocalStore {
  /// The replacements, as notes for the user.
  private(set) var notes: [String] = []
  /// The variables of a function that uses a table.
  let variables: [String: String]
  /// The folder of the files that replace a table.
  private let folder: String
  /// An endpoint on another machine, which is ignored.
  private let foreignEndpoint: String?

  private static let endpointVariable = "AWS_ENDPOINT_URL_DYNAMODB"
  /// The credentials that the functions need, with defaults that any emulator accepts.
  private static let credentials = [
    "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_SESSION_TOKEN": nil,
  ]

  /// Creates the store from the environment of this program.
  init(on machine: Machine) {
    let inherited = machine.environment
    folder = machine.development.path
    guard let endpoint = inherited[Self.endpointVariable], !endpoint.isEmpty else {
      variables = [:]
      foreignEndpoint = nil
      return
    }
    guard (try? KeyAddress(parsing: Self.withPath(endpoint), development: true))?.isLoopback == true else {
      variables = [:]
      foreignEndpoint = endpoint
      return
    }
    foreignEndpoint = nil
    var variables = [Self.endpointVariable: endpoint]
    for (name, standIn) in Self.credentials { variables[name] = inherited[name] ?? standIn }
    self.variables = variables
  }

  /// AWS's tools accept an endpoint without a path.
  private static func withPath(_ endpoint: String) -> String {
    endpoint.splitBytes(at: "/", omittingEmptySubsequences: false).count == 3 ? endpoint + "/" : endpoint
  }

  /// Whether a function that stores users here writes revocations to a file, which the authorizer then reads.
  private var writesRevocations = false

  /// Returns the identity function's configuration with a database in the development folder, instead of a table or a
  /// file. A template must not choose which file is overwritten.
  mutating func adapt(identity configuration: JSONTree) -> JSONTree {
    if let sqlite = configuration["store"]?["sqlite"] { return adapt(configuration, sqlite: sqlite) }
    guard let store = configuration["store"]?["dynamoDB"] else { return configuration }
    if let endpoint = variables[Self.endpointVariable] {
      let table = if case .string(let name)? = store["table"] { name } else { "?" }
      notes.append(
        "users are stored in the table \(table) of \(endpoint), which must exist (docs/dynamodb.md)")
      return configuration
    }
    var changed = configuration
    changed["store"] = .members([
      "sqlite": .members([
        "path": .string(path("identity.sqlite3")), "revocations": .string(path("revocations.json")),
      ])
    ])
    if let foreignEndpoint {
      notes.append(
        "\(Self.endpointVariable) is ignored: \(foreignEndpoint) is not an address of this machine")
    }
    notes.append(
      "users are stored in \(path("identity.sqlite3")) instead of a table; "
        + "set \(Self.endpointVariable) to use a DynamoDB on this machine")
    return changed
  }

  private mutating func adapt(_ configuration: JSONTree, sqlite: JSONTree) -> JSONTree {
    guard case .object = sqlite else { return configuration }
    if sqlite["revocations"] != nil { writesRevocations = true }
    var local = sqlite
    for (name, file) in [("path", "identity.sqlite3"), ("revocations", "revocations.json")] {
      if case .string? = sqlite[name] { local[name] = .string(path(file)) }
    }
    var changed = configuration
    changed["store"] = .members(["sqlite": local])
    if case .string(let configured)? = sqlite["path"] {
      notes.append(
        "users are stored in \(path("identity.sqlite3")) instead of \(Printable.text(configured))")
    }
    return changed
  }

  /// Returns the authorizer's configuration, changed to read revocations where the identity function writes them.
  ///
  /// Nothing here replaces a table of used proofs: without one, a proof would count twice.
  mutating func adapt(authorizer configuration: JSONTree) -> JSONTree {
    noteProofs(ShippedFunction.authorizer.proofTables(of: configuration))
    let revocation = configuration["revocation"]
    // A configured file is the one that the identity function writes, if there is one.
    let source = revocation?["file"] == nil ? "dynamoDB" : "file"
    guard source == "file" ? writesRevocations : variables.isEmpty, revocation?[source] != nil,
      case .object(let members)? = revocation
    else { return configuration }
    var changed = configuration
    changed["revocation"] = .object(
      members.filter { $0.name != source }
        + [.init(name: "file", value: .string(path("revocations.json")))])
    return changed
  }

  private mutating func noteProofs(_ tables: [DeployedTable]) {
    guard !tables.isEmpty else { return }
    let names = tables.map { Printable.text($0.name) }.joined(separator: ", ")
    if let endpoint = variables[Self.endpointVariable] {
      notes.append("used proofs are written to \(names) of \(endpoint), which must exist (docs/dynamodb.md)")
    } else {
      notes.append(
        "used proofs need the table \(names), so requests with a proof fail with storeUnavailable; "
          + "set \(Self.endpointVariable) to use a DynamoDB on this machine")
    }
  }

  /// Creates an empty file of revocations if a configuration reads it here and there are no users yet. Without the file,
  /// the authorizer refuses every user. If there are users, the identity function writes their revocations again when
  /// it starts.
  func createRevocations(for configuration: JSONTree, _ files: FileSystem) throws(CommandFailure) {
    let path = path("revocations.json")
    guard case .string(let file)? = configuration["revocation"]?["file"], file.utf8.elementsEqual(path.utf8),
      !files.exists(path), !files.exists(self.path("identity.sqlite3"))
    else { return }
    try files.write(Array("{\"revocations\":[]}\n".utf8), to: path)
  }

  private func path(_ name: String) -> String { folder + "/" + name }

  /// Whether a path is one of the files that replace those of a configuration.
  static func isOurs(_ path: String, in folder: String) -> Bool {
    ["jwks.json", "revocations.json"].contains { (folder + "/" + $0).utf8.elementsEqual(path.utf8) }
  }

  /// The files that are written in the development folder.
  private static let files =
    ["", "-wal", "-shm", "-journal"].map { "identity.sqlite3" + $0 } + ["revocations.json"]

  /// Refuses links and special files in place of written files: a working tree from another author may contain some.
  ///
  /// - Throws: `CommandFailure` for the first one.
  static func refuseLinks(on machine: Machine) throws(CommandFailure) {
    try machine.development.prepare()
    for path in files.map({ machine.development.path + "/" + $0 }) {
      guard let flaw = FileStatus.flaw(of: path) else { continue }
      throw CommandFailure(
        .usage, Printable.text("\(path) \(flaw): serve would write to another location"),
        hint: "remove it; serve creates the file")
    }
  }
}
