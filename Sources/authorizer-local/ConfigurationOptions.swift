internal import ArgumentParser

/// Which configuration of the authorizer to take.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Configuration of the authorizer. Default: authorizer.json beside the event or the template, or above it.",
      valueName: "file"))
  var config: String?

  @Flag(help: "Leaves the issuers' real keys in the configuration instead of the development keys.")
  var realKeys = false

  @Option(
    help: ArgumentHelp(
      "tokens.json for the {{token NAME}} in events. Default: the nearest one.", valueName: "file"))
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
