internal import Text
internal import GatewayModel
internal import Mapping

/// The methods, their paths and their authorizers.
extension APIGatewayV1Reader {
  package func methods(_ register: inout RouteRegister) -> [GatewayRoute] {
    let paths = paths()
    let authorizers = authorizers(owned("AWS::ApiGateway::Authorizer"), access)
    return owned("AWS::ApiGateway::Method").compactMap { resource, properties in
      let route = route(resource, properties, paths: paths, authorizers)
      if let route { register.enter(route.match, line: resource.line, path: resource.path) }
      return route
    }
  }

  // MARK: Paths

  /// The maximum depth of resources: our limit. API Gateway's is 300 resources in an API by default.
  private static let maximumDepth = 300

  /// The path of each `AWS::ApiGateway::Resource`, by its name. A path that cannot be read closes the API.
  private func paths() -> [String: String] {
    var parts: [String: (parent: String, part: String)] = [:]
    for (resource, all) in owned("AWS::ApiGateway::Resource") {
      var properties = all
      let parent = properties.requiredText("ParentId", cure: "write ParentId: !GetAtt API.RootResourceId")
      let part = properties.requiredText("PathPart", cure: "write PathPart: pets or \"{id}\"")
      properties.finish()
      if let part, part.isEmpty || part.containsBytes(of: "/") || PathPattern("/" + part) == nil {
        report.refuse(
          resource.line, resource.path + ".PathPart", "is not one part of a path: \(part)",
          cure: "write PathPart: pets or \"{id}\"")
      }
      if let parent, let part { parts[resource.name] = (parent, part) }
    }
    var paths: [String: String] = [:]
    for name in parts.keys.sorted() {
      var (path, next, depth) = ("", name, 0)
      while !isRoot(next) {
        depth += 1
        guard let place = parts[next], depth <= Self.maximumDepth else {
          report.refuse(
            resource.line, "Resources.\(name).Properties.ParentId",
            "leads to no resource of this API: \(next)",
            cure: "write ParentId: !Ref RESOURCE or !GetAtt API.RootResourceId")
          break
        }
        path = "/" + place.part + path
        next = place.parent
      }
      paths[name] = path
    }
    return paths
  }

  private func isRoot(_ text: String) -> Bool { text == resource.name + ".RootResourceId" }

  // MARK: Authorizers

  private enum AuthorizerType: String, CaseIterable {
    case token = "TOKEN", request = "REQUEST", userPools = "COGNITO_USER_POOLS", jwt = "JWT"
  }

  private func access(_ properties: inout PropertyReader, _ authorizer: AuthorizerReader) -> RouteAccess {
    properties.pass(over: "AuthType")
    let type = properties.word("Type", AuthorizerType.self)
    if type == .jwt { return authorizer.restJWT(&properties, .cloudFormation) }
    let mayCall = properties.take("AuthorizerCredentials") != nil
    let function = properties.text("AuthorizerUri").map { ExternalFunctions.Address.text($0) }
    let lifetime =
      authorizer.lifetime(&properties, "AuthorizerResultTtlInSeconds") ?? GatewayQuota.restTimeToLiveSeconds
    let validation = authorizer.validation(
      properties.text("IdentityValidationExpression"), at: "IdentityValidationExpression")
    let pools = properties.texts("ProviderARNs") ?? []
    let sources = authorizer.sources(
      properties.texts("IdentitySource"), separator: ",", member: "IdentitySource",
      cure:
        "write method.request.header.NAME, method.request.querystring.NAME, stageVariables.NAME or context.NAME"
    )
    properties.finish()
    switch type {
    case .userPools?:
      if pools.isEmpty || !pools.allSatisfy(authorizer.isUserPool) {
        let wrong = pools.first { !authorizer.isUserPool($0) }
        authorizer.refuse(
          "ProviderARNs", wrong.map { "is not the ARN of a user pool: \($0)" } ?? "is missing",
          cure: "write ProviderARNs: [!GetAtt POOL.Arn]")
      }
      guard case .header(let header)? = sources.first else {
        authorizer.refuse(
          "IdentitySource", "must be a header", cure: "write method.request.header.Authorization")
        return authorizer.closed
      }
      return authorizer.userPools(pools, header: header, validation)
    case .token?:
      guard case .header(let header)? = sources.first, sources.count == 1 else {
        authorizer.refuse(
          "IdentitySource", "must be one header for a TOKEN authorizer",
          cure: "write method.request.header.Authorization")
        return authorizer.closed
      }
      let form = GatewayAuthorizer.Form.token(header: header, validation)
      return authorizer.lambda(function, form, lifetime: lifetime, mayCall: mayCall)
    case .request?:
      return authorizer.lambda(function, .restRequest(sources), lifetime: lifetime, mayCall: mayCall)
    case .jwt?, nil:
      if authorizer.report.findings.isEmpty {
        authorizer.refuse("Type", "is missing", cure: "write TOKEN, REQUEST, COGNITO_USER_POOLS or JWT")
      }
      return authorizer.closed
    }
  }

