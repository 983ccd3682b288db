internal import JSON

/// The values of parameters and variables in templates.
struct ParameterSource: Sendable {
  let request: GatewayRequest
  /// With the values that the kind of API passes on.
  let pathParameters: [PathPattern.Parameter]
  let stageVariables: [String: String]
  /// `$context`, including `authorizer.…` and, in gateway responses, `error.…`.
  var variables: ContextVariables

  /// Creates the source for answers that are sent before a route is found.
  init(_ request: GatewayRequest, api: GatewayAPI) {
    self.request = request
    pathParameters = []
    stageVariables = api.stage.variables
    variables = ContextVariables(["stage": api.stage.name, "httpMethod": request.method])
  }

  /// Returns the text as a JSON string.
  static func quoted(_ text: String) -> String {
    String(decoding: JSONTree.string(text).bytes(), as: UTF8.self)
  }
}

/// One value of a parameter mapping ("Parameter mapping source reference").
enum ParameterValue: Equatable, Sendable {
  /// `'text'`.
  case literal(String)
  case header(String)
  case query(String)
  case path(String)
  case context(String)
  case stageVariable(String)

  /// Returns `nil` for an unknown source.
  ///
  /// - Parameter text: the syntax of REST APIs (`method.request.header.X`, `context.x`, `stageVariables.x`,
  ///   `'static'`) or of HTTP APIs (`$request.header.X`, `$context.x`, `$stageVariables.x`).
  init?(_ text: String, allowsErrors: Bool = false) {
    if text.hasPrefix("'"), text.hasSuffix("'"), text.count >= 2 {
      self = .literal(String(text.dropFirst().dropLast()))
      return
    }
    let sources: [(String, (String) -> ParameterValue)] = [
      ("method.request.header.", { .header($0) }), ("method.request.querystring.", { .query($0) }),
      ("method.request.path.", { .path($0) }), ("$request.header.", { .header($0) }),
      ("$request.querystring.", { .query($0) }), ("$request.path.", { .path($0) }),
      ("$context.", { .context($0) }), ("context.", { .context($0) }),
      ("$stageVariables.", { .stageVariable($0) }), ("stageVariables.", { .stageVariable($0) }),
    ]
    for (prefix, make) in sources where text.hasPrefix(prefix) {
      let name = String(text.dropFirst(prefix.count))
      guard !name.isEmpty, !name.contains("$"), !name.contains(" ") else { return nil }
      let value = make(name)
      if case .context(let name) = value, !ContextVariables.isKnown(name, withErrors: allowsErrors) {
        return nil
      }
      self = value
      return
    }
    return nil
  }

  /// Returns the value, or `nil` where the request has none.
  func text(from source: ParameterSource) -> String? {
    switch self {
    case .literal(let text): return text
    case .header(let name):
      let values = source.request.values(ofHeader: name)
      return values.isEmpty ? nil : values.joined(separator: ",")
    case .query(let name): return source.request.queryItems.last { $0.name == name }?.value
    case .path(let name):
      return source.pathParameters.first { $0.name == name }?.value
    case .context(let name): return source.variables.value(name)
    case .stageVariable(let name): return source.stageVariables[name]
    }
  }
}
