internal import GatewayModel
internal import GatewayConsole
internal import GatewayEmulator
internal import IssuerEmulator
internal import LambdaEmulator
internal import Templates
internal import Text
internal import Foundation
internal import JSON
internal import TestTokens

/// One run of `serve`, from the template to the last request.
struct ServeSession {
  let options: ServeOptions
  let machine: Machine
  let template: GatewayTemplate
  private let survey: LenientTemplate
  /// The authorizer outside of the template for which this project's answers, and its configuration.
  private let adopted: (name: String, config: String)?
  let functions: ServedFunctions
  private let issuer: DevelopmentIssuer
  let trust: TrustedKeys
  let apiKeys: DevelopmentAPIKeys
  private let secret: DevelopmentSecret
  private let path: String
  /// TLS; `nil` for plain HTTP.
  private let opened: ServedEncryption.Opened?

  /// Reads the template and the configuration. Starts nothing.
  ///
  /// - Parameters:
  ///   - opened: TLS; `nil` for plain HTTP.
  ///   - reading: the same machine, whose files are followed.
  init(
    _ options: ServeOptions, template path: String, _ opened: ServedEncryption.Opened?, on machine: Machine,
    reading: Machine
  ) throws(CommandFailure) {
    self.options = options
    self.machine = machine
    self.path = path
    self.opened = opened
    let parsed = try ParsedTemplate(at: path, text: options.kind?.text, options.values, on: reading)
    let folder = machine.files.directory(of: path)
    var template = try parsed.gateway(at: path, for: "serve")
    adopted = template.adoptAuthorizer(
      configuredBy: options.function.configuration.config, in: folder, on: reading
    ) { !options.function.needsConfiguration || options.isChosen($0) }
    self.template = template
    survey = parsed.survey
    if let warning = try ServedFunctions.unusedOption(options, template) {
      machine.terminal.note("warning: " + warning)
    }
    let named = options.commands.keys.sorted() + options.function.namedHandlers.keys.sorted()
    for name in named where template.functions[name] == nil {
      let known = template.functions.keys.sorted().joined(separator: ", ")
      throw CommandFailure(
        .usage, Printable.text("the template has no function \(name)"),
        hint: Printable.text(known.isEmpty ? "it has none" : "its functions are \(known)"))
    }
    try LocalStore.refuseLinks(on: machine)
    let configuration = try Self.configuration(options, template, in: folder, reading)
    functions = try ServedFunctions(options, template, configuration, in: folder, on: reading)
    let keys = try machine.development.keys()
    // Only a template with AWS_IAM needs an access key.
    let hasSignatures = template.apis.contains { $0.routes.contains { $0.access == .signature } }
    let credentials = hasSignatures ? try machine.development.credentials() : nil
    apiKeys = try DevelopmentAPIKeys(of: template, on: machine)
    secret = try machine.development.secret()
    issuer = DevelopmentIssuer(
      keys: keys,
      defaults: Self.defaults(
        configuration.authorizerVariables(options.function.configuration, machine.environment), template,
        functions),
      credentials: credentials, receivers: ServedReceivers.all(of: functions.settings))
    guard options.function.configuration.realKeys else {
      trust = TrustedKeys(keys: keys, credentials: credentials)
      return
    }
    let real = NativeKeySets(of: template.served.nativeIssuers, on: machine)
    for problem in real.problems { machine.terminal.note(problem) }
    trust = TrustedKeys(keySets: real.sets, credentials: credentials)
  }

  /// What a session returns: what changed, and the offset of its clock at the end, in seconds.
  typealias End = (changed: String, clockOffsetSeconds: Int64)

  /// The folders and archives with the code of handlers. The code of the project's own functions is often the whole
  /// checkout, where others write; their programs are followed by themselves.
  var code: [String] {
    let folder = machine.files.directory(of: path)
    return functions.handlers.compactMap { template.functions[$0] }.flatMap(\.package.localPlaces).map {
      $0.hasBytePrefix("/") ? $0 : folder + "/" + $0
    }
  }

