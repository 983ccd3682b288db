/// One API of a template: everything that decides about a request, and nothing else.
public struct GatewayAPI: Equatable, Sendable {
  /// The name in the template, and the first path segment of its local address.
  public let name: String
  /// The API ID in its URL and ARNs: ten letters and digits.
  public let identifier: String
  /// The kind, with the settings of that kind.
  public let kind: Kind
  /// The stage. An API with several stages is one value for each, with the same name and ID.
  public let stage: Stage
  /// The routes, in the order of the template.
  public var routes: [GatewayRoute]
  /// What decides about every request.
  public var access: APIAccess
  /// The media types of bodies that are bytes (REST APIs).
  public let binaryMediaTypes: [String]

  init(
    name: String, identifier: String, kind: Kind, stage: Stage, routes: [GatewayRoute],
    access: APIAccess = APIAccess(), binaryMediaTypes: [String] = []
  ) {
    self.name = name
    self.identifier = identifier
    self.kind = kind
    self.stage = stage
    self.routes = routes
    self.access = access
    self.binaryMediaTypes = binaryMediaTypes
  }

  /// The three kinds of APIs.
  public enum Kind: Equatable, Sendable {
    /// A REST API, with the gateway responses that the template changes.
    case rest(GatewayResponses)
    /// An HTTP API, with its CORS configuration if there is one.
    case http(CrossOriginPolicy?)
    /// A WebSocket API, with its route selection expression.
    case webSocket(RouteSelection)
  }

  /// What guards a route of the API, for people.
  public func guardText(of route: GatewayRoute) -> String {
    access.resourcePolicy == nil ? route.guardText : route.guardText + ", resource policy"
  }

  var isREST: Bool { if case .rest = kind { true } else { false } }

  /// A stage.
  public struct Stage: Equatable, Sendable {
    /// The name, such as `prod`; `$default` is not part of the URL.
    public let name: String
    /// The stage variables.
    public let variables: [String: String]
    /// The limits of requests per time to its routes.
    public var throttles = Throttles()

    init(name: String, variables: [String: String], throttles: Throttles = Throttles()) {
      self.name = name
      self.variables = variables
      self.throttles = throttles
    }

    /// The limits of requests per time, of all clients together. Each route has a bucket of its own ("Throttle requests to
    /// your REST APIs": "applied at the API method level").
    public struct Throttles: Equatable, Sendable {
      /// The limit of every route that has none of its own.
      public var standard: UsagePlan.Throttle?
      /// The others: by method and path on REST APIs, where the method may be `*` and the path `/*`; by route key on HTTP
      /// APIs.
      public var own: [String: UsagePlan.Throttle] = [:]

      /// Creates no limits.
      public init() {}
    }

    /// Whether the path begins with the stage's name.
    public var isInPath: Bool { name != "$default" }
  }
}
