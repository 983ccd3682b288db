internal import Text
internal import Bytes
internal import FunctionHost
internal import IssuerKeys
internal import JSON

/// Uses random secrets in place of those that exist only in a deployment.
///
/// A template contains references such as `{{resolve:secretsmanager:…}}`, which the function refuses as a secret.
/// With `--env` the user sets a value of their own, which can sign tokens.
struct LocalSecrets {
  /// The replaced secrets of issuers, as notes for the user.
  private(set) var notes: [String] = []
  private let files: FileSystem

  init(_ files: FileSystem) { self.files = files }

  /// 96 hexadecimal digits, new for each start of `serve`. They are long enough for HS512, also if decoded as base64.
  static let secret = String(decoding: [UInt8].random(count: 48).hexadecimal, as: UTF8.self)

  /// The variable with ``secret``.
  private static let randomVariable = "AUTHORIZER_STAND_IN_SECRET"

  /// The names of the template's variables that the functions get as secrets, under names of this program.
  private(set) var renamed: [String] = []

  /// Replaces the secrets that are missing or unresolved in a function's environment.
  ///
  /// - Parameters:
  ///   - variables: the function's variables. A configuration that names a file is changed too.
  ///   - name: the variable with the configuration as JSON. Other content is left to the function.
  ///   - inTemplate: the variables of the template. The function gets the secrets among them under other names: the
  ///     template chooses the names, which may be those of a loader or of a library.
  ///   - given: the variables of `--env`, which have priority.
  ///   - folder: the folder of relative paths in the configuration.
  mutating func resolve(
    _ variables: inout [String: String], of name: String, inTemplate: [String: String],
    given: [String: String], in folder: String
  ) {
    guard let text = variables[name], var tree = try? JSONTree(parsing: Array(text.utf8)), case .object = tree
    else { return }
    tree = tree.changingObjects(of: "issuers") { issuer in
      guard var keys = issuer["keys"], let secret = keys["secret"], case .object = secret else { return }
      keys["secret"] = resolved(secret, &variables, inTemplate, given, folder, isNoted: true)
      issuer["keys"] = keys
    }
    if var nonce = tree["nonce"], let secret = nonce["secret"], case .object = secret {
      nonce["secret"] = resolved(secret, &variables, inTemplate, given, folder, isNoted: false)
      tree["nonce"] = nonce
    }
    tree = tree.changingObjects(of: "receivers") { receiver in
      guard let credential = receiver["authorization"], case .object = credential else { return }
      receiver["authorization"] = resolved(
        credential, &variables, inTemplate, given, folder, isNoted: false)
    }
    variables[name] = String(decoding: tree.bytes(), as: UTF8.self)
  }

  private mutating func resolved(
    _ secret: JSONTree, _ variables: inout [String: String], _ inTemplate: [String: String],
    _ given: [String: String], _ folder: String, isNoted: Bool
  ) -> JSONTree {
    let isBase64 = secret["encoding"] == .string("base64")
    if case .string(let name)? = secret["environment"] {
      if let value = given[name] {
        variables[name] = value
        return secret
      }
      let own = variables[name]
      if own == nil, !renamed.contains(name) { renamed.append(name) }
      guard let value = own ?? inTemplate[name], !Self.isMissing(Array(value.utf8), isBase64: isBase64) else {
        if isNoted {
          notes.append(
            "the template has no secret for \(name): a random one is used; set your own with --env"
              + " \(ShellWord.assignment(name, "VALUE"))"
          )
        }
        variables[Self.randomVariable] = Self.secret
        return Self.named(Self.randomVariable, secret)
      }
      guard own == nil, let number = renamed.firstIndex(of: name) else { return secret }
      let standIn = "\(Self.randomVariable)_\(number)"
      variables[standIn] = value
      return Self.named(standIn, secret)
    }
    guard case .string(let path)? = secret["file"] else { return secret }
    let file = path.hasBytePrefix("/") ? path : folder + "/" + path
    guard let bytes = try? files.bytes(at: file), Self.isMissing(bytes, isBase64: isBase64) else {
      return secret
    }
    variables[Self.randomVariable] = Self.secret
    if isNoted { notes.append("\(path) contains no secret: a random one is used instead") }
    return .members(["environment": .string(Self.randomVariable)])
  }

  /// Returns the member `secret` of a configuration with another variable.
  private static func named(_ variable: String, _ secret: JSONTree) -> JSONTree {
    var changed = secret
    changed["environment"] = .string(variable)
    return changed
  }

  /// - Parameter isBase64: whether the secret is base64. Text that is not base64 is left to the function.
  private static func isMissing(_ text: [UInt8], isBase64: Bool) -> Bool {
    guard !text.isEmpty else { return true }
    if UnresolvedSecret(bytes: text) != nil { return true }
    guard let bytes = isBase64 ? Base64.decode(text) : text else { return false }
    return UnresolvedSecret(bytes: bytes) != nil
  }
}
