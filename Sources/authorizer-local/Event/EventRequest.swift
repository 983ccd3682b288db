internal import Text
internal import GatewayEmulator
internal import GatewayModel

/// A request as curl would send it, and the API that receives it.
struct EventRequest {
  let kind: EventKind
  let method: String
  /// Host with port, as in the URL.
  let host: String
  /// The path after the stage, as in the URL; begins with `/`.
  let path: String
  /// The query as in the URL, without `?`.
  let query: String
  var headers: [GatewayRequest.Header]
  var cookies: [String] = []
  let stage: String
  /// Whether the URL's path begins with the stage, which is not so for `$default` and behind a custom domain.
  let isStageInPath: Bool
  let api: String
  let region: String
  let account: String
  /// The route's path with `{name}` and `{name+}`.
  let resource: String
  /// Whether the route is one for any method.
  var isForAnyMethod = false
  let sourceIP: String
  let unixMilliseconds: Int64

  /// The path as the client sends it: the one that events show (docs/bound-tokens.md).
  var fullPath: String { isStageInPath ? "/\(stage)\(path)" : path }

  /// The event that API Gateway sends to an authorizer for the request, as `serve` sends it.
  var event: [UInt8] {
    var location = AWSLocation()
    // AWS, "Amazon Resource Names".
    location.partition =
      region.hasBytePrefix("cn-") ? "aws-cn" : region.hasBytePrefix("us-gov-") ? "aws-us-gov" : "aws"
    (location.region, location.account) = (region, account)
    let authorizer = GatewayAuthorizer(name: "", function: "", form: form, timeToLiveSeconds: 0)
    let pattern = PathPattern(resource)
    let match: GatewayRoute.Match =
      kind == .webSocket
      ? .connect : pattern.map { .path(method: isForAnyMethod ? nil : method, $0) } ?? .default
    let isREST = kind == .restToken || kind == .restRequest
    let gateway = GatewayAPI(
      name: "", identifier: api, kind: isREST ? .rest(GatewayResponses()) : .http(nil),
      stage: GatewayAPI.Stage(name: stage, variables: [:]), routes: [])
    var request = GatewayRequest(
      method: method, path: fullPath, query: query, headers: headers + addedHeaders, sourceAddress: sourceIP)
    if !isStageInPath, gateway.stage.isInPath { request.domain = GatewayDomain.Use(name: host, path: path) }
    return authorizer.event(
      for: request, at: host, path,
      of: RouteTable.Found(
        route: GatewayRoute(match: match, access: .lambda(authorizer), integration: .webSocketMock),
        parameters: pattern?.parameters(in: path) ?? []),
      to: gateway, in: location, unixMilliseconds: unixMilliseconds)
  }

  private var form: GatewayAuthorizer.Form {
    let header = "Authorization"
    return switch kind {
    case .restToken: .token(header: header, nil)
    case .restRequest: .restRequest([.header(header)])
    case .http1: .http1([.header(header)])
    case .http2: .http2([.header(header)], simpleAnswers: false)
    case .webSocket: .webSocket([.header(header)])
    }
  }

  /// What curl sends besides the headers of its options.
  private var addedHeaders: [GatewayRequest.Header] {
    (cookies.isEmpty ? [] : [.init("Cookie", cookies.joined(separator: "; "))])
      + (headers.contains { $0.name.lowercased() == "user-agent" } ? [] : [.init("User-Agent", "curl/8.9.1")])
  }
}
