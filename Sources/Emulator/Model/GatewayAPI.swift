/// One API of a template: everything that decides about a request, and nothing else.
public struct GatewayAPI: Equatable, Sendable {
  /// The name in the template, and the first path segment of its local address.
  public let name: String
  /// The API ID in its URL and ARNs: ten letters and digits.
  public let identifier: String
  /// The kind, with the settings of that kind.
  public let kind: Kind
  /// The only stage.
  public let stage: Stage
  /// The routes, in the order of the template.
  public let routes: [GatewayRoute]

  /// The three kinds of APIs.
  public enum Kind: Equatable, Sendable {
    /// A REST API, with the gateway responses that the template changes.
    case rest(GatewayResponses)
    /// An HTTP API, with its CORS configuration if there is one.
    case http(CrossOriginPolicy?)
    /// A WebSocket API, with its route selection expression.
    case webSocket(RouteSelection)
  }

  /// A stage.
  public struct Stage: Equatable, Sendable {
    /// The name, such as `prod`; `$default` is not part of the URL.
    public let name: String
    /// The stage variables.
    public let variables: [String: String]

    /// Whether the path begins with the stage's name.
    public var isInPath: Bool { name != "$default" }
  }
}

/// One route: the requests that it matches, its authorizer and its integration.
public struct GatewayRoute: Equatable, Sendable {
  /// The requests that it matches.
  public let match: Match
  /// The authorizer; `nil` for a public route.
  public let authorizer: GatewayAuthorizer?
  /// The integration.
  public let integration: GatewayIntegration

  /// The requests that a route matches.
  public enum Match: Equatable, Sendable {
    /// A method (`nil` for any) and a path.
    case path(method: String?, PathPattern)
    /// `$default` of an HTTP or WebSocket API.
    case `default`
    /// `$connect`.
    case connect
    /// Any other route key of a WebSocket API, including `$disconnect`.
    case message(String)
  }

  /// The route key, such as `GET /pets/{id}`, `$default` or `$connect`.
  public var key: String {
    switch match {
    case .path(let method, let pattern): "\(method ?? "ANY") \(pattern.text)"
    case .default: "$default"
    case .connect: "$connect"
    case .message(let key): key
    }
  }
}

/// A Lambda authorizer of the template.
public struct GatewayAuthorizer: Equatable, Sendable {
  /// The name in the template, unique within the API.
  public let name: String
  /// The name of the function's resource.
  public let function: String
  /// The kind of its event and answer.
  public let form: Form
  /// The TTL of the cache in seconds; 0 disables it. An authorizer with a TTL over 0 has an identity source.
  public let timeToLiveSeconds: Int

  /// The kind of event, with its settings.
  public enum Form: Equatable, Sendable {
    /// REST API, TOKEN: one header, and the expression that it must match before the authorizer is invoked.
    case token(header: String, ValidationExpression?)
    /// REST API, REQUEST.
    case restRequest([IdentitySource])
    /// HTTP API, payload format 1.0.
    case http1([IdentitySource])
    /// HTTP API, payload format 2.0, with or without simple answers.
    case http2([IdentitySource], simpleAnswers: Bool)
    /// WebSocket API, `$connect`.
    case webSocket([IdentitySource])
  }

  /// The maximum TTL in seconds ("Amazon API Gateway quotas").
  static let longestTimeToLiveSeconds = 3600

  /// The identity sources. If one is missing, the authorizer is not invoked; their values are the cache key.
  public var identitySources: [IdentitySource] {
    switch form {
    case .token(let header, _): [.header(header)]
    case .restRequest(let sources), .http1(let sources), .http2(let sources, _), .webSocket(let sources):
      sources
    }
  }

  /// The kind of event that it receives.
  public var eventKind: EventKind {
    switch form {
    case .token: .restToken
    case .restRequest: .restRequest
    case .http1: .http1
    case .http2: .http2
    case .webSocket: .webSocket
    }
  }

  /// The timeout of API Gateway in milliseconds: 10 s on HTTP APIs ("Control access to HTTP APIs with AWS Lambda
  /// authorizers"), 29 s elsewhere (the integration timeout of "Amazon API Gateway quotas").
  public var patienceMilliseconds: Int {
    switch form {
    case .http1, .http2: 10_000
    case .token, .restRequest, .webSocket: 29_000
    }
  }
}

/// A part of the request that identifies the caller.
public enum IdentitySource: Equatable, Sendable {
  /// A header.
  case header(String)
  /// A query parameter, by its exact name.
  case query(String)
  /// A stage variable.
  case stageVariable(String)
  /// A `$context` variable of `ContextVariables.names`, without the prefix.
  case context(String)

  /// The text for messages.
  public var description: String {
    switch self {
    case .header(let name): "header \(name)"
    case .query(let name): "query parameter \(name)"
    case .stageVariable(let name): "stage variable \(name)"
    case .context(let name): "context variable \(name)"
    }
  }
}

/// The member of a WebSocket message that selects its route, such as `$request.body.action`.
public struct RouteSelection: Equatable, Sendable {
  /// The names of members, outermost first.
  let path: [String]

  /// Returns `nil` for any other expression.
  init?(_ expression: String) {
    for prefix in ["$request.body.", "${request.body."] where expression.hasPrefix(prefix) {
      var rest = expression.dropFirst(prefix.count)
      if prefix.hasPrefix("${") {
        guard rest.hasSuffix("}") else { return nil }
        rest = rest.dropLast()
      }
      let parts = rest.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isNameByte) }) else { return nil }
      path = parts
      return
    }
    return nil
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
    default: false
    }
  }
}
