internal import AuthorizerContract
internal import GatewayEmulator
internal import GatewayModel
internal import JSON
internal import TestTokens
internal import Text

/// The JWT and Cognito authorizers of a template, which decide about the requests of events.
struct NativeAuthorizers {
  let apis: [GatewayAPI]
  let keys: TrustedKeys.Keys

  /// - Throws: `CommandFailure` if there are no development keys.
  init(_ apis: [GatewayAPI], on machine: Machine) throws(CommandFailure) {
    guard let keys = TrustedKeys(keys: try machine.development.keys(), credentials: nil).keys else {
      throw CommandFailure(.unavailable, "there are no development keys")
    }
    (self.apis, self.keys) = (apis, keys)
  }

  /// Returns what API Gateway decides about the request of an event; `nil` if the route has no such authorizer.
  func answer(to event: [UInt8], at unixSeconds: Int64) -> ComparedAnswer? {
    guard let known = AuthorizerEvent(event), let (api, route) = route(of: known),
      case .token(let authorizer, let scopes) = route.access
    else { return nil }
    switch authorizer.verdict(
      on: Self.value(of: authorizer.source, in: event), scopes: scopes, stageVariables: api.stage.variables,
      keys: keys, at: unixSeconds * 1000)
    {
    case .allowed(let grant):
      return ComparedAnswer(
        ofGateway: .simple(isAuthorized: true, isEnabled: true), why: "the token is valid",
        claims: grant.claims.map { .init(name: $0.name, value: .string($0.value)) })
    case .refused(let refusal):
      let isForbidden = refusal.isForbidden(by: authorizer.kind)
      return ComparedAnswer(
        ofGateway: isForbidden ? .simple(isAuthorized: false, isEnabled: true) : .unauthorized,
        why: "\(refusal.decision) (\(refusal.code))", claims: [])
    }
  }

  private func route(of event: AuthorizerEvent) -> (GatewayAPI, GatewayRoute)? {
    let parts = event.resource.splitBytes(at: "/", maxSplits: 3, omittingEmptySubsequences: false).map(
      String.init)
    guard parts.count == 4 else { return nil }
    let fitting = apis.filter { $0.isKind(of: event.kind) }
    let staged = fitting.filter { $0.stage.name == parts[1] }
    for api in staged.isEmpty ? fitting : staged {
      if let found = RouteTable(api).route(method: parts[2], path: "/" + parts[3]) {
        return (api, found.route)
      }
    }
    return nil
  }

  private static func value(of source: IdentitySource, in event: [UInt8]) -> String? {
    guard let root = try? JSONDocument(parsing: event, limits: .event).root else { return nil }
    switch source {
    case .header(let name):
      let header = root["headers"]?.members.first { $0.name.text?.lowercased() == name.lowercased() }
      return header?.value.text ?? root["authorizationToken"]?.text
    case .query(let name):
      return root["queryStringParameters"]?.members.first { $0.name.text == name }?.value.text
    case .stageVariable, .context: return nil
    }
  }
}

extension GatewayAPI {
  /// Whether events of this kind come from such an API.
  func isKind(of event: EventKind) -> Bool {
    switch (kind, event) {
    case (.rest, .restToken), (.rest, .restRequest), (.http, .http1), (.http, .http2): true
    default: false
    }
  }

  /// A request for each route with an authorizer, such as `GET/pets/1`: each parameter is `1`.
  var listedRequests: [String] {
    routes.filter(\.access.isGuarded).flatMap { route -> [String] in
      guard case .path(let method, let pattern) = route.match else { return [] }
      let path = pattern.segments.map { if case .literal(let text) = $0 { text } else { "1" } }
      return (method.map { [$0] } ?? GatewayRoute.methods.sorted()).map {
        "\($0)/\(path.joined(separator: "/"))"
      }
    }
  }
}
