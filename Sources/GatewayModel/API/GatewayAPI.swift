/// One API of a template: everything that decides about a request, and nothing else.
package struct GatewayAPI: Equatable, Sendable {
  /// The name in the template, and the first path segment of its local address.
  package let name: String
  /// The API ID in its URL and ARNs: ten letters and digits.
  package let identifier: String
  /// The kind, with the settings of that kind.
  package let kind: Kind
  /// The stage. An API with several stages is one value for each, with the same name and ID.
  package let stage: Stage
  /// The routes, in the order of the template.
  package var routes: [GatewayRoute]
  /// What decides about every request.
  package var access: APIAccess
  /// The media types of bodies that are bytes (REST APIs).
  package let binaryMediaTypes: [String]

  package init(
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
  package enum Kind: Equatable, Sendable {
    /// A REST API, with the gateway responses that the template changes.
    case rest(GatewayResponses)
    /// An HTTP API, with its CORS configuration if there is one.
    case http(CrossOriginPolicy?)
    /// A WebSocket API, with its route selection expression.
    case webSocket(RouteSelection)

    /// The kind as `routes` and the console name it.
    package var word: String {
      switch self {
      case .rest: "rest"
      case .http: "http"
      case .webSocket: "webSocket"
      }
    }
  }

  /// What guards a route of the API, for people.
  package func guardText(of route: GatewayRoute) -> String {
    access.resourcePolicy == nil ? route.guardText : route.guardText + ", resource policy"
  }

  package var isREST: Bool { if case .rest = kind { true } else { false } }
  package var isWebSocket: Bool { if case .webSocket = kind { true } else { false } }

  package struct Stage: Equatable, Sendable {
    /// The name, such as `prod`; `$default` is not part of the URL.
    package let name: String
    package let variables: [String: String]
    /// The limits of requests per time to its routes.
    package var throttles = Throttles()

    package init(name: String, variables: [String: String], throttles: Throttles = Throttles()) {
      self.name = name
      self.variables = variables
      self.throttles = throttles
    }

    /// The limits of requests per time, of all clients together. Each route has a bucket of its own ("Throttle requests to
    /// your REST APIs": "applied at the API method level").
    package struct Throttles: Equatable, Sendable {
      /// The limit of every route that has none of its own.
      package var standard: UsagePlan.Throttle?
      /// The others: by method and path on REST APIs, where the method may be `*` and the path `/*`; by route key on HTTP
      /// APIs.
      package var own: [String: UsagePlan.Throttle] = [:]

      package init() {}
    }

    /// Whether the path begins with the stage's name.
    package var isInPath: Bool { name != "$default" }
  }
}
