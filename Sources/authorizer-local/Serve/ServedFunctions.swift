internal import Emulator

/// The functions of a template that this machine runs, each with its program and configuration.
///
/// The authorizer is `bootstrap` and the identity function is `identity`. Any other function is a program of `--run`,
/// or an echo. The project's functions use the development keys; a table that does not exist here is
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
    for name in template.functions.keys.sorted() where options.commands[name] == nil {
      guard let function = template.functions[name], function.signsIn else { continue }
      identities.append(try preparation.identity(function))
      notes += preparation.note(function)
    }
    var authorizers: [FunctionSettings] = []
    for name in try Self.authorizers(options, template) {
      guard let function = template.functions[name] else { continue }
      authorizers.append(try preparation.authorizer(function, configuration))
      notes += preparation.note(function)
    }
    var programs: [FunctionSettings] = []
    for name in options.commands.keys.sorted() {
      guard let function = template.functions[name], let text = options.commands[name] else { continue }
      notes += preparation.note(function)
      programs.append(try preparation.program(function, command: text))
    }
    if options.function.needsConfiguration {
      for name in template.foreignAuthorizers where options.commands[name] == nil {
        notes.append(
          "\(name) is not this project's authorizer and has no program here: its routes answer 500; "
            + "--run \(name)='COMMAND' runs it")
      }
    }
    settings = authorizers + identities + programs
    self.notes = notes + preparation.notes
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
      options.commands[$0] == nil && !foreign.contains($0)
    }
    guard authorizers.count <= 1 else {
      throw CommandFailure(
        .usage,
        "the template has \(authorizers.count) authorizer functions: \(authorizers.joined(separator: ", "))",
        hint: "give the program of each with --run FUNCTION=COMMAND")
    }
    return authorizers
  }
}