  /// Serves until the watcher reports a change, else until a signal ends the program.
  func serve(
    at listener: GatewayListener, port: Int, _ watcher: ServeWatcher?, clockOffsetSeconds: Int64,
    opensConsole: Bool
  ) async throws -> End {
    let session = self
    let console = ServedConsole(
      options: options, path: path, template: template, functions: functions, examined: examined,
      machine: machine)
    do {
      return try await open(functions.settings[...], [:]) { functions in
        try await session.open(console.trials[...], [:]) { trials in
          try await session.serve(
            functions, console, trials, at: listener, port: port, watcher,
            clockOffsetSeconds: clockOffsetSeconds,
            opensConsole: opensConsole)
        }
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.unavailable, "cannot start the functions: \(error)")
    }
  }

  /// Serves with open functions.
  private func serve(
    _ functions: [String: FunctionPool], _ console: ServedConsole, _ trials: [String: FunctionPool],
    at listener: GatewayListener, port: Int, _ watcher: ServeWatcher?, clockOffsetSeconds: Int64,
    opensConsole: Bool
  ) async throws -> End {
    let log = DecisionHistory(keepsEvents: !options.function.configuration.realKeys)
    let terminal = machine.terminal
    let service = GatewayService(
      gateway: Gateway(
        template.served, settings: options.behaviors, trust: trust, keyValues: apiKeys.values),
      functions: functions,
      refusals: options.runsFunctions ? self.functions.standIns.reasons : nil, backend: options.backend,
      clockOffsetSeconds: clockOffsetSeconds,
      clock: try machine.timeouts.clock(), observer: log,
      // With real keys, only the function's process has them.
      explainer: options.function.configuration.realKeys ? nil : console.facts,
      onRecord: { terminal.note($0.shown(isTerminal: terminal.errors.isTerminal)) })
    let invocations = InvokeAPI(functions: Array(functions.values), logger: .criticalOnly)
    listener.open(
      GatewayServer(
        service, issuer: issuer, secret: secret, invocations: invocations,
        console: console.console(log, trials), isEncrypted: opened != nil))
    greet(port, service)
    if opensConsole, let problem = BrowserOpener(machine: machine).open(self.console(base(port))) {
      terminal.note(problem)
    }
    guard let watcher else {
      // Until a signal ends the program.
      while true { try await Task.sleep(for: .seconds(3600)) }
    }
    do {
      let changed = try await watcher.change()
      await listener.close()
      return (changed, service.clockOffsetSeconds)
    } catch {
      await listener.close()
      throw error
    }
  }

  /// Opens the functions one after the other, nested, and runs the body inside.
  ///
  /// - Parameter showsOutput: whether it shows what they write, which may be the token of a request.
  func open<Value: Sendable>(
    _ rest: ArraySlice<FunctionSettings>, _ opened: [String: FunctionPool], showsOutput: Bool = true,
    _ body: @escaping @Sendable ([String: FunctionPool]) async throws -> Value
  ) async throws -> Value {
    guard let settings = rest.first else { return try await body(opened) }
    let session = self
    let output = ServedOutput(
      of: settings.name, showsAll: options.function.verbose, terminal: machine.terminal)
    return try await FunctionPool.run(
      settings, inheriting: machine.environment, clock: try machine.timeouts.clock(),
      logger: .criticalOnly, onLine: { if showsOutput { output.show($0) } }
    ) { pool in
      try await session.open(
        rest.dropFirst(), opened.merging([settings.name: pool]) { $1 }, showsOutput: showsOutput, body)
    }
  }

  // MARK: Functions

