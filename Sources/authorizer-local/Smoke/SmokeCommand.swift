internal import Text
internal import DeploymentSmoke
internal import ArgumentParser

struct SmokeCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "smoke",
    abstract: "Asks a deployed API what it does, and compares with what serve predicts.",
    discussion: """
      For each route of the template a request without a token, one with garbage, and one with each --token. serve \
      predicts each answer with the real keys of the issuers; where a backend answers, only what API Gateway decides is \
      compared. Without --yes the command prints its plan and sends nothing.

      Tokens go to a host only if the template names it as a domain, or --api-id or --host does. Redirects are not \
      followed. A proxy is used only if the environment names one. Plain http is for addresses such as 127.0.0.1, where \
      serve with its development keys can play AWS.

      Examples:
        authorizer-local smoke --url Api=https://abc123.execute-api.us-east-1.amazonaws.com/prod --api-id abc123
        authorizer-local smoke --url Api=https://api.example.com --token reader=@reader.jwt --value id=7 --yes
        authorizer-local smoke --url Api=http://127.0.0.1:8081/Api/prod --host 127.0.0.1:8081 --yes

      Exit codes: 0 every answer is as predicted (or the plan was printed), 1 an answer differs, 2 something is not \
      compared: an API or an authorizer here did not answer, or a --token is a 401 on every route.
      """)

  @Option(
    help: ArgumentHelp(
      "SAM or CloudFormation template. Default: template/template.yaml or template.yaml in this folder, else the nearest above.",
      valueName: "file"), completion: .file())
  var template: String?

  @OptionGroup var values: TemplateArguments

  @Option(help: "Address of an API of the template, with its stage or base path: NAME=https://… Repeatable.")
  var url: [String]

  @Option(help: "ID of a deployed API, whose execute-api host in --region may get requests. Repeatable.")
  var apiId: [String] = []

  @Option(help: "Repeats the host of --url, with its port, that the template does not name. Repeatable.")
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "Token of a role: ROLE=@FILE or ROLE=env:NAME, never the token itself. Repeatable.",
      valueName: "role=source"))
  var token: [String] = []

  @Option(
    help: ArgumentHelp(
      "Value of a variable of paths. Routes without theirs are skipped. Repeatable.",
      valueName: "name=value"))
  var value: [String] = []

  @Option(help: "Methods that may be sent, such as GET,POST. Default: GET,HEAD,OPTIONS.")
  var methods: String?

  @Flag(help: "Also opens connections to the WebSocket APIs of --url.")
  var websocket = false

  @Option(help: "Leaves out routes whose key fits this pattern, such as 'GET /admin/*'. Repeatable.")
  var except: [String] = []

  @Option(help: "Maximum number of requests in a second.")
  var rate = SmokeLimit.requestsPerSecond

  @Option(
    help: ArgumentHelp(
      "Asks again after this time, longer than each TTL, where a fresh --token has expired by then: shows answers that are kept longer than this.",
      valueName: "seconds"))
  var wait = 0

  @Flag(help: "Sends the requests of the plan.")
  var yes = false

  @OptionGroup var function: FunctionArguments

  @OptionGroup var configuration: ConfigurationArguments

  @OptionGroup var tokens: TokenArguments

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "Runs an authorizer of the template with this command. Repeatable.", valueName: "function=command"))
  var programs: [String] = []

  @OptionGroup var assumed: AssumptionArguments

  @Flag(help: "Prints JSON instead of text.")
  var json = false

  @Option(help: ArgumentHelp("Also writes a JUnit report.", valueName: "file"), completion: .file())
  var junit: String?

  func run(on machine: Machine) async throws {
    guard rate > 0, rate <= Self.maximumRate, (0...Self.maximumWait).contains(wait) else {
      throw CommandFailure(
        options: "--rate must be greater than 0 and at most \(Int(Self.maximumRate)), "
          + "--wait at most \(Self.maximumWait)")
    }
    let order = try Result { () throws(SmokeRefusal) in try SmokeOrder(self, on: machine) }
      .mapError(SmokeOrder.failure).get()
    var serve = ServeOptions(
      values: try values.values(), function: try function.options(configuration.options(tokens), named: true),
      commands: try NamedValues.parse(programs) { "--run needs FUNCTION=COMMAND, found \($0)" },
      behaviors: try assumed.behaviors())
    guard let path = template ?? machine.files.nearestTemplate, path != "-" else {
      throw CommandFailure(
        .usage, "no template found", hint: "give --template FILE, the template of the deployment")
    }
    serve.template = path
    // A plain address is another `serve`, with the keys of this machine.
    if !order.isPlain { serve.function.configuration.realKeys = true }
    try await SmokeSession(command: self, order: order, serve: serve, template: path, machine: machine).run()
  }

  /// Our own limit: a smoke test is no load test.
  private static let maximumRate = 100.0
  /// Our own limit, in seconds: a day.
  private static let maximumWait = 86_400
}
