internal import Text
internal import Authorizer
internal import FunctionHost
internal import JSON
internal import Templates

/// The source of the settings of a function deployed with these variables in this folder.
struct LocalSource: ConfigurationSource {
  let variables: [String: String]
  /// The folder of the deployment, `LAMBDA_TASK_ROOT`.
  let taskRoot: String

  /// The variables of the short form, which a configuration replaces.
  static let shortForm: Set = ["AUTHORIZER_ISSUER", "AUTHORIZER_AUDIENCE", "AUTHORIZER_KEYS"]

  func variable(_ name: String) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  func file(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    // Absolute, so that the LAMBDA_TASK_ROOT of this process has no effect.
    let absolute = path.hasBytePrefix("/") ? path : taskRoot + "/" + path
    return try FunctionEnvironment().file(absolute, limit: limit)
  }

  func settings() throws(ConfigurationError) -> Settings { try Settings(reading: self) }
}

extension LocalSource {
  /// Creates the source of a function with this configuration file.
  init(
    of path: String, for function: ShippedFunction = .authorizer, _ variables: [String: String],
    _ files: FileSystem
  ) {
    self.variables = variables.filter { !Self.shortForm.contains($0.key) }
      .merging([function.variable: files.absolute(path)]) { $1 }
    taskRoot = files.directory(of: path)
  }
}

extension FunctionConfiguration {
  /// Returns the variables that configure the function. Variables of `--env` override all others.
  ///
  /// The configuration of a file overrides the issuer variables of the environment.
  func authorizerVariables(
    _ options: ConfigurationOptions, _ environment: [String: String]
  ) -> [String: String] {
    let inherited = environment.filter { name, _ in
      name.hasBytePrefix("AUTHORIZER_") && name != TimeoutFactor.variable
        && !(isFromFile && LocalSource.shortForm.contains(name))
    }
    return inherited.merging(variables) { $1 }.merging(options.variables) { $1 }
  }

  /// Returns the settings that the function reads.
  func source(_ options: ConfigurationOptions, on machine: Machine) -> LocalSource {
    LocalSource(
      variables: authorizerVariables(options, machine.environment),
      taskRoot: taskRoot ?? machine.files.currentDirectory)
  }
}
