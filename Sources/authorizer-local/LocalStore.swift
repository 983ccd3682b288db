internal import Foundation
internal import JSON
internal import KeyFetcher

/// Where users and revocations are kept on this machine, in the place of a table of DynamoDB.
///
/// With `AWS_ENDPOINT_URL_DYNAMODB`, AWS's own variable, a DynamoDB that runs here is taken and nothing is changed. One of
/// another machine never is: anybody can sign in here, and the table might be the real one.
struct LocalStore {
  /// What was changed.
  private(set) var notes: [String] = []
  /// Variables for a function that speaks to a table.
  let variables: [String: String]
  /// The endpoint of another machine, which is not taken.
  private let foreignEndpoint: String?

  private static let endpointVariable = "AWS_ENDPOINT_URL_DYNAMODB"
  /// What the functions need besides, with words that any emulator takes where the caller has none.
  private static let credentials = [
    "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_SESSION_TOKEN": nil,
  ]

  /// The store for this environment of the harness.
  init(inherited: [String: String]) {
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

  /// AWS's tools let the path out.
  private static func withPath(_ endpoint: String) -> String {
    endpoint.split(separator: "/", omittingEmptySubsequences: false).count == 3 ? endpoint + "/" : endpoint
  }

  private var hasTable: Bool { !variables.isEmpty }

  /// Whether a function that keeps users here writes revocations to a file, which the authorizer then reads.
  private var writesRevocations = false

  /// The configuration of the function that signs users in, with a database of the development folder in the place of a
  /// table, or of a file: which file is overwritten is not for a template to say.
  mutating func adapt(identity configuration: JSONTree) -> JSONTree {
    if let sqlite = configuration["store"]?["sqlite"] { return adapt(configuration, sqlite: sqlite) }
    guard let store = configuration["store"]?["dynamoDB"] else { return configuration }
    if let endpoint = variables[Self.endpointVariable] {
      let table = if case .string(let name)? = store["table"] { name } else { "?" }
      notes.append(
        "users are kept in the table \(table) of \(endpoint), which must be there (docs/dynamodb.md)")
      return configuration
    }
    var changed = configuration
    changed["store"] = .object([
      .init(
        name: "sqlite",
        value: .object([
          .init(name: "path", value: .string(Self.path("identity.sqlite3"))),
          .init(name: "revocations", value: .string(Self.path("revocations.json"))),
        ]))
    ])
    if let foreignEndpoint {
      notes.append("\(Self.endpointVariable) is not taken: \(foreignEndpoint) is no address of this machine")
    }
    notes.append(
      "users are kept in \(Self.path("identity.sqlite3")) in the place of a table; "
        + "\(Self.endpointVariable) takes a DynamoDB of this machine")
    return changed
  }

  private mutating func adapt(_ configuration: JSONTree, sqlite: JSONTree) -> JSONTree {
    guard case .object(let members) = sqlite else { return configuration }
    if sqlite["revocations"] != nil { writesRevocations = true }
    var changed = configuration
    changed["store"] = .object([
      .init(
        name: "sqlite",
        value: .object(
          members.map { member in
            switch (member.name, member.value) {
            case ("path", .string): .init(name: "path", value: .string(Self.path("identity.sqlite3")))
            case ("revocations", .string):
              .init(name: "revocations", value: .string(Self.path("revocations.json")))
            default: member
            }
          }))
    ])
    if case .string(let path)? = sqlite["path"] {
      notes.append(
        "users are kept in \(Self.path("identity.sqlite3")) in the place of \(Printable.text(path))")
    }
    return changed
  }

  /// The authorizer's configuration, which reads revocations where the other function writes them.
  mutating func adapt(authorizer configuration: JSONTree) -> JSONTree {
    let revocation = configuration["revocation"]
    // A file is the one that the other function writes, where there is one.
    let source = revocation?["file"] == nil ? "dynamoDB" : "file"
    guard source == "file" ? writesRevocations : !hasTable, revocation?[source] != nil,
      case .object(let members)? = revocation
    else { return configuration }
    var changed = configuration
    changed["revocation"] = .object(
      members.filter { $0.name != source }
        + [.init(name: "file", value: .string(Self.path("revocations.json")))])
    return changed
  }

  private static func path(_ name: String) -> String { DevelopmentKeySet.folder + "/" + name }

  /// Whether a path is one of those that take the place of a configuration's own.
  static func isOurs(_ path: String) -> Bool {
    ["jwks.json", "revocations.json"].contains { Self.path($0).utf8.elementsEqual(path.utf8) }
  }

  /// What is written in the development folder.
  private static let files =
    ["", "-wal", "-shm", "-journal"].map { "identity.sqlite3" + $0 } + ["revocations.json"]

  /// Looks for links where files are written: a working tree of another author may hold some.
  ///
  /// - Throws: `CommandFailure` with the first of them.
  static func refuseLinks() throws(CommandFailure) {
    for path in [DevelopmentKeySet.folder] + files.map(path) {
      let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      guard type == .typeSymbolicLink else { continue }
      throw CommandFailure(
        .usage, "\(path) is a link: what serve writes there would be written elsewhere",
        hint: "take the link away; serve makes a folder and files of its own")
    }
  }
}
