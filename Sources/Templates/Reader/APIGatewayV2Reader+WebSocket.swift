internal import GatewayModel

/// What only the routes of WebSocket APIs have.
extension APIGatewayV2Reader {
  /// The names of the routes that have a route response.
  func answeredRoutes() -> Set<String> {
    var names: Set<String> = []
    for (_, all) in owned("AWS::ApiGatewayV2::RouteResponse") {
      var properties = all
      properties.pass(over: "ResponseModels", "ResponseParameters", "ModelSelectionExpression")
      let key = properties.text("RouteResponseKey")
      // The client then receives nothing; nothing is opened.
      if let route = properties.text("RouteId"), key == "$default" { names.insert(route) }
      properties.finish()
    }
    for (resource, _) in owned("AWS::ApiGatewayV2::IntegrationResponse") {
      report.note(resource.line, resource.path, "is not emulated: the client receives no mapped response")
    }
    return names
  }

  /// Reads where API keys are; the default is the header.
  package func keySource(_ properties: inout PropertyReader) -> APIKeySource {
    let places: [String: APIKeySource] = [
      "$request.header.x-api-key": .header, "$context.authorizer.usageIdentifierKey": .authorizer,
    ]
    return properties.parsed(
      "ApiKeySelectionExpression", cure: "write \(places.keys.sorted().reversed().joined(separator: " or "))"
    ) { places[$0] } ?? .header
  }
}

/// The properties of a WebSocket route besides its key, authorization and target, of `AWS::ApiGatewayV2::Route` and of
/// SAM.
struct WebSocketRouteSettings {
  let needsAPIKey: Bool
  /// Whether it has the route response selection expression.
  let hasReplyExpression: Bool

  init(_ properties: inout PropertyReader, isConnect: Bool) {
    let report = properties.report
    needsAPIKey = properties.boolean("ApiKeyRequired") ?? false
    if needsAPIKey, !isConnect {
      properties.refuse(
        member: "ApiKeyRequired", "is not emulated", cure: "remove it here, and require the key on $connect")
    }
    properties.note("is not emulated: no message is validated", "ModelSelectionExpression", "RequestModels")
    if var parameters = properties.reader("RequestParameters") {
      for member in parameters.takeAll() {
        let path = parameters.path(of: member.name)
        guard var settings = PropertyReader(member.value, at: path, report) else { continue }
        if settings.boolean("Required") == true {
          report.refuse(
            member.value.line, path, "is not emulated: a required parameter",
            cure: "write Required: false in a local copy of the template")
        }
        settings.finish()
      }
    }
    let expression = properties.parsed("RouteResponseSelectionExpression", cure: "write $default") {
      ["$default", #"\$default"#].contains($0) ? $0 : nil
    }
    hasReplyExpression = expression != nil
  }

  func reply(hasResponse: Bool) -> GatewayRoute.Reply {
    switch (hasReplyExpression, hasResponse) {
    case (true, true): .both
    case (false, false): .none
    default: .oneOfBoth
    }
  }
}
