internal import GatewayEmulator
internal import GatewayModel

/// What `serve` is told on the command line.
struct ServeOptions: Sendable {
  /// The template; `nil` for the nearest one.
  var template: String?
  var values = TemplateValues()
  var port = 8080
  /// How connections are encrypted; `nil` for plain HTTP.
  var encryption: ServedEncryption?
  var function = FunctionOptions()
  /// The commands of other functions, by name.
  var commands: [String: String] = [:]
  /// Passes the variables of the template on to the user's programs.
  var trustsVariables = false
  /// Runs the template's own functions in Python and Node.js, and its own programs.
  var runsFunctions = false
  /// One API of this kind instead of a template.
  var kind: ServedKind?
  var concurrency = 4
  var backend = GatewayService.Backend.echo
  /// How far the gateway's clock is ahead at the start.
  var clockOffsetSeconds: Int64 = 0
  var behaviors = Assumptions()
  /// Whether a change of a file starts a new session.
  var follows = true
  /// Opens the console in a browser at the first start.
  var opensConsole = false

  /// Whether the command line says how a function of the template is run.
  func isChosen(_ name: String) -> Bool {
    commands[name] != nil || function.namedHandlers[name] != nil
  }
}
