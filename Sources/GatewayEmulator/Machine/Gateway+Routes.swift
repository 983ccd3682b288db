internal import Text
package import GatewayModel
package import IAMPolicy
internal import JSON

/// The route of a request, and what conditions of policies know about it.
extension Gateway {
  package func route(
    _ request: GatewayRequest, _ path: String, _ api: GatewayAPI, _ connectionID: String?
  ) -> RouteTable.Found? {
    guard case .webSocket = api.kind else {
      return tables[api.address]?.route(method: request.method, path: path)
    }
    guard connectionID != nil, path == "/" else { return nil }
    // A WebSocket API without $connect accepts every connection.
    let route =
      tables[api.address]?.route(key: "$connect")
      ?? GatewayRoute(match: .connect, access: .open, integration: .webSocketMock)
    return RouteTable.Found(route: route, parameters: [])
  }

  package static func path(of request: GatewayRequest, behindStageOf api: GatewayAPI) -> String? {
    guard api.stage.isInPath else { return request.path.isEmpty ? "/" : request.path }
    return api.pathBehindStage(request.path)
  }

  // MARK: Conditions

  /// The condition keys of the request. The gateway has the request itself, so they are also known for TOKEN events.
  package func conditions(of exchange: Exchange, _ grant: AuthorizerGrant) -> ConditionContext {
    conditions(
      of: exchange,
      at: settings.conditionsOnCacheHit == .again
        ? exchange.identity.unixMilliseconds / 1000 : grant.grantedAt)
  }

  package func conditions(of exchange: Exchange, at seconds: Int64) -> ConditionContext {
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
  func pathBehindStage(_ path: String) -> String? {
    var path = path[...]
    if isREST { while path.hasBytePrefix("//") { path = path.dropFirst(bytes: 1) } }
    guard path.hasBytePrefix("/" + stage.name) else { return nil }
    var rest = path.dropFirst(bytes: 1 + stage.name.utf8.count)
    if rest.isEmpty { return "/" }
    if isREST { while rest.hasBytePrefix("//") { rest = rest.dropFirst(bytes: 1) } }
    return rest.hasBytePrefix("/") ? String(rest) : nil
  }
}
