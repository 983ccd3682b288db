internal import GatewayModel
internal import LambdaEmulator

extension FunctionPreparation {
  /// Returns the settings of a function that runs the handler of an option.
  ///
  /// - Throws: `CommandFailure` if it cannot run here.
  func handler(
    _ function: TemplateFunction, _ option: HandlerOption
  ) throws(CommandFailure) -> PreparedHandler {
    try prepared(
      function, handlers.function(option), variables(of: function, for: .program).kept,
      notes: notes(function, for: .program))
  }

  /// Returns the settings of a function that runs its own handler; a note instead if it cannot run here.
  func handler(_ function: TemplateFunction) throws(CommandFailure) -> PreparedHandler {
    let handler: HandlerFunction
    do throws(HandlerRefusal) {
      handler = try handlers.function(function, in: folder)
    } catch {
      return PreparedHandler(
        name: function.name, settings: nil,
        refusal: "it does not run here: \(error.problem) (\(error.hint))", notes: [])
    }
    return try prepared(function, handler, function.variables, notes: [])
  }

  private var handlers: LocalHandlers {
    LocalHandlers(machine: machine, keySets: options.function.keySets)
  }

  private func prepared(
    _ function: TemplateFunction, _ handler: HandlerFunction, _ variables: [String: String], notes: [String]
  ) throws(CommandFailure) -> PreparedHandler {
    var settings = handler.settings(
      name: function.name, variables: variables, given: chosen.variables)
    settings.variables["AWS_REGION"] = options.values.region
    settings.variables["AWS_DEFAULT_REGION"] = options.values.region
    if function.package.logsJSON {
      settings.variables["AWS_LAMBDA_LOG_FORMAT"] = "JSON"
      settings.variables["AWS_LAMBDA_LOG_LEVEL"] = "INFO"
    }
    settings.memoryMegabytes = function.package.memoryMegabytes
    try limit(&settings, function)
    let reserved = Self.note(
      variables.keys.filter(HandlerFunction.isReserved), "Lambda reserves these names")
    let kept = Self.note(
      variables.keys.filter(HandlerFunction.leadsToCredentials),
      "would lead an AWS SDK to credentials of this machine; --env sets such variables")
    return PreparedHandler(
      name: function.name, settings: settings,
      notes: (handler.notes + reserved + kept).map { Printable.text("\(function.name): \($0)") } + notes)
  }

  /// Returns a note about variables of the template that do not reach the function; none without such variables.
  private static func note(_ names: [String], _ reason: String) -> [String] {
    names.isEmpty ? [] : ["\(names.sorted().joined(separator: ", ")) of the template: \(reason)"]
  }
}

/// A function with a handler, ready to be opened.
struct PreparedHandler {
  let name: String
  /// `nil` if it does not run here.
  let settings: FunctionSettings?
  /// Why it does not run here, for messages.
  var refusal: String?
  /// What the user should know about it.
  let notes: [String]
}
