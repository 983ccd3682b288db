/// One API of a template, ready to be served: all that decides about a request, nothing else.
public struct GatewayAPI: Equatable, Sendable {
  /// Its name in the template, and the first part of its address here.
  public let name: String
  /// What its URL and its ARNs begin with: ten letters and digits.
  public let identifier: String
  /// What is particular to its kind.
  public let kind: Kind
  /// Its one stage.
  public let stage: Stage
  /// Its routes, in the order of the template.
  public let routes: [GatewayRoute]

  /// The three kinds.
  public enum Kind: Equatable, Sendable {
    /// A REST API, with the gateway responses that the template changes.
    case rest(GatewayResponses)
    /// An HTTP API, with CORS answered by API Gateway itself where configured.
    case http(CrossOriginPolicy?)
    /// A WebSocket API, with the member of a message that names its route.
    case webSocket(RouteSelection)
  }

  /// A stage.
  public struct Stage: Equatable, Sendable {
    /// `prod`, or `$default` for a stage that has no part in the URL.
    public let name: String
    /// Stage variables.
    public let variables: [String: String]

    /// Whether the stage's name is the first part of the path.
    public var isInPath: Bool { name != "$default" }
  }
}

/// What API Gateway does with the requests of one route.
public struct GatewayRoute: Equatable, Sendable {
  /// Which requests.
  public let match: Match
  /// What is asked before the integration; `nil` for a public route.
  public let authorizer: GatewayAuthorizer?
  /// Where requests go.
  public let integration: GatewayIntegration

  /// Which requests a route takes.
  public enum Match: Equatable, Sendable {
    /// A verb (`nil` for any) and a path.
    case path(method: String?, PathPattern)
    /// `$default` of an HTTP or WebSocket API.
    case `default`
    /// `$connect`.
    case connect
    /// Any other route key of a WebSocket API, `$disconnect` among them.
    case message(String)
  }

  /// `GET /pets/{id}`, `$default`, `$connect`.
  public var key: String {
    switch match {
    case .path(let method, let pattern): "\(method ?? "ANY") \(pattern.text)"
    case .default: "$default"
    case .connect: "$connect"
    case .message(let key): key
    }
  }
}

/// A Lambda authorizer as the template configures it.
public struct GatewayAuthorizer: Equatable, Sendable {
  /// Its name in the template, unique within its API.
  public let name: String
  /// Name of the function's resource.
  public let function: String
  /// What it is sent and what it may answer.
  public let form: Form
  /// How long an answer is kept; 0 for not at all. With anything over 0 there is an identity source.
  public let timeToLiveSeconds: Int

  /// What is particular to one kind of event.
  public enum Form: Equatable, Sendable {
    /// REST API, TOKEN: one header, and what it must look like before anybody is asked.
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

  /// Longest time to live, in seconds ("Amazon API Gateway quotas").
  static let longestTimeToLiveSeconds = 3600

  /// All of them must be there, else nobody is asked; their values are what answers are kept under.
  public var identitySources: [IdentitySource] {
    switch form {
    case .token(let header, _): [.header(header)]
    case .restRequest(let sources), .http1(let sources), .http2(let sources, _), .webSocket(let sources):
      sources
    }
  }

  /// The event that it gets.
  public var eventKind: EventKind {
    switch form {
    case .token: .restToken
    case .restRequest: .restRequest
    case .http1: .http1
    case .http2: .http2
    case .webSocket: .webSocket
    }
  }

  /// How long API Gateway waits for it, in milliseconds: 10 s on HTTP APIs ("Control access to HTTP APIs with AWS Lambda
  /// authorizers"), 29 s elsewhere (the integration timeout of "Amazon API Gateway quotas").
  public var patienceMilliseconds: Int {
    switch form {
    case .http1, .http2: 10_000
    case .token, .restRequest, .webSocket: 29_000
    }
  }
}

/// A part of the request that says who calls.
public enum IdentitySource: Equatable, Sendable {
  /// A header.
  case header(String)
  /// A query parameter, by its exact name.
  case query(String)
  /// A stage variable.
  case stageVariable(String)
  /// A `$context` variable of `ContextVariables.names`, without the prefix.
  case context(String)

  /// For people.
  public var description: String {
    switch self {
    case .header(let name): "header \(name)"
    case .query(let name): "query parameter \(name)"
    case .stageVariable(let name): "stage variable \(name)"
    case .context(let name): "context variable \(name)"
    }
  }
}

/// The member of a WebSocket message that names its route: `$request.body.action`.
public struct RouteSelection: Equatable, Sendable {
  /// Names of members, outermost first.
  let path: [String]

  /// `nil` for any other expression.
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
