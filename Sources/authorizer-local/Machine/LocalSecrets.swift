internal import Emulator
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
  static let secret = (0..<48).map { _ in
    let byte = UInt8.random(in: 0...255)
    return (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }.joined()

  /// The variable that replaces a file.
  private static let fileVariable = "AUTHORIZER_STAND_IN_SECRET"

  /// Replaces the secrets that are missing or unresolved in a function's environment.
  ///
  /// - Parameters:
  ///   - variables: the function's variables. A configuration that names a file is changed too.
  ///   - name: the variable with the configuration as JSON. Other content is left to the function.
  ///   - given: the variables of `--env`, which have priority.
  ///   - folder: the folder of relative paths in the configuration.
  mutating func resolve(
    _ variables: inout [String: String], of name: String, given: [String: String], in folder: String
  ) {
    guard let text = variables[name], var tree = try? JSONTree(parsing: Array(text.utf8)), case .object = tree
    else { return }
    if case .array(let issuers)? = tree["issuers"] {
      tree["issuers"] = .array(
        issuers.map { issuer in
          guard let secret = issuer["keys"]?["secret"], case .object = secret else { return issuer }
          var issuer = issuer
          issuer["keys"] = issuer["keys"].map { keys in
            var keys = keys
            keys["secret"] = resolved(secret, &variables, given, folder, isNoted: true)
            return keys
          }
          return issuer
        })
    }
    if var nonce = tree["nonce"], let secret = nonce["secret"], case .object = secret {
      nonce["secret"] = resolved(secret, &variables, given, folder, isNoted: false)
      tree["nonce"] = nonce
    }
    variables[name] = String(decoding: tree.bytes(), as: UTF8.self)
  }

  private mutating func resolved(
    _ secret: JSONTree, _ variables: inout [String: String], _ given: [String: String], _ folder: String,
    isNoted: Bool
  ) -> JSONTree {
    let isBase64 = secret["encoding"] == .string("base64")
    if case .string(let name)? = secret["environment"] {
      if let value = given[name] {
        variables[name] = value
      } else if Self.isMissing(variables[name].map { Array($0.utf8) }, isBase64: isBase64) {
        variables[name] = Self.secret
        if isNoted {
          notes.append(
            "the template has no secret for \(name): a random one is used; set your own with --env"
              + " \(ShellWord.assignment(name, "VALUE"))"
          )
        }
      }
      return secret
    }
    guard case .string(let path)? = secret["file"] else { return secret }
    let file = path.hasPrefix("/") ? path : folder + "/" + path
    guard let bytes = try? files.bytes(at: file), Self.isMissing(bytes, isBase64: isBase64) else {
      return secret
    }
    variables[Self.fileVariable] = Self.secret
    if isNoted { notes.append("\(path) contains no secret: a random one is used instead") }
    return .object([.init(name: "environment", value: .string(Self.fileVariable))])
  }

  /// - Parameter isBase64: whether the secret is base64. Text that is not base64 is left to the function.
  private static func isMissing(_ text: [UInt8]?, isBase64: Bool) -> Bool {
    guard let text, !text.isEmpty else { return true }
    if UnresolvedSecret(bytes: text) != nil { return true }
    guard let bytes = isBase64 ? Base64.decode(text) : text else { return false }
    return UnresolvedSecret(bytes: bytes) != nil
  }
}
