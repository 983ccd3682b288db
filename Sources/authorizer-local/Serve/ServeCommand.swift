internal import Text
internal import GatewayEmulator
internal import GatewayModel
internal import ArgumentParser

struct ServeCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract:
      "Runs a local API Gateway: the APIs of a template, their authorizers and backends, on one port.",
    discussion: """
      Reads a SAM or CloudFormation template and serves its REST, HTTP and WebSocket APIs on 127.0.0.1; the real \
      function answers for their authorizers. If serve does not support a part of the template, its route or API \
      answers 501 with the line and what to do; the command routes lists them. Unavailable backends are replaced by \
      an echo of the request that they would receive; with --run-functions, their routes fail.

      /dev/console is a page that shows each decision and why it was made. POST /dev/token returns a token of a \
      development issuer for any user: curl -H 'Accept: text/plain' -d user=alice. POST \
      /dev/clock moves the gateway's clock, POST /dev/cache/flush clears the \
      authorizer cache: both need the secret of the development folder, curl -H @.development/secret.

      Examples:
        authorizer-local serve
        authorizer-local serve --template app.yaml --parameter Stage=dev --run Backend='node backend.js'
        authorizer-local serve --backend http://127.0.0.1:3000
        authorizer-local serve --run-functions
        authorizer-local serve --open
        authorizer-local serve --kind restToken --handler app.py:handler
        authorizer-local serve --assume http-thrown-unauthorized=500 --clock +1h
        authorizer-local serve --tls --client-ca clients-ca.pem
      """)

  @Option(
    help: ArgumentHelp(
      "SAM or CloudFormation template. Default: template/template.yaml or template.yaml in this folder, else the nearest above.",
      valueName: "file"), completion: .file())
  var template: String?

  @OptionGroup var values: TemplateArguments

  @Option(help: "Port on 127.0.0.1; 0 for a free port.")
  var port = 8080

  @Flag(
    help:
      "Serves HTTPS with a development certificate for localhost. Needs a build with TLS: make build TLS=1."
  )
  var tls = false

  @Option(
    help: ArgumentHelp(
      "With --tls: asks clients for certificates of an authority in this PEM file, for custom domains with MutualTlsAuthentication.",
      valueName: "file"), completion: .file())
  var clientCa: String?

  @OptionGroup var function: FunctionArguments

  @OptionGroup var configuration: ConfigurationArguments

  @OptionGroup var tokens: TokenArguments

  @Flag(
    help:
      "Runs the functions of the template, with your rights: in Python and Node.js of this machine, or their bootstrap."
  )
  var runFunctions = false

  @Option(
    help: ArgumentHelp(
      "Serves one API of this kind with an authorizer, without a template: \(EventKindName.words).",
      valueName: "kind"),
    completion: .list(EventKindName.all), transform: EventKindName.parse)
  var kind: EventKind?

  @Flag(help: "With --kind http2: the authorizer's answers are simple, {\"isAuthorized\": true}.")
  var simpleResponses = false

  @Flag(
    help:
      "With --kind, except restToken: the authorizer has no identity sources and no cache, so requests without a token invoke it."
  )
  var guests = false

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "Runs another function of the template with this command. Default: an echo. Repeatable.",
      valueName: "function=command"))
  var programs: [String] = []

  @Flag(
    help:
      "Passes the variables of the template to your programs (--run, --handler, --function, --zip). Only for a template that you trust: variables can decide which code a program loads."
  )
  var templateVariables = false

  @Option(help: "Maximum number of environments per function.")
  var concurrency = 4

  @Option(
    help: ArgumentHelp(
      "Backend of HTTP integrations: echo, template (the URLs in the template), or an origin.",
      valueName: "url"), completion: .list(["echo", "template"])
  )
  var backend = "echo"

  @OptionGroup var clock: ClockArguments

  @OptionGroup var assumed: AssumptionArguments

  @Flag(help: "Prints the behavior that is assumed where AWS documents none, and exits.")
  var assumptions = false

  @Flag(
    inversion: .prefixedNo,
    help:
      "Restarts when the template, the configuration, a key file or a program changes. While one is invalid, requests get a 503."
  )
  var watch = true

  @Flag(help: "Opens the console of this gateway in the browser.")
  var open = false

  /// - Parameter now: the time of the machine in Unix seconds.
  func options(at now: Int64) throws(CommandFailure) -> ServeOptions {
    let function = try function.options(configuration.options(tokens), named: true)
    guard (0...65_535).contains(port) else {
      throw CommandFailure(options: "--port must be from 0 to 65535")
    }
    guard (1...100).contains(concurrency) else {
      throw CommandFailure(options: "--concurrency must be from 1 to 100")
    }
    let values = try values.values()
    let commands = try NamedValues.parse(programs) { "--run needs FUNCTION=COMMAND, found \($0)" }
    let offset = try clock.offset(at: now)
    let backend = try backendChoice()
    let kind = try servedKind()
    if !function.keySets.isEmpty, function.handler == nil, function.namedHandlers.isEmpty, !runFunctions {
      throw CommandFailure(options: "--key-set needs --handler or --run-functions")
    }
    if clientCa != nil, !tls { throw CommandFailure(options: "--client-ca needs --tls") }
    let behaviors = try assumed.behaviors()
    return ServeOptions(
      template: template, values: values, port: port,
      encryption: tls ? ServedEncryption(clientAuthorities: clientCa) : nil, function: function,
      commands: commands, trustsVariables: templateVariables, runsFunctions: runFunctions, kind: kind,
      concurrency: concurrency, backend: backend, clockOffsetSeconds: offset, behaviors: behaviors,
      follows: watch, opensConsole: open)
  }

  private func servedKind() throws(CommandFailure) -> ServedKind? {
    guard let kind else {
      if simpleResponses { throw CommandFailure(options: "--simple-responses needs --kind http2") }
      if guests { throw CommandFailure(options: "--guests needs --kind") }
      return nil
    }
    if template != nil || runFunctions || templateVariables || !values.parameter.isEmpty {
      throw CommandFailure(
        options:
          "--kind serves no template: omit --template, --parameter, --run-functions and --template-variables")
    }
    if simpleResponses, kind != .http2 {
      throw CommandFailure(options: "--simple-responses needs --kind http2")
    }
    if guests, kind == .restToken {
      throw CommandFailure(
        options: "API Gateway invokes no TOKEN authorizer without a token; use restRequest")
    }
    return ServedKind(kind: kind, isSimple: simpleResponses, takesGuests: guests)
  }

  private func backendChoice() throws(CommandFailure) -> GatewayService.Backend {
    switch backend {
    case "echo": return .echo
    case "template": return .template
    default:
      guard backend.hasBytePrefix("http://") || backend.hasBytePrefix("https://") else {
        throw CommandFailure(
          options: "--backend must be echo, template, or an origin such as http://127.0.0.1:3000")
      }
      return .origin(backend.hasByteSuffix("/") ? String(backend.dropLast(bytes: 1)) : backend)
    }
  }

  func run(on machine: Machine) async throws {
    if assumptions { return try assumed.behaviors().lines.forEach { machine.terminal.answer($0) } }
    try await ServeRun(options: try options(at: machine.now()), machine: machine).run()
  }
}