  // MARK: Methods

  /// Returns a route; `nil` with a finding about the API if it is not known which requests it takes.
  private func route(
    _ resource: TemplateReader.ResolvedResource, _ all: PropertyReader, paths: [String: String],
    _ authorizers: [String: RouteAccess]
  ) -> GatewayRoute? {
    var keyed = all
    let verb = keyed.requiredText("HttpMethod", cure: "write HttpMethod: GET")?.uppercased()
    let place = keyed.requiredText("ResourceId", cure: "write ResourceId: !Ref RESOURCE")
    guard let verb, let place else { return nil }
    guard verb == "ANY" || GatewayRoute.methods.contains(verb) else {
      report.refuse(
        resource.line, resource.path + ".HttpMethod", "is not a method: \(verb)",
        cure: "write HttpMethod: GET")
      return nil
    }
    let text = isRoot(place) ? "/" : paths[place]
    guard let text, let pattern = PathPattern(text) else {
      report.refuse(
        resource.line, resource.path + ".ResourceId", "leads to no path of this API: \(text ?? place)",
        cure: "write !Ref RESOURCE or !GetAtt API.RootResourceId")
      return nil
    }
    let part = report.part()
    var properties = keyed.reporting(to: part)
    properties.pass(over: "MethodResponses", "OperationName", "RequestModels")
    let validation = validators().plain(
      properties.take("RequestParameters"), validator: properties.text("RequestValidatorId"))
    let authorization = RouteAuthorization(&properties, nativeTypes: "COGNITO_USER_POOLS", "JWT")
    let needsAPIKey = properties.boolean("ApiKeyRequired") ?? false
    let integration = integration(properties.take("Integration"), resource)
    properties.finish()
    var route = GatewayRoute(
      match: .path(method: verb == "ANY" ? nil : verb, pattern),
      access: authorization.access(by: authorizers, of: resource, part),
      needsAPIKey: needsAPIKey, integration: integration)
    route.validation = validation
    return route
  }

  private func validators() -> RequestValidators {
    var validators = RequestValidators()
    for (resource, all) in owned("AWS::ApiGateway::RequestValidator") {
      var properties = all
      validators.add(
        resource.name, &properties, parameters: "ValidateRequestParameters", body: "ValidateRequestBody")
    }
    return validators
  }

  private func integration(
    _ value: TemplateValue?, _ resource: TemplateReader.ResolvedResource
  ) -> GatewayIntegration {
    let path = resource.path + ".Integration"
    let missing = Diagnostic(
      line: resource.line, path: path, problem: "is missing", cure: "write Integration with a Type")
    guard let value else { return .unavailable(missing) }
    let part = report.part()
    let integration = IntegrationReader(reader: reader, isREST: true, report: part).plain(value, at: path)
    return part.findings.first.map { .unavailable($0) } ?? integration ?? .unavailable(missing)
  }
}