  /// Returns the configuration of this project's authorizer: from the command line, else the template, else the
  /// samples.
  private static func configuration(
    _ options: ServeOptions, _ template: GatewayTemplate, in folder: String, _ machine: Machine
  ) throws(CommandFailure) -> FunctionConfiguration {
    let isInTemplate = template.authorizerFunctions.contains { name in
      let variables = template.functions[name]?.variables ?? [:]
      return variables["AUTHORIZER_ISSUER"] != nil || variables["AUTHORIZER_CONFIG"] != nil
    }
    let starts = try ServedFunctions.startsAuthorizer(options, template)
    return try FunctionConfiguration.forEvent(
      in: folder, options: options.function.configuration, realKeys: options.function.configuration.realKeys,
      isOurs: starts && !isInTemplate, searches: !isWhole(template), on: machine)
  }

  /// Whether the template contains the authorizer's whole configuration, which overrides `authorizer.json`, as on
  /// Lambda. If the variable is a path of the deployment, the nearest file is used instead.
  private static func isWhole(_ template: GatewayTemplate) -> Bool {
    template.authorizerFunctions.contains { name in
      template.functions[name]?.variables["AUTHORIZER_CONFIG"]?.first { !$0.isWhitespace } == "{"
    }
  }

  // MARK: The development issuer

