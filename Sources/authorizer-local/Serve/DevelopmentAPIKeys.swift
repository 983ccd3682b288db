internal import Bytes
internal import Templates
internal import JSON

/// The values of API keys to which a template gives none, because API Gateway makes them.
///
/// They are made on the first use and kept in the development state, so a client can keep its key.
struct DevelopmentAPIKeys {
  /// The values, by the name of the key's resource.
  let values: [String: String]

  private static let fileName = "api-keys.json"
  /// The maximum size of the file in bytes: our limit, far above the keys of a template.
  private static let maximumFileBytes = 1 << 20
  /// As many letters and digits as API Gateway makes itself.
  private static let characters = 40

  /// Reads the values of these keys, and makes those that are missing.
  ///
  /// - Throws: `CommandFailure` if the state cannot be used.
  init(of template: GatewayTemplate, on machine: Machine) throws(CommandFailure) {
    let names = template.keysWithoutValue
    guard !names.isEmpty else {
      values = [:]
      return
    }
    // The keys of tokens are made first: this creates the folder and checks its owner.
    _ = try machine.development.keys()
    let path = machine.development.path + "/" + Self.fileName
    var stored: [String: String] = [:]
    if machine.files.exists(path),
      case .object(let members)? = try? JSONTree(
        parsing: machine.files.bytes(at: path, limit: Self.maximumFileBytes), limits: .configuration)
    {
      for case (let name, .string(let value)) in members.map({ ($0.name, $0.value) })
      where value.utf8.count == Self.characters && value.utf8.allSatisfy(\.isLetterOrDigit) {
        stored[name] = value
      }
    }
    let missing = names.filter { stored[$0] == nil }
    for name in missing { stored[name] = Self.made() }
    if !missing.isEmpty {
      let tree = JSONTree.object(
        stored.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .string($0.value)) })
      try machine.development.write(tree.bytes(indentedBy: 2) + [0x0A], to: Self.fileName)
    }
    values = stored.filter { names.contains($0.key) }
  }

  /// One line for each key, for the start message.
  var lines: [String] {
    values.sorted { $0.key < $1.key }.map { "API key \($0.key)  x-api-key: \($0.value)  (development)" }
  }

  private static func made() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    var random = SystemRandomNumberGenerator()
    return String((0..<characters).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
  }
}
