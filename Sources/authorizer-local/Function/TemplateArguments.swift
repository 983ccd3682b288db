internal import ArgumentParser

/// The values of a template that the command line gives.
struct TemplateArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Value of a parameter of the template, or of an import:, ssm:, secret: or output that only AWS knows. Repeatable.",
      valueName: "name=value"))
  var parameter: [String] = []

  @Option(help: "Value of AWS::Region, used in ARNs.")
  var region = "us-east-1"

  @Option(
    help: ArgumentHelp(
      "Folder whose files the template may include. Default: the template's Git repository, else its folder.",
      valueName: "folder"), completion: .directory)
  var includeRoot: String?

  func values() throws(CommandFailure) -> TemplateValues {
    TemplateValues(
      parameters: try NamedValues.parse(parameter) { "--parameter needs NAME=VALUE, found \($0)" },
      region: region, includeRoot: includeRoot)
  }
}

/// What the command line says about a template.
struct TemplateValues: Sendable {
  var parameters: [String: String] = [:]
  /// The value of `AWS::Region`.
  var region = "us-east-1"
  /// The folder whose files the template may include; `nil` for its repository.
  var includeRoot: String?
}
