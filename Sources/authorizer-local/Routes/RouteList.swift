internal import Text
internal import IAMPolicy
internal import AuthorizerContract
internal import GatewayModel
internal import Templates
internal import JSON

/// The routes of a template as `routes` prints them.
struct RouteList {
  let template: GatewayTemplate
  /// The path of the template.
  let file: String

  /// A table of the routes, then what is closed, warnings, nested templates, and notes.
  var text: String {
    var table = TextTable(columns: ["API", "ROUTE", "ACCESS", "IDENTITY", "ANSWER"])
    for api in template.apis {
      for route in api.routes {
        table.add([
          "\(api.name)/\(api.stage.name)", route.key,
          access(of: route, in: api),
          route.identitySources.map(\.description).joined(separator: ", "), route.integration.word,
        ])
      }
    }
    let lines = table.lines.map { Printable.text($0) }
    let closures = template.closures.map { Printable.text("closed: " + $0.line(in: file)) }
    let warnings = self.warnings.map { Printable.text("warning: " + $0.line(in: file)) }
    let nested = template.nestedTemplates.flatMap { $0.lines("routes", in: file) }.map { Printable.text($0) }
    var notes = template.notes.map { Printable.text("note: " + $0.text(in: file)) }
    if !template.skippedResources.isEmpty {
      let types = template.skippedResources.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
      notes.append(
        Printable.text("note: not read, because no request reaches it: " + types.joined(separator: ", ")))
    }
    return (lines + closures + warnings + nested + notes).joined(separator: "\n")
  }

  /// One object with `routes`, `closed`, `nested`, `skipped` and `warnings`.
  var json: String {
    let routes = template.apis.flatMap { api in
      api.routes.map { object($0, of: api) }
    }
    let closed = template.closedAPIs.map { api in
      JSONTree.members(["api": .string(api.name), "why": .array(api.findings.map(why))])
    }
    let skipped = template.skippedResources.sorted { $0.key < $1.key }.map {
      JSONTree.Member(name: $0.key, value: .number(String($0.value)))
    }
    let tree = JSONTree.members([
      "closed": .array(closed), "nested": .array(template.nestedTemplates.map { why($0.finding) }),
      "routes": .array(routes), "skipped": .object(skipped), "warnings": .array(warnings.map(why)),
    ])
    return String(decoding: tree.bytes(indentedBy: 2), as: UTF8.self)
  }

  /// Everything that decides about a caller.
  private func access(of route: GatewayRoute, in api: GatewayAPI) -> String {
    if case .closed = route.access { return route.access.word }
    return route.access.word + (api.access.resourcePolicy == nil ? "" : " + resource policy")
      + (route.needsAPIKey ? " + API key" : "")
  }

  private var warnings: [Diagnostic] { template.warnings + template.uncallable }

  private func why(_ finding: Diagnostic) -> JSONTree { .string(finding.line(in: file)) }

  private func object(_ route: GatewayRoute, of api: GatewayAPI) -> JSONTree {
    var findings: [Diagnostic] = []
    if case .closed(let closures) = route.access { findings = closures }
    if case .unavailable(let finding) = route.integration { findings.append(finding) }
    return .members([
      "access": .string(route.access.word), "api": .string(api.name), "apiKey": .boolean(route.needsAPIKey),
      "identitySources": .array(route.identitySources.map { .string($0.description) }),
      "integration": .string(route.integration.word), "kind": .string(api.kind.word),
      "resourcePolicy": .boolean(api.access.resourcePolicy != nil), "route": .string(route.key),
      "stage": .string(api.stage.name), "why": JSONTree.array(findings.map(why)).unlessEmpty,
    ])
  }
}

extension RouteAccess {
  fileprivate var word: String {
    switch self {
    case .open: "open"
    case .lambda(let authorizer): "lambda:\(authorizer.name)"
    case .token(let authorizer, _):
      switch authorizer.kind {
      case .jwt, .restJWT: "jwt:\(authorizer.name)"
      case .userPools: "userPool:\(authorizer.name)"
      }
    case .signature: "iam"
    case .closed: "closed"
    }
  }
}

extension GatewayIntegration {
  fileprivate var word: String {
    switch self {
    case .webSocketMock: "mock"
    case .function(let name, _): "function:\(name)"
    case .restFunction(let function): "function:\(function.name)"
    case .http(let integration): "http:\(integration.address)"
    case .service(let integration): "aws:\(integration.subtype.replacingBytes(of: "-", with: "/"))"
    case .mapped(let integration):
      switch integration.target {
      case .mock: "mock"
      case .function(let name): "function:\(name)"
      case .http(_, let address): "http:\(address)"
      // `action/SendMessage` or `path/QUEUE`.
      case .service(let name, let action, _): "aws:\(name)" + action.drop { $0 != "/" }
      }
    case .unavailable: "unavailable"
    }
  }
}
