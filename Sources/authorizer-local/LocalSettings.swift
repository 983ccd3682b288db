internal import Authorizer
internal import Foundation
internal import JSON

/// What the function would read its settings from, had it been deployed with these variables in this folder.
struct LocalSource: ConfigurationSource {
  let variables: [String: String]
  /// The folder of the deployment, `LAMBDA_TASK_ROOT`.
  let taskRoot: String

  func variable(_ name: String) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    // Absolute, so that this process's own LAMBDA_TASK_ROOT has no part in it.
    let absolute = path.hasPrefix("/") ? path : taskRoot + "/" + path
    return try FunctionEnvironment().file(absolute, limit: limit)
  }

  func settings() throws(ConfigurationError) -> Settings { try Settings(reading: self) }
}

extension FunctionConfiguration {
  /// The variables of the function's environment that configure it, those of `--env` over all others.
  ///
  /// A file's configuration stands in the place of whatever the environment says about issuers.
  func authorizerVariables(_ options: ConfigurationOptions) -> [String: String] {
    let replaced: Set = ["AUTHORIZER_ISSUER", "AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS"]
    let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
      name.hasPrefix("AUTHORIZER_") && !name.hasPrefix(Patience.variables)
        && !(isFromFile && replaced.contains(name))
    }
    return inherited.merging(variables) { $1 }.merging(options.variables) { $1 }
  }

  /// The same settings that the function reads.
  func source(_ options: ConfigurationOptions) -> LocalSource {
    LocalSource(
      variables: authorizerVariables(options), taskRoot: taskRoot ?? FileSystem.currentDirectory)
  }
}
