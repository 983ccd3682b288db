package import Mapping
package import Text
internal import JSON

/// The values of parameters and variables in templates.
package struct ParameterSource: Sendable {
  package let request: GatewayRequest
  /// Headers that API Gateway adds; the client's lines of these names do not count.
  package var addedHeaders: [GatewayRequest.Header] = []
  /// With the values that the kind of API passes on.
  package let pathParameters: [PathPattern.Parameter]
  package let stageVariables: [String: String]
  /// `$context`, including `authorizer.…` and, in gateway responses, `error.…`.
  package var variables: ContextVariables
  /// The answer of the backend, in the mapping of a response.
  package var reply: GatewayResponse?
  /// The path without the stage.
  package var path = ""

  package init(
    _ request: GatewayRequest, pathParameters: [PathPattern.Parameter], stageVariables: [String: String],
    variables: ContextVariables
  ) {
    self.request = request
    self.pathParameters = pathParameters
    self.stageVariables = stageVariables
    self.variables = variables
  }

  /// Creates the source for answers that are sent before a route is found.
  package init(_ request: GatewayRequest, api: GatewayAPI) {
    self.init(
      request, pathParameters: [], stageVariables: api.stage.variables,
      variables: ContextVariables(["stage": api.stage.name, "httpMethod": request.method]))
  }

  package static func quoted(_ text: String) -> String {
    String(decoding: JSONTree.string(text).bytes(), as: UTF8.self)
  }

  /// Returns a text with the stage variables that it names as `${stageVariables.x}`.
  package func filled(_ text: String) -> String {
    Self.filled(text, with: stageVariables)
  }

  /// Returns the same for these variables. A value that names another variable is text, and so is the name of a variable
  /// that does not exist.
  package static func filled(_ text: String, with variables: [String: String]) -> String {
    let start = "${stageVariables."
    var (result, rest) = ("", text[...])
    while let found = rest.firstByteRange(of: start),
      let end = rest[found.upperBound...].unicodeScalars.firstIndex(of: "}")
    {
      let name = String(rest[found.upperBound..<end])
      result += rest[..<found.lowerBound]
      result += variables.value(named: name) ?? start + name + "}"
      rest = rest[end...].dropFirst(bytes: 1)
    }
    return result + rest
  }
}

/// One value of a parameter mapping ("Parameter mapping source reference").
package enum ParameterValue: Equatable, Sendable {
  /// `'text'`.
  case literal(String)
  case header(String)
  case query(String)
  case queries(String)
  case path(String)
  case wholePath
  case body(JSONPath?)
  case context(String)
  case stageVariable(String)
  case replyHeader(String)
  case replyBody(JSONPath?)

  /// Returns `nil` for an unknown source.
  ///
  /// - Parameter text: the syntax of REST APIs (`method.request.header.X`, `context.x`, `stageVariables.x`,
  ///   `'static'`) or of HTTP APIs (`$request.header.X`, `$context.x`, `$stageVariables.x`).
  package init?(_ text: String, allowsErrors: Bool = false) {
    if text.hasBytePrefix("'"), text.hasByteSuffix("'"), text.utf8.count >= 2 {
      self = .literal(String(text.dropFirst(bytes: 1).dropLast(bytes: 1)))
      return
    }
    if let whole = Self.wholes[text] {
      self = whole
      return
    }
    for (prefix, make) in Self.sources where text.hasBytePrefix(prefix) {
      let name = String(text.dropFirst(bytes: prefix.utf8.count))
      guard !name.isEmpty, !name.containsBytes(of: "$"), !name.containsBytes(of: " "), let value = make(name)
      else {
        return nil
      }
      if case .context(let name) = value, !ContextVariables.isKnown(name, withErrors: allowsErrors) {
        return nil
      }
      self = value
      return
    }
    return nil
  }

  private static let wholes: [String: ParameterValue] = [
    "method.request.body": .body(nil), "$request.body": .body(nil), "$request.path": .wholePath,
    "integration.response.body": .replyBody(nil), "$response.body": .replyBody(nil),
  ]

  private static let sources: [(String, @Sendable (String) -> ParameterValue?)] = [
    ("method.request.header.", { .header($0) }), ("method.request.multivalueheader.", { .header($0) }),
    ("method.request.querystring.", { .query($0) }),
    ("method.request.multivaluequerystring.", { .queries($0) }),
    ("method.request.path.", { .path($0) }),
    ("method.request.body.", { (try? JSONPath($0)).map { .body($0) } }),
    ("$request.header.", { .header($0) }), ("$request.querystring.", { .queries($0) }),
    ("$request.path.", { .path($0) }), ("$request.body.", { (try? JSONPath($0)).map { .body($0) } }),
    ("$context.", { .context($0) }), ("context.", { .context($0) }),
    ("$stageVariables.", { .stageVariable($0) }), ("stageVariables.", { .stageVariable($0) }),
    ("integration.response.header.", { .replyHeader($0) }),
    ("integration.response.multivalueheader.", { .replyHeader($0) }),
    ("$response.header.", { .replyHeader($0) }),
    ("integration.response.body.", { (try? JSONPath($0)).map { .replyBody($0) } }),
    ("$response.body.", { (try? JSONPath($0)).map { .replyBody($0) } }),
  ]

  /// Returns the value, or `nil` where the request has none. Several values are joined by commas.
  package func text(from source: ParameterSource) -> String? {
    let values = values(from: source)
    return values.isEmpty ? nil : values.joined(separator: ",")
  }

  package func values(from source: ParameterSource) -> [String] {
    switch self {
    case .literal(let text): [text]
    case .header(let name): source.request.values(ofHeader: name, adding: source.addedHeaders)
    case .query(let name):
      source.request.queryItems.last { $0.name.hasSameBytes(as: name) }.map { [$0.value] } ?? []
    case .queries(let name): source.request.queryItems.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
    case .path(let name):
      source.pathParameters.first { $0.name.hasSameBytes(as: name) }.map { [$0.value] } ?? []
    case .wholePath: [source.path]
    case .body(let path): Self.text(path, in: source.request.body)
    case .context(let name): source.variables.value(name).map { [$0] } ?? []
    case .stageVariable(let name): source.stageVariables.value(named: name).map { [$0] } ?? []
    case .replyHeader(let name): source.reply?.values(ofHeader: name) ?? []
    case .replyBody(let path): Self.text(path, in: source.reply?.body ?? [])
    }
  }

  private static func text(_ path: JSONPath?, in body: [UInt8]) -> [String] {
    guard let path else { return body.isEmpty ? [] : [String(decoding: body, as: UTF8.self)] }
    guard let tree = try? JSONTree(parsing: body), let value = path.value(in: tree), value != .null else {
      return []
    }
    if case .string(let text) = value { return [text] }
    return [String(decoding: value.bytes(), as: UTF8.self)]
  }
}
