internal import Emulator

/// The functions of a template that this machine runs, each with its program and configuration.
///
/// The authorizer is `bootstrap` and the identity function is `identity`. Any other function is a program of `--run`, a
/// handler of `--handler`, its own handler with `--run-functions`, or an echo. The project's functions use the development keys; a table that does not exist here is
/// replaced by a file.
struct ServedFunctions {
  /// The functions in the order in which they are opened.
  let settings: [FunctionSettings]
  /// The differences from the template, as notes for the user.
  let notes: [String]

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
      notes += preparation.note(function)
    }
    var authorizers: [FunctionSettings] = []
    for name in try Self.authorizers(options, template) {
      guard let function = template.functions[name] else { continue }
      if let handler = options.function.handler {
        let prepared = try preparation.handler(function, handler)
        authorizers += [prepared.settings].compactMap { $0 }
        notes += prepared.notes
        continue
      }
      authorizers.append(try preparation.authorizer(function, configuration))
      notes += preparation.note(function)
    }
    var programs: [FunctionSettings] = []
    for name in options.commands.keys.sorted() {
      guard let function = template.functions[name], let text = options.commands[name] else { continue }
      notes += preparation.note(function)
      programs.append(try preparation.program(function, command: text))
    }
    let done = Set((authorizers + identities + programs).map(\.name))
    let handlers = try Self.handlers(preparation, template, besides: done)
    programs += handlers.compactMap(\.settings)
    notes += handlers.flatMap(\.notes)
    let served = done.union(programs.map(\.name))
    notes += Self.echoes(options, template, besides: served)
    if options.function.needsConfiguration {
      for name in template.foreignAuthorizers where !served.contains(name) {
        notes.append(
          "\(name) is not this project's authorizer and has no program here: its routes answer 500; "
            + "--run \(name)='COMMAND' runs it, and --run-functions runs the code of the template's functions"
        )
      }
    }
    settings = authorizers + identities + programs
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

  /// Returns a note about the functions that an echo replaces although their code could run.
  private static func echoes(
    _ options: ServeOptions, _ template: GatewayTemplate, besides served: Set<String>
  ) -> [String] {
    guard !options.runsFunctions else { return [] }
    let runnable = template.functions.values.filter { function in
      let runtime = function.runtime ?? ""
      return !served.contains(function.name) && !template.authorizerFunctions.contains(function.name)
        && (runtime.hasPrefix("python") || runtime.hasPrefix("nodejs"))
    }
    guard !runnable.isEmpty else { return [] }
    let names = runnable.map(\.name).sorted().joined(separator: ", ")
    return [
      Printable.text(
        "an echo answers for \(names); --run-functions runs their code, with your rights on this machine")
    ]
  }

  /// Whether this project's authorizer runs, which needs a configuration: a template of another team has its own
  /// authorizer, or none.
  static func startsAuthorizer(
    _ options: ServeOptions, _ template: GatewayTemplate
  ) throws(CommandFailure) -> Bool {
    guard options.function.needsConfiguration else { return false }
    return try !authorizers(options, template).isEmpty
  }

  /// Returns the authorizer functions without a `--run`, except those of other projects: the answers of `bootstrap`
  /// would not be theirs. More than one is an error, because serve
  /// cannot tell which one is bootstrap.
  private static func authorizers(
    _ options: ServeOptions, _ template: GatewayTemplate
  ) throws(CommandFailure) -> [String] {
    let foreign = options.function.needsConfiguration ? template.foreignAuthorizers : []
    let authorizers = template.authorizerFunctions.filter {
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
