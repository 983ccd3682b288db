internal import Text
package import GatewayModel
package import IAMPolicy
internal import JSON

/// The route of a request, and what conditions of policies know about it.
extension Gateway {
  /// A request has a route, or is answered without one.
  enum RouteResult {
    case found(RequestContext)
    case answer(GatewayAnswer)
  }

  /// Refuses a request to the address of an API that only its custom domain has.
  ///
  /// "Disable the default endpoint": REST APIs answer 403, HTTP APIs 404, as to a stage that does not exist.
  func refusedByEndpoint(_ received: ReceivedRequest) -> GatewayAnswer? {
    if received.api.access.hasDefaultEndpoint || received.request.domain != nil { return nil }
    return refuse(
      .noStage, received, why: "DisableExecuteApiEndpoint: only a custom domain answers")
  }

  /// Finds the stage and the route of a request, or answers it.
  func route(_ received: ReceivedRequest) -> RouteResult {
    let (request, api) = (received.request, received.api)
    guard let path = Self.path(of: request, behindStageOf: api) else {
      let stages = served.apis.filter { $0.name == api.name }.map { "/" + $0.stage.name }.joined(
        separator: " or ")
      return .answer(refuse(.noStage, received, why: "the path does not begin with \(stages)"))
    }
    let found = route(of: received, path: path)
    // A route that matches OPTIONS, such as `ANY` or `$default`, receives preflight requests too, and so does its
    // authorizer ("Configure CORS for HTTP APIs").
    if case .http(let policy?) = api.kind, CrossOriginPolicy.isPreflight(request), found == nil {
      let response = policy.preflight(for: request)
      let record = AccessRecord(
        received, routeKey: "preflight", .unused("a preflight request has no token"), status: response.status)
      return .answer(GatewayAnswer(response, record, to: received))
    }
    guard let found else { return .answer(refuse(.noRoute, received, why: "no route matches")) }
    if settings.pathReadings == .closed,
      let other = tables[api.address]?.otherwiseGuarded(than: found.route, method: request.method, path: path)
    {
      let finding = Diagnostic(
        path: found.route.key,
        problem:
          "gets this path as it was sent, and \(other), with another guard, gets another reading of it",
        cure: "test the path on AWS, then write --assume path-readings=as-sent")
      return .answer(refuse(.notEmulated(finding), received, why: finding.problem))
    }
    return .found(
      RequestContext(
        api: api, location: served.location, request: request, path: path, route: found.route,
        pathParameters: found.parameters, identity: received.identity, connectionID: received.connectionID,
        settings: settings))
  }

  private func route(of received: ReceivedRequest, path: String) -> RouteTable.Found? {
    let api = received.api
    guard case .webSocket = api.kind else {
      return tables[api.address]?.route(method: received.request.method, path: path)
    }
    guard received.connectionID != nil, path == "/" else { return nil }
    // A WebSocket API without $connect accepts every connection.
    let route =
      tables[api.address]?.route(key: "$connect")
      ?? GatewayRoute(match: .connect, access: .open, integration: .webSocketMock)
    return RouteTable.Found(route: route, parameters: [])
  }

  private static func path(of request: GatewayRequest, behindStageOf api: GatewayAPI) -> String? {
    guard api.stage.isInPath else { return request.path.isEmpty ? "/" : request.path }
    return api.pathBehindStage(request.path)
  }

  // MARK: Conditions

  /// The condition keys of the request. The gateway has the request itself, so they are also known for TOKEN events.
  package func conditions(of exchange: RequestContext, _ grant: AuthorizerGrant) -> ConditionContext {
    conditions(
      of: exchange,
      at: settings.conditionsOnCacheHit == .again
        ? exchange.identity.unixMilliseconds / 1000 : grant.grantedAt)
  }

  package func conditions(of exchange: RequestContext, at seconds: Int64) -> ConditionContext {
    var context = ConditionContext(at: seconds, sourceIP: exchange.request.sourceAddress)
    for (key, header) in [("aws:Referer", "referer"), ("aws:UserAgent", "user-agent")] {
      try? context.set(key, to: exchange.request.values(ofHeader: header).first.map { [$0] } ?? [])
    }
    if let caller = exchange.caller {
      context.setSigner(
        arn: caller.userARN, account: caller.account, userID: caller.userID, userName: caller.userName)
    }
    // A request from the internet has none of these keys; those of a request through a VPC endpoint are unknown.
    if exchange.api.access.isPrivate { return context }
    for key in ["aws:SourceArn", "aws:SourceVpc", "aws:SourceVpce", "aws:VpcSourceIp"] {
      try? context.set(key, to: [])
    }
    return context
  }
}

extension GatewayAPI {
  /// The name and the stage: unique within a template.
  package var address: String { name + "/" + stage.name }

  /// The rest of a path that begins with the stage, else `nil`.
  ///
  /// On a REST API repeated slashes before and behind the stage count as one (recorded by LocalStack on AWS).
  package func pathBehindStage(_ path: String) -> String? {
    var path = path[...]
    if isREST { while path.hasBytePrefix("//") { path = path.dropFirst(bytes: 1) } }
    guard path.hasBytePrefix("/" + stage.name) else { return nil }
    var rest = path.dropFirst(bytes: 1 + stage.name.utf8.count)
    if rest.isEmpty { return "/" }
    if isREST { while rest.hasBytePrefix("//") { rest = rest.dropFirst(bytes: 1) } }
    return rest.hasBytePrefix("/") ? String(rest) : nil
  }
}
