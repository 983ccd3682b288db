internal import GatewayConsole
internal import LambdaEmulator
internal import Templates

/// The console of one session of `serve`.
struct ServedConsole {
  let options: ServeOptions
  /// The path of the template.
  let path: String
  let template: GatewayTemplate
  let functions: ServedFunctions
  let examined: ExaminedTemplate?
  let machine: Machine

  /// The authorizers whose clock can be moved, for replays at another time. Their processes start with the first one.
  var trials: [FunctionSettings] {
    let names = template.authorizerFunctions
    return functions.settings.filter {
      names.contains($0.name) && $0.variables["AUTHORIZER_DEVELOPMENT"] == "1"
    }.map { settings in
      var settings = settings
      settings.concurrency = 1
      return settings
    }
  }

  /// What only this program knows of the served functions.
  var facts: SessionFacts {
    let own = functions.settings.first { $0.name == functions.ownAuthorizer }
    return SessionFacts(
      authorizer: own.map { ServedAuthorizer($0, on: machine) }, examined: examined,
      version: machine.release,
      tests: SavedTest(
        folder: machine.files.directory(of: path), files: machine.files, program: machine.command,
        config: options.function.configuration.config))
  }

  /// Returns the console.
  ///
  /// - Parameters:
  ///   - log: the log of the gateway's decisions.
  ///   - trials: the opened authorizers of `trials`.
  func console(_ log: DecisionHistory, _ trials: [String: FunctionPool]) -> Console {
    Console(
      log: log, facts: facts, trials: trials, usesRealKeys: options.function.configuration.realKeys)
  }
}
