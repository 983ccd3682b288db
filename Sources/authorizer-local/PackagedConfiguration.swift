internal import Authorizer
internal import Emulator
internal import JSON

/// The configuration of a deployment package, read as the function will read it, without unpacking anything.
struct PackagedConfiguration {
  /// What the function finds in its folder.
  let package: DeploymentPackage
  /// The variables that it is given.
  let variables: [String: String]

  /// Its file in the folder of the deployment, where no variable names another.
  static let fileName = "authorizer.json"

  /// Whether there is anything to read.
  var isThere: Bool {
    package.file(Self.fileName) != nil
      || ["AUTHORIZER_CONFIG", "AUTHORIZER_ISSUER"].contains { !(variables[$0] ?? "").isEmpty }
  }

  /// Whether a variable holds a dynamic reference, which AWS alone resolves ("Dynamic references").
  func isUnknown(_ variable: String) -> Bool { variables[variable]?.contains("{{resolve:") == true }

  /// The configuration that a variable names in place of `authorizer.json`.
  var namedConfiguration: String? {
    guard let text = variables["AUTHORIZER_CONFIG"], !text.isEmpty, !Self.isInline(text),
      Self.relative(text) != Self.fileName
    else { return nil }
    return text
  }

  /// Whether `authorizer.json` is there, and another configuration counts.
  var isShadowed: Bool {
    guard let text = variables["AUTHORIZER_CONFIG"], !text.isEmpty else { return false }
    return package.file(Self.fileName) != nil && Self.relative(text) != Self.fileName
  }

  /// The files that the configuration names, in whatever form it is given.
  var namedFiles: [String] {
    if let document { return Self.files(namedBy: document) }
    let keys = variables["AUTHORIZER_KEYS"] ?? ""
    return keys.isEmpty || keys.contains("://") || isUnknown("AUTHORIZER_KEYS") ? [] : [keys]
  }

  private static func isInline(_ text: String) -> Bool {
    text.utf8.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == 0x7B
  }

  /// A name as it stands in the package, which Lambda lays in `/var/task` ("Defined runtime environment variables",
  /// LAMBDA_TASK_ROOT).
  static func relative(_ path: String) -> String {
    let root = "/var/task/"
    var relative = path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
    while relative.hasPrefix("./") { relative = String(relative.dropFirst(2)) }
    return relative
  }

  /// The settings, as the function would have them.
  func settings(development: Bool = false) throws(ConfigurationError) -> Settings {
    var variables = standIns.merging(variables.filter { !isUnknown($0.key) }) { $1 }
    variables["AUTHORIZER_DEVELOPMENT"] = development ? "1" : nil
    return try Settings(reading: Source(package: package, variables: variables))
  }

  /// The document that the settings come from; `nil` for the short form, and for what is no JSON.
  var document: JSONTree? {
    let given = variables["AUTHORIZER_CONFIG"] ?? ""
    if given.isEmpty, !(variables["AUTHORIZER_ISSUER"] ?? "").isEmpty { return nil }
    let source = Source(package: package, variables: [:])
    let isInline = Self.isInline(given)
    let path = given.isEmpty ? Self.fileName : given
    let bytes = isInline ? Array(given.utf8) : try? source.file(path, limit: JSONLimits.configuration.bytes)
    return bytes.flatMap { try? JSONTree(parsing: $0, limits: .configuration) }
  }

  /// A secret for every variable that should hold one and is not given here: the file alone can be judged.
  var standIns: [String: String] {
    guard let document else { return [:] }
    var variables: [String: String] = [:]
    for issuer in document.list("issuers") {
      guard case .string(let name)? = issuer["keys"]?["secret"]?["environment"] else { continue }
      // 96 bytes as they are, and 72 as base64: enough for HS512 (RFC 7518 section 3.2).
      variables[name] = String(repeating: "c3RhbmRp", count: 12)
    }
    return variables
  }

  /// The files of the package that hold an issuer's shared secret, as the configuration says.
  var secretFiles: Set<String> {
    guard let document else { return [] }
    return Set(
      document.list("issuers").compactMap { $0["keys"]?["secret"]?.word("file") }.map(Self.relative))
  }

  /// The files that the document names: seeds, secrets and certificates.
  static func files(namedBy document: JSONTree) -> [String] {
    var paths: [String] = []
    func add(_ value: JSONTree?) {
      if case .string(let path)? = value, !paths.contains(path) { paths.append(path) }
    }
    for issuer in document.list("issuers") {
      add(issuer["keys"]?["seed"])
      add(issuer["keys"]?["secret"]?["file"])
    }
    add(document["fetch"]?["certificateAuthorities"])
    return paths
  }

  private struct Source: ConfigurationSource {
    let package: DeploymentPackage
    let variables: [String: String]

    func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
      // ENOENT of Linux and macOS (errno(3)).
      guard let file = package.file(PackagedConfiguration.relative(path)) else { throw .unreadable(errno: 2) }
      guard file.bytes.count <= limit else { throw .tooLarge(limit: limit) }
      return file.bytes
    }
  }
}

extension JSONTree {
  /// The elements of a member that is a list.
  func list(_ name: String) -> [JSONTree] {
    if case .array(let elements)? = self[name] { elements } else { [] }
  }
}
