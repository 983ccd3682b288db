internal import Text

/// How a handler is run on this machine: program, arguments and variables.
package struct HandlerFunction: Equatable, Sendable {
  /// The program that the system starts; the interpreter itself, so that memory and signals are its own.
  package let executable: String
  package let arguments: [String]
  package let taskRoot: String
  package let handler: String
  /// The variables of the language, of this user, and of Lambda, without those of the function.
  package let variables: [String: String]
  /// What differs from Lambda, in lower case.
  package let notes: [String]

  package struct AccessKey: Equatable, Sendable {
    package let identifier: String
    package let secret: String

    /// Creates an access key; it must open nothing on AWS.
    package init(identifier: String, secret: String) {
      self.identifier = identifier
      self.secret = secret
    }
  }

  /// Finds the interpreter of a handler.
  ///
  /// - Parameters:
  ///   - loops: the folder with the files of `HandlerLoop`.
  ///   - keySets: the key sets that it gets as the development key set.
  /// - Throws: `HandlerRefusal` if this machine cannot run it.
  package init(
    _ source: HandlerSource, loops: String, inheriting environment: [String: String], key: AccessKey,
    keySets: AnsweredKeySets? = nil
  ) throws(HandlerRefusal) {
    taskRoot = source.folder
    handler = source.handler
    var notes = source.missingLayers.map { "the layer \($0) is not on this machine" }
    var variables = Self.variables(environment, key)
    variables["LAMBDA_TASK_ROOT"] = source.folder
    variables["LAMBDA_RUNTIME_DIR"] = loops
    switch source.kind {
    case .program:
      executable = "/bin/sh"
      arguments = ["-c", #"cd "$LAMBDA_TASK_ROOT" && exec ./bootstrap"#]
    case .interpreted(let language, let wanted):
      let found = try Self.interpreter(language, wanted, environment)
      if let wanted, !language.isSame(found.version, as: wanted) {
        notes.append(
          "\(language.name) \(found.version.text) of \(found.path) runs it instead of \(wanted.text)")
      }
      let version = wanted ?? found.version
      executable = found.path
      let loop = loops + "/" + language.loop.fileName
      var extras = HandlerExtras(layers: source.layers, keySets: keySets)
      switch language {
      case .python:
        // No __pycache__ in the user's folders; on Lambda they cannot be written.
        arguments = ["-u", "-B", loop, source.folder, source.handler, extras.text]
        variables["AWS_EXECUTION_ENV"] = "AWS_Lambda_python\(version.text)"
      case .node:
        extras.packages = HandlerExtras.packages(of: found.path, inheriting: environment)
        arguments = [loop, source.folder, source.handler, extras.text]
        variables["AWS_EXECUTION_ENV"] = "AWS_Lambda_nodejs\(version.major).x"
        let parts = ["/nodejs/node\(version.major)/node_modules", "/nodejs/node_modules"]
        variables["NODE_PATH"] =
          (source.layers.flatMap { layer in parts.map { layer + $0 } } + [source.folder])
          .joined(separator: ":")
      }
    }
    self.variables = variables
    self.notes = notes
  }

  private static func interpreter(
    _ language: HandlerLanguage, _ wanted: InterpreterVersion?, _ environment: [String: String]
  ) throws(HandlerRefusal) -> Interpreter {
    guard let found = Interpreter.find(language, for: wanted, inheriting: environment) else {
      throw .interpreterMissing(language, wanted: wanted)
    }
    if let wanted, !language.accepts(found.version, for: wanted) {
      throw .interpreterOther(language, path: found.path, found: found.version, wanted: wanted)
    }
    guard found.version >= language.oldest else {
      throw .interpreterTooOld(language, path: found.path, found: found.version)
    }
    return found
  }

  /// The variables that do not depend on the function. Nothing else of the user's shell is in them.
  private static func variables(_ inherited: [String: String], _ key: AccessKey) -> [String: String] {
    var variables = [
      "TZ": ":UTC",
      // Lambda's default for text: each language has its own level.
      "AWS_LAMBDA_LOG_FORMAT": "Text", "AWS_LAMBDA_LOG_LEVEL": "",
      "AWS_ACCESS_KEY_ID": key.identifier, "AWS_SECRET_ACCESS_KEY": key.secret,
      "AWS_SESSION_TOKEN": "local",
      // An AWS SDK must not find the user's own profiles, or the role of a virtual machine.
      "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
      "AWS_EC2_METADATA_DISABLED": "true",
    ]
    variables["HOME"] = inherited["HOME"]
    return variables
  }

  /// Whether Lambda reserves a variable, so that it refuses a function that sets it.
  package static func isReserved(_ name: String) -> Bool { LambdaVariables.reserved.contains(name) }

  /// Whether a variable leads an AWS SDK to credentials of this machine ("AWS SDKs and Tools Reference Guide",
  /// Settings reference). The harness keeps handlers from them, so a template must not undo that.
  package static func leadsToCredentials(_ name: String) -> Bool {
    let names: Set = [
      "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CREDENTIAL_FILE", "BOTO_CONFIG", "AWS_PROFILE",
      "AWS_DEFAULT_PROFILE",
    ]
    return names.contains(name)
      || ["AWS_EC2_METADATA_", "AWS_CONTAINER_", "AWS_WEB_IDENTITY_"].contains(where: {
        name.hasBytePrefix($0)
      })
  }

  /// Returns the variables of a template that its handler gets: without the names that Lambda reserves, and those that
  /// lead an AWS SDK to credentials of this machine.
  package static func allowed(_ variables: [String: String]) -> [String: String] {
    variables.filter { !isReserved($0.key) && !leadsToCredentials($0.key) }
  }
}

extension HandlerFunction {
  /// The variables of this program that stay when the others are forgotten: the C library and Foundation look them up.
  private static let needed: Set<String> = [
    "PATH", "HOME", "LANG", "TZ", "TMPDIR", "TERM", "USER", "LOGNAME", "SHELL", "PWD",
  ]

  /// Removes the user's variables from this program, where the process of a handler could look them up.
  ///
  /// - Parameter environment: the user's variables.
  package static func forget(_ environment: [String: String]) {
    ProcessCalls.forgetVariables(
      environment.keys.filter {
        !needed.contains($0) && !$0.hasBytePrefix("LC_") && !$0.hasBytePrefix("XDG_")
      })
  }

  /// Returns the settings of a function that runs this handler.
  ///
  /// - Parameter given: the variables of `--env`.
  package func settings(name: String, variables own: [String: String], given: [String: String])
    -> FunctionSettings
  {
    var settings = FunctionSettings(
      name: name, executable: executable, arguments: arguments, taskRoot: taskRoot,
      variables: variables.merging(Self.allowed(own)) { _, own in own }.merging(given) { _, given in given })
    settings.handler = handler
    return settings
  }

  /// Returns the command that runs this handler outside of a template.
  ///
  /// - Parameters:
  ///   - inherited: the user's variables, of which `PATH` and `LANG` are passed on.
  ///   - given: the variables of `--env`.
  package func command(inheriting inherited: [String: String], given: [String: String]) -> FunctionCommand {
    settings(name: LambdaVariables.functionName, variables: [:], given: given).command(
      inheriting: inherited.filter { $0.key == "PATH" || $0.key == "LANG" })
  }
}
