internal import ArgumentParser

/// The options that select a second function, whose answers are compared with those of the first.
struct AgainstArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compares the answers with those of this shell command, as --function takes it.", valueName: "command"))
  var against: String?

  @Option(
    help: ArgumentHelp(
      "Compares the answers with those of this function, as --handler takes it.", valueName: "path:function"))
  var againstHandler: String?

  @Option(
    help: ArgumentHelp(
      "Compares the answers with those of this project's authorizer, or of the command of --against, with this configuration.",
      valueName: "file"), completion: .file())
  var againstConfig: String?

  @Flag(
    help: "The first authorizer is API Gateway itself: the JWT and Cognito authorizers of --template.")
  var native = false

  /// Returns the second function, which differs from the first in what these options say; `nil` without them.
  func options(besides first: FunctionOptions) throws(CommandFailure) -> FunctionOptions? {
    guard against != nil || againstHandler != nil || againstConfig != nil else {
      if native {
        throw CommandFailure(options: "--native needs --against, --against-handler or --against-config")
      }
      return nil
    }
    if native, first.function != nil || first.zip != nil || first.handler != nil {
      throw CommandFailure(options: "give --native, or --function, --zip or --handler, not both")
    }
    if againstHandler != nil, against != nil || againstConfig != nil {
      throw CommandFailure(options: "give --against-handler, or --against and --against-config, not both")
    }
    var other = first
    (other.function, other.zip) = (against, nil)
    other.handler = try HandlerOption.all(againstHandler.map { [$0] } ?? []).first
    other.configuration.config = againstConfig ?? (againstHandler == nil ? first.configuration.config : nil)
    return other
  }
}
