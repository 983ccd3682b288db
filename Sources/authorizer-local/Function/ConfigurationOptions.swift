internal import Text
internal import Bytes
internal import ArgumentParser

/// The choice of the authorizer's configuration.
struct ConfigurationOptions: Sendable {
  var config: String?
  /// Keeps the issuers' real keys instead of replacing them with the development keys.
  var realKeys = false
  var tokens = TokenSource()
  var variables: [String: String] = [:]
}

/// The options that select the configuration of the authorizer.
struct ConfigurationArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Configuration of the authorizer. Default: authorizer.json in the folder of the event or template, or above.",
      valueName: "file"), completion: .file())
  var config: String?

  @Flag(help: "Uses the issuers' real keys instead of the development keys.")
  var realKeys = false

  @Option(help: ArgumentHelp("Adds a variable to the function's environment.", valueName: "name=value"))
  var env: [String] = []

  func options(_ tokens: TokenArguments) throws(CommandFailure) -> ConfigurationOptions {
    ConfigurationOptions(
      config: config, realKeys: realKeys, tokens: tokens.source,
      variables: try NamedValues.parse(env) { "--env needs NAME=VALUE, found \($0)" })
  }
}

/// Options such as `--env NAME=VALUE`.
enum NamedValues {
  /// Returns the values by name; the last one of a name counts.
  ///
  /// - Parameter problem: the message about a text that is not NAME=VALUE.
  static func parse(
    _ texts: [String], problem: (String) -> String
  ) throws(CommandFailure) -> [String: String] {
    var pairs: [String: String] = [:]
    for text in texts {
      guard let (name, value) = pair(text) else { throw CommandFailure(options: problem(text)) }
      pairs[name] = value
    }
    return pairs
  }

  /// Returns the parts of NAME=VALUE; the name is not empty.
  static func pair(_ text: String) -> (name: String, value: String)? {
    guard let sign = text.dropFirst(bytes: 1).utf8.firstIndex(of: .equalsSign) else { return nil }
    return (String(text[..<sign]), String(text[sign...].dropFirst(bytes: 1)))
  }
}
