/// One route: the requests that it matches, who may call it and its integration.
package struct GatewayRoute: Equatable, Sendable {
  package let match: Match
  /// Who may call it.
  package var access: RouteAccess
  /// Whether a request also needs an API key.
  package let needsAPIKey: Bool
  package var integration: GatewayIntegration
  /// Whether the client of a WebSocket API receives what the integration answers to its message.
  package let reply: Reply

  /// The parameters that a request must have.
  package var validation = RequestValidation()

  package init(
    match: Match, access: RouteAccess, needsAPIKey: Bool = false, integration: GatewayIntegration,
    reply: Reply = .none
  ) {
    self.match = match
    self.access = access
    self.needsAPIKey = needsAPIKey
    self.integration = integration
    self.reply = reply
  }

  /// The methods that a route can have.
  package static let methods: Set<String> = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"]

  /// What a route of a WebSocket API has for two-way communication: a route response and a route response selection
  /// expression.
  package enum Reply: Equatable, Sendable { case none, oneOfBoth, both }

  /// What guards the route itself, for people; `GatewayAPI.guardText` has what its API adds.
  package var guardText: String {
    let text =
      switch access {
      case .open: "no authorizer"
      case .lambda(let authorizer):
        ([authorizer.name] + identitySources.map(\.description) + [authorizer.cacheText]).joined(
          separator: ", ")
      case .token(let authorizer, let scopes):
        "\(authorizer.name), \(authorizer.source.description)"
          + (scopes.isEmpty ? "" : ", scopes \(scopes.joined(separator: " or "))")
      case .signature: "AWS_IAM"
      case .closed: "closed"
      }
    return needsAPIKey ? text + ", API key" : text
  }

  /// What the authorizer of the route reads of a request.
  package var identitySources: [IdentitySource] {
    switch access {
    case .lambda(let authorizer): authorizer.identitySources
    case .token(let authorizer, _): [authorizer.source]
    case .open, .signature, .closed: []
    }
  }

  /// The Lambda authorizer; `nil` without one.
  package var authorizer: GatewayAuthorizer? {
    if case .lambda(let authorizer) = access { authorizer } else { nil }
  }

  /// The requests that a route matches.
  package enum Match: Equatable, Sendable {
    /// A method (`nil` for any) and a path.
    case path(method: String?, PathPattern)
    /// `$default` of an HTTP or WebSocket API.
    case `default`
    /// `$connect`.
    case connect
    /// Any other route key of a WebSocket API, including `$disconnect`.
    case message(String)

    package var key: String {
      switch self {
      case .path(let method, let pattern): "\(method ?? "ANY") \(pattern.text)"
      case .default: "$default"
      case .connect: "$connect"
      case .message(let key): key
      }
    }
  }

  /// The route key, such as `GET /pets/{id}`, `$default` or `$connect`.
  package var key: String { match.key }
}
