internal import ArgumentParser

/// The values of a template that the command line gives.
struct TemplateArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A value for a parameter of the template, or for an import:, ssm:, secret: or output that only AWS knows. Repeatable.",
      valueName: "name=value"))
  var parameter: [String] = []

  @Option(help: "Value of AWS::Region, used in ARNs.")
  var region = "us-east-1"

  @Option(
    help: ArgumentHelp(
      "The folder whose files the template may include. Default: the Git repository of the template, or the template's folder.",
      valueName: "folder"))
  var includeRoot: String?

  /// Returns the values by name.
  func parameters() throws(CommandFailure) -> [String: String] {
    try NamedValues.parse(parameter) { "--parameter needs NAME=VALUE, found \($0)" }
  }
}
