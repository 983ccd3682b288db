internal import DeploymentChecks
internal import GatewayModel
internal import LambdaEmulator
internal import Templates

/// The functions of a template that this machine runs, each with its program and configuration.
///
/// The authorizer is `bootstrap` and the identity function is `identity`. Any other function is a program of `--run`, a
/// handler of `--handler`, its own handler with `--run-functions`, or an echo. The project's functions use the
/// development keys; a table that does not exist here is replaced by a file.
struct ServedFunctions {
  /// The functions in the order in which they are opened.
  let settings: [FunctionSettings]
  /// The name of this project's authorizer; `nil` if it is not served.
  let ownAuthorizer: String?
  /// The names of those whose own code runs, or would if nothing of it were missing.
  let handlers: [String]
  /// The differences from the template, as notes for the user.
  let notes: [String]
  /// What answers for the other functions.
  let standIns: UnservedFunctions

  /// Finds the functions and prepares them.
  ///
  /// - Parameters:
  ///   - configuration: the authorizer's configuration from the command line.
  ///   - folder: the folder of the template.
  /// - Throws: `CommandFailure` for two authorizers, a missing program, or an invalid configuration.
  init(
    _ options: ServeOptions, _ template: GatewayTemplate, _ configuration: FunctionConfiguration,
    in folder: String, on machine: Machine
  ) throws(CommandFailure) {
    var preparation = FunctionPreparation(options, in: folder, on: machine)
    var notes: [String] = []
    // Prepare them first: they decide which file the authorizer reads.
    var identities: [FunctionSettings] = []
    for name in template.functions.keys.sorted() where !options.isChosen(name) {
      guard let function = template.functions[name], function.signsIn else { continue }
      identities.append(try preparation.identity(function))
      notes += preparation.notes(function, for: .shippedFunction)
    }
    var authorizers: [FunctionSettings] = []
    var ownAuthorizer: String?
    for name in try Self.authorizers(options, template) {
      guard let function = template.functions[name] else { continue }
      if let handler = options.function.handler {
        let prepared = try preparation.handler(function, handler)
        authorizers += [prepared.settings].compactMap { $0 }
        notes += prepared.notes
        continue
      }
      authorizers.append(try preparation.authorizer(function, configuration))
      if options.function.needsConfiguration { ownAuthorizer = name }
      notes += preparation.notes(function, for: .shippedFunction)
    }
    var programs: [FunctionSettings] = []
    for name in options.commands.keys.sorted() {
      guard let function = template.functions[name], let text = options.commands[name] else { continue }
      notes += preparation.notes(function, for: .program)
      programs.append(try preparation.program(function, command: text))
    }
    let done = Set((authorizers + identities + programs).map(\.name))
    let handlers = try Self.handlers(preparation, template, besides: done)
    programs += handlers.compactMap(\.settings)
    notes += handlers.flatMap(\.notes)
    let refusals = handlers.compactMap { prepared in prepared.refusal.map { (prepared.name, $0) } }
    standIns = UnservedFunctions(
      template, served: done.union(programs.map(\.name)),
      refusals: Dictionary(refusals) { first, _ in first }, runsFunctions: options.runsFunctions)
    settings = authorizers + identities + programs
    self.ownAuthorizer = ownAuthorizer
    self.handlers = handlers.map(\.name)
    self.notes = notes + preparation.notes
  }

  /// Whether `--run-functions` runs the function's own code, which may be a `bootstrap` of another project.
  private static func runsItself(
    _ name: String, _ options: ServeOptions, _ template: GatewayTemplate
  ) -> Bool {
    options.runsFunctions && options.function.needsConfiguration
      && template.functions[name]?.belongsToProject == false
  }

  /// Returns the functions of `--handler NAME=`, and with `--run-functions` all others that have code here.
  private static func handlers(
    _ preparation: FunctionPreparation, _ template: GatewayTemplate, besides done: Set<String>
  ) throws(CommandFailure) -> [PreparedHandler] {
    let options = preparation.options
    var handlers: [PreparedHandler] = []
    for name in template.functions.keys.sorted() where !done.contains(name) {
      guard let function = template.functions[name] else { continue }
      if let option = options.function.namedHandlers[name] {
        handlers.append(try preparation.handler(function, option))
      } else if options.runsFunctions, !function.isExternal {
        handlers.append(try preparation.handler(function))
      }
    }
    return handlers
  }

  /// Whether this project's authorizer runs, which needs a configuration: a template of another team has its own
  /// authorizer, or none.
  static func startsAuthorizer(
    _ options: ServeOptions, _ template: GatewayTemplate
  ) throws(CommandFailure) -> Bool {
    guard options.function.needsConfiguration else { return false }
    return try !authorizers(options, template).isEmpty
  }

  /// Returns a warning about an option for the authorizer that no authorizer uses: the user would test another program.
  static func unusedOption(
    _ options: ServeOptions, _ template: GatewayTemplate
  ) throws(CommandFailure) -> String? {
    let function = options.function
    let given = [
      ("--handler", function.handler != nil), ("--function", function.function != nil),
      ("--zip", function.zip != nil),
    ]
    guard let option = given.first(where: \.1)?.0, try authorizers(options, template).isEmpty else {
      return nil
    }
    let names = template.functions.keys.sorted().joined(separator: ", ")
    return
      "\(option) has no effect: it needs a template with one Lambda authorizer without a program of its own; "
      + (names.isEmpty
        ? "the template has no functions"
        : "for another function write --handler NAME=PATH:FUNCTION or --run NAME='COMMAND'; the functions are "
          + Printable.text(names))
  }

  /// Returns the authorizer functions without a `--run`, except those of other projects: the answers of `bootstrap`
  /// would not be theirs. More than one is an error, because serve
  /// cannot tell which one is bootstrap.
  private static func authorizers(
    _ options: ServeOptions, _ template: GatewayTemplate
  ) throws(CommandFailure) -> [String] {
    let foreign = options.function.needsConfiguration ? template.foreignAuthorizers : []
    // An option that names the authorizer's program is also meant for one outside of the template.
    let external = options.function.needsConfiguration ? nil : template.onlyExternalAuthorizer
    let authorizers = (template.authorizerFunctions + [external].compactMap { $0 }).filter {
      !options.isChosen($0) && !foreign.contains($0) && !runsItself($0, options, template)
    }
    guard authorizers.count <= 1 else {
      throw CommandFailure(
        .usage,
        "the template has \(authorizers.count) authorizer functions: \(authorizers.joined(separator: ", "))",
        hint: "give the program of each with --run FUNCTION=COMMAND or --handler FUNCTION=PATH:SYMBOL")
    }
    return authorizers
  }
}
