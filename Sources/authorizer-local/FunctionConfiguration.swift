internal import Emulator
internal import Foundation
internal import JSON

/// The configuration that a function is given, and what events must share to share a process.
struct FunctionConfiguration: Hashable {
  /// Variables for the function.
  let variables: [String: String]
  /// Where the configuration's relative paths begin.
  let taskRoot: String?

  var isFromFile: Bool { taskRoot != nil }

  /// The configuration for an event.
  ///
  /// `--config`, else what the environment says, else the nearest `authorizer.json`. A file goes inline, with the
  /// development keys in the place of every public key set, so that it can be tested unchanged.
  ///
  /// - Throws: `CommandFailure` where our own function would have none.
  static func forEvent(
    in directory: String, options: FunctionOptions
  ) throws(CommandFailure) -> FunctionConfiguration {
    let development = options.realKeys ? [:] : ["AUTHORIZER_DEVELOPMENT": "1"]
    let given = Set(ProcessInfo.processInfo.environment.keys).union(options.variables.keys)
    let isGiven = !given.isDisjoint(with: ["AUTHORIZER_CONFIG", "AUTHORIZER_ISSUER"])
    let found = isGiven ? nil : FileSystem.nearest("authorizer.json", from: directory)
    guard let path = options.config ?? found else {
      guard isGiven || options.function != nil else {
        throw CommandFailure(
          .usage, "no configuration for the authorizer",
          hint:
            "write authorizer.json beside the events, or give --config FILE or --env AUTHORIZER_ISSUER=apple")
      }
      return FunctionConfiguration(variables: development, taskRoot: nil)
    }
    let bytes = try FileSystem.bytes(at: path)
    let tree: JSONTree
    do throws(JSONError) {
      tree = try JSONTree(parsing: bytes, limits: .configuration)
    } catch {
      throw CommandFailure(.usage, "\(path) is not JSON: \(error.description)")
    }
    let inline =
      options.realKeys ? tree : withDevelopmentKeys(tree, keySet: try DevelopmentKeySet.existingPath())
    return FunctionConfiguration(
      variables: development.merging(["AUTHORIZER_CONFIG": String(decoding: inline.bytes(), as: UTF8.self)]) {
        _, new in new
      },
      taskRoot: FileSystem.directory(of: path))
  }

  /// The same configuration with `{"seed":…,"pinned":true}` for the keys of each issuer that is not symmetric.
  static func withDevelopmentKeys(_ configuration: JSONTree, keySet path: String) -> JSONTree {
    guard case .array(let issuers)? = configuration["issuers"] else { return configuration }
    var result = configuration
    result["issuers"] = .array(
      issuers.map { issuer in
        guard case .object = issuer, issuer["keys"]?["secret"] == nil else { return issuer }
        var issuer = issuer
        issuer["keys"] = .object([
          .init(name: "seed", value: .string(path)), .init(name: "pinned", value: .boolean(true)),
        ])
        return issuer
      })
    return result
  }
}