  /// Returns the defaults of the development issuer: those of the function's first issuer, so that a token without
  /// options is valid.
  private static func defaults(
    _ configured: [String: String], _ template: GatewayTemplate, _ functions: ServedFunctions
  ) -> DevelopmentIssuer.Defaults {
    let authorizer = template.authorizerFunctions.first
    let served = functions.settings.first { $0.name == authorizer }?.variables ?? [:]
    // A program of the user for the authorizer gets no variables of the template.
    let inTemplate = authorizer.flatMap { template.functions[$0]?.variables } ?? [:]
    let variables = inTemplate.merging(served) { $1 }.merging(configured) { $1 }
    if authorizer == nil, let native = template.tokenAuthorizers.first {
      return DevelopmentIssuer.Defaults(of: native)
    }
    var defaults = DevelopmentIssuer.Defaults()
    if let text = variables["AUTHORIZER_CONFIG"], let tree = try? JSONTree(parsing: Array(text.utf8)),
      let first = tree.list("issuers").first
    {
      if let preset = first.word("preset") { defaults.preset = preset }
      if let issuer = first.word("issuer") {
        defaults.preset = (defaults.preset == "rfc9068" ? "rfc9068:" : "oidc:") + issuer
      }
      defaults.algorithm = algorithm(of: first.words("algorithms"))
      defaults.audience = Array(first.words("audiences").prefix(1))
    } else if let issuer = variables["AUTHORIZER_ISSUER"] {
      defaults.preset = issuer.hasBytePrefix("https://") ? "oidc:" + issuer : issuer
      defaults.audience = (variables["AUTHORIZER_AUDIENCE"] ?? "").splitBytes(at: ",").prefix(1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
    }
    return defaults
  }

  /// Returns the algorithm for the issuer's tokens; `nil` for RS256, the default of the presets. Secrets are not
  /// known here.
  private static func algorithm(of names: [String]) -> String? {
    guard !names.contains(SigningAlgorithm.rs256.rawValue) else { return nil }
    // Both names mean the Ed25519 signature; development keys use the older one.
    return names.map { $0 == "Ed25519" ? "EdDSA" : $0 }.first {
      SigningAlgorithm(rawValue: $0) != nil && $0.utf8.first != UInt8(ascii: "H")
    }
  }

  // MARK: The start message

  /// Prints a line of the answer, escaped, because names come from the template.
  private func say(_ line: String) { machine.terminal.answer(Printable.text(line)) }

  /// The file that configures the authorizer here, if this project's authorizer runs.
  private var deployedConfiguration: String? {
    if let config = options.function.configuration.config { return config }
    guard options.function.needsConfiguration, !Self.isWhole(template) else { return nil }
    return machine.files.nearest("authorizer.json", from: machine.files.directory(of: path))
  }

  /// The template for `doctor`'s checks; `nil` without a template of the user.
  private var examined: ExaminedTemplate? {
    guard options.kind == nil else { return nil }
    return ExaminedTemplate(
      path: path, template: template, survey: survey, config: deployedConfiguration, machine: machine)
  }

  /// Prints the notes and then the addresses: programs that wait for the first address can rely on the notes being
  /// there.
  private func greet(_ port: Int, _ service: GatewayService) {
    let terminal = machine.terminal
    if Self.isWhole(template), options.function.configuration.config != nil {
      terminal.note("note: --config overrides the template's AUTHORIZER_CONFIG")
    }
    terminal.note(Printable.text("note: keys and users of this machine are in \(machine.development.path)"))
    if let (name, config) = adopted {
      terminal.note(Printable.text("note: \(name) is answered by this project's authorizer with \(config)"))
    }
    for note in functions.notes { terminal.note("note: " + note) }
    let own = functions.settings.first { $0.name == functions.ownAuthorizer }?.variables["AUTHORIZER_CONFIG"]
    for address in DevelopmentAddresses.stray(in: own ?? "", port: port) {
      let text = "the configuration names \(address), but the port is \(port): tokens of a login get a 401"
      terminal.note(Printable.text("warning: " + text))
    }
    for finding in template.closures {
      terminal.note(Printable.text("closed: " + finding.line(in: "template")))
    }
    if let examined {
      let isOurs = options.function.needsConfiguration && options.commands.isEmpty
      let served = ServedTemplate(
        examined, isOurs: isOurs, config: options.function.configuration.config)
      for line in served.lines { terminal.note(line) }
    }
    for line in template.nestedTemplates.flatMap({ $0.lines("serve", in: path) }) {
      terminal.note(Printable.text("note: " + line))
    }
    let notes =
      template.notes.isEmpty
      ? "" : "; notes about the template: \(template.notes.count) (authorizer-local routes)"
    terminal.note(
      "note: \(options.behaviors.lines.count) assumptions about what AWS does not document (serve --assumptions)\(notes)"
    )
    if let opened {
      terminal.note(
        "note: TLS: clients need this authority: curl --cacert \(ShellWord.path(opened.authorityPath, or: "FILE"))"
      )
    }
    if options.encryption?.clientAuthorities != nil,
      !template.domains.contains(where: { $0.certificateFinding != nil })
    {
      terminal.note(
        "note: --client-ca has no effect: no custom domain of the template has MutualTlsAuthentication, and API "
          + "Gateway passes client certificates on there only")
    }
    if service.clockOffsetSeconds != 0 {
      terminal.note("the clock of gateway, issuer and function is \(service.clockOffsetSeconds) s ahead")
      for name in service.unmovedFunctions {
        terminal.note(
          "  but \(name) uses this machine's clock: only a function with development keys has a movable clock"
        )
      }
    }
    for finding in template.warnings + template.uncallable {
      terminal.note(Printable.text("warning: " + finding.line(in: "template")))
    }
    // Without a template, an echo is what the user wants.
    if options.kind == nil {
      for line in functions.standIns.lines { terminal.note("warning: " + line) }
    }
    list(base(port))
  }

  private func base(_ port: Int) -> String { "\(opened == nil ? "http" : "https")://127.0.0.1:\(port)" }

  private func console(_ base: String) -> ConsoleAddress { ConsoleAddress(at: base, secret) }

  private func list(_ base: String) {
    let terminal = machine.terminal
    terminal.answer("serve: \(base)")
    let addresses = ServedAddresses(template: template, base: base, path: options.kind == nil ? path : nil)
    for line in addresses.lines { say(line) }
    for line in apiKeys.lines { say("  " + line) }
    terminal.answer(
      "  \(console(base).text)  the console: each decision, and why; open it in a browser")
    let token = addresses.tokenCommand ?? "curl -H 'Accept: text/plain' -d user=alice \(base)/dev/token"
    say("  a token: " + token)
    terminal.answer("  \(base)/  lists all addresses")
  }
}
