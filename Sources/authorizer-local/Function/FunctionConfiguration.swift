internal import JSON

/// The configuration of a function process. Events with the same configuration share a process.
struct FunctionConfiguration: Hashable {
  let variables: [String: String]
  /// The folder of relative paths in the configuration.
  let taskRoot: String?

  var isFromFile: Bool { taskRoot != nil }

  /// Returns the configuration for an event.
  ///
  /// The sources are, in this order: `--config`, the environment, and the nearest `authorizer.json`. A file is passed
  /// inline, with the development keys instead of every public key set, so that it can be tested unchanged.
  ///
  /// - Parameters:
  ///   - realKeys: keeps the keys of the file.
  ///   - isOurs: whether this project's function runs; another function may need no configuration.
  ///   - searches: whether to search the nearest file; `false` if a template has the whole configuration.
  /// - Throws: `CommandFailure` if this project's function would have no configuration.
  static func forEvent(
    in directory: String, options: ConfigurationOptions, realKeys: Bool, isOurs: Bool,
    searches: Bool = true, on machine: Machine
  ) throws(CommandFailure) -> FunctionConfiguration {
    let development = realKeys ? [:] : ["AUTHORIZER_DEVELOPMENT": "1"]
    let given = Set(machine.environment.keys).union(options.variables.keys)
    let isGiven = !given.isDisjoint(with: ["AUTHORIZER_CONFIG", "AUTHORIZER_ISSUER"])
    let found = isGiven || !searches ? nil : machine.files.nearest("authorizer.json", from: directory)
    guard let path = options.config ?? found else {
      guard isGiven || !isOurs else {
        throw CommandFailure(
          .usage, "no configuration for the authorizer",
          hint:
            "create authorizer.json beside the events, or give --config FILE or --env AUTHORIZER_ISSUER=apple,"
            + " or give --handler FILE:NAME or --function COMMAND for an authorizer of your own"
        )
      }
      return FunctionConfiguration(variables: development, taskRoot: nil)
    }
    let tree = try machine.files.configuration(at: path)
    let inline =
      realKeys ? tree : withKeys(tree, keySet: try machine.development.keySetPath())
    return FunctionConfiguration(
      variables: development.merging(["AUTHORIZER_CONFIG": String(decoding: inline.bytes(), as: UTF8.self)]) {
        _, new in new
      },
      taskRoot: machine.files.directory(of: path))
  }

  /// Returns the same configuration with `{"seed":…,"pinned":true}` as the keys of each issuer that is not symmetric.
  static func withKeys(_ configuration: JSONTree, keySet path: String) -> JSONTree {
    configuration.changingObjects(of: "issuers") { issuer in
      guard issuer["keys"]?["secret"] == nil else { return }
      issuer["keys"] = .members([
        "seed": .string(path), "pinned": .boolean(true),
        "minimumRSAExponent": issuer["keys"]?["minimumRSAExponent"],
      ])
    }
  }
}
