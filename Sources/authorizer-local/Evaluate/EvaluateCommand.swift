internal import GatewayModel
internal import IAMPolicy
internal import LambdaEmulator
internal import ArgumentParser

struct EvaluateCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Evaluates an IAM policy for a call, and shows which statement decided.",
    discussion: """
      POLICY is a policy document or an authorizer's whole answer; - reads standard input. Conditions and policy \
      variables use the time of this machine; other condition keys come from --context. A policy that cannot be \
      evaluated is refused; no part of it is ignored.

      Examples:
        authorizer-local evaluate policy.json --arn arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets
        authorizer-local evaluate policy.json --arn "$PETS" --arn "$DOGS" --verbose
        authorizer-local evaluate policy.json --arn "$ARN" --clock +2h --context aws:SourceIp=203.0.113.7
        authorizer-local evaluate answer.json --lint --kind restToken

      Exit codes: 0 all allowed and nothing found, 1 not allowed or something found, 64 the policy cannot be evaluated.
      """)

  @Argument(help: "File with the policy, or - for standard input.", completion: .file())
  var policy: String

  @Option(
    help: """
      The requested method or route: arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/VERB/PATH. Repeatable.
      """)
  var arn: [String] = []

  @Option(help: "The requested action.")
  var action = PolicyEvaluator.invoke

  @Option(
    help: ArgumentHelp(
      "A condition key of the request; without =, the request lacks the key. Repeatable.",
      valueName: "key=value"))
  var context: [String] = []

  @OptionGroup var clock: ClockArguments

  @Flag(help: "Reports what AWS refuses and what is probably a mistake.")
  var lint = false

  @OptionGroup var lintArguments: LintArguments

  @Option(
    help: ArgumentHelp(
      "Kind of the event for --lint. Default: restRequest.", valueName: "kind"),
    completion: .list(EventKindName.all), transform: EventKindName.parse)
  var kind = EventKind.restRequest

  @Flag(help: "Shows why each statement applies or not.")
  var verbose = false

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  func run(on machine: Machine) throws {
    let now = machine.now()
    if arn.isEmpty, !lint {
      throw CommandFailure(options: "give --arn ARN (the requested method or route) or --lint")
    }
    try EvaluateRun(
      command: self, time: try clock.moment(at: now) ?? now, lint: lint ? lintArguments.lint(kind) : nil,
      machine: machine
    ).run()
  }
}
