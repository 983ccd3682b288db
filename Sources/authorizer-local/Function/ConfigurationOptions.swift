internal import ArgumentParser

/// The options that select the configuration of the authorizer.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Configuration of the authorizer. Default: authorizer.json in the folder of the event or template, or above.",
      valueName: "file"))
  var config: String?

  @Flag(help: "Keeps the issuers' real keys instead of replacing them with the development keys.")
  var realKeys = false

  @Option(
    help: ArgumentHelp(
      "tokens.json for {{token NAME}} in events. Default: the nearest one.", valueName: "file"))
  var tokens: String?

  @Option(help: ArgumentHelp("Adds a variable to the function's environment.", valueName: "name=value"))
  var env: [String] = []

  func validate() throws {
    for variable in env where !(variable.dropFirst().contains("=")) {
      throw ValidationError("--env needs NAME=VALUE, found \(variable)")
    }
  }

  /// The variables of `--env`.
  var variables: [String: String] {
    var variables: [String: String] = [:]
    for variable in env {
      guard let sign = variable.dropFirst().firstIndex(of: "=") else { continue }
      variables[String(variable[..<sign])] = String(variable[variable.index(after: sign)...])
    }
    return variables
  }
}
