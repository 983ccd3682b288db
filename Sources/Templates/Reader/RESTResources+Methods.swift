internal import Text
internal import GatewayModel
internal import Mapping

/// The methods, their paths and their authorizers.
extension RESTResources {
  package func methods(_ register: inout RouteRegister) -> [GatewayRoute] {
    let paths = paths()
    let authorizers = authorizers()
    return owned("AWS::ApiGateway::Method").compactMap { resource, properties in
      let route = route(resource, properties, paths, authorizers)
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
    case token = "TOKEN", request = "REQUEST", userPools = "COGNITO_USER_POOLS"
  }

  /// Returns who may call a method with each authorizer.
  private func authorizers() -> [String: RouteAccess] {
    var result: [String: RouteAccess] = [:]
    for (resource, properties) in owned("AWS::ApiGateway::Authorizer") {
      let part = AuthorizerReader(reader, api: identifier, report.part())
      result[resource.name] = access(properties.reporting(to: part.report), resource, part)
        .closed(by: part.report.findings)
    }
    return result
  }

  private func access(
    _ all: PropertyReader, _ resource: TemplateReader.ResolvedResource, _ authorizers: AuthorizerReader
  ) -> RouteAccess {
    var properties = all
    let (line, path) = (resource.line, resource.path)
    properties.pass(over: "AuthType")
    let name = properties.requiredText("Name", cure: "write Name: Bearer") ?? resource.name
    let type = properties.word("Type", AuthorizerType.self)
    let mayCall = properties.take("AuthorizerCredentials") != nil
    let function = properties.text("AuthorizerUri")
    let lifetime =
      properties.integer("AuthorizerResultTtlInSeconds", in: 0...GatewayAuthorizer.maximumTimeToLiveSeconds)
      ?? GatewayQuota.restTimeToLiveSeconds
    let validation = authorizers.validation(
      properties.text("IdentityValidationExpression"), line, path + ".IdentityValidationExpression")
    let pools = properties.texts("ProviderARNs") ?? []
    let sources = sources(&properties, authorizers.report)
    properties.finish()
    switch type {
    case .userPools?:
      if pools.isEmpty || !pools.allSatisfy(authorizers.isUserPool) {
        let wrong = pools.first { !authorizers.isUserPool($0) }
        authorizers.report.refuse(
          line, path + ".ProviderARNs", wrong.map { "is not the ARN of a user pool: \($0)" } ?? "is missing",
          cure: "write ProviderARNs: [!GetAtt POOL.Arn]")
      }
      guard case .header? = sources.first else {
        authorizers.report.refuse(
          line, path + ".IdentitySource", "must be a header",
          cure: "write method.request.header.Authorization")
        return .closed(authorizers.report.findings)
      }
      return .token(
        TokenAuthorizer(name: name, kind: .userPools(pools), source: sources[0], validation: validation),
        scopes: [])
    case .token?:
      guard case .header(let header)? = sources.first, sources.count == 1 else {
        authorizers.report.refuse(
          line, path + ".IdentitySource", "must be one header for a TOKEN authorizer",
          cure: "write method.request.header.Authorization")
        return .closed(authorizers.report.findings)
      }
      let form = GatewayAuthorizer.Form.token(header: header, validation)
      return authorizers.access(
        authorizers.authorizer(name, function, form, lifetime, mayCall: mayCall, line, path), line, path)
    case .request?:
      let form = GatewayAuthorizer.Form.restRequest(sources)
      return authorizers.access(
        authorizers.authorizer(name, function, form, lifetime, mayCall: mayCall, line, path), line, path)
    case nil:
      if authorizers.report.findings.isEmpty {
        authorizers.report.refuse(
          line, path + ".Type", "is missing", cure: "write TOKEN, REQUEST or COGNITO_USER_POOLS")
      }
      return .closed(authorizers.report.findings)
    }
  }

  private func sources(_ properties: inout PropertyReader, _ report: TemplateReport) -> [IdentitySource] {
    let texts = (properties.texts("IdentitySource") ?? []).flatMap { $0.splitBytes(at: ",") }
    return texts.map(\.trimmingBlanks).compactMap { text in
      if let source = IdentitySource(expression: text) { return source }
      report.refuse(
        properties.line, properties.path(of: "IdentitySource"), "is not known: \(text)",
        cure:
          "write method.request.header.NAME, method.request.querystring.NAME, stageVariables.NAME or context.NAME"
      )
      return nil
    }
  }

  // MARK: Methods

  private enum AuthorizationType: String, CaseIterable {
    case none = "NONE", custom = "CUSTOM", userPools = "COGNITO_USER_POOLS", signature = "AWS_IAM"
  }

  /// Returns a route; `nil` with a finding about the API if it is not known which requests it takes.
  private func route(
    _ resource: TemplateReader.ResolvedResource, _ all: PropertyReader, _ paths: [String: String],
    _ authorizers: [String: RouteAccess]
  ) -> GatewayRoute? {
    var keyed = all
    let verb = keyed.requiredText("HttpMethod", cure: "write HttpMethod: GET")?.uppercased()
    let place = keyed.requiredText("ResourceId", cure: "write ResourceId: !Ref RESOURCE")
    guard let verb, let place else { return nil }
    guard verb == "ANY" || EventReader.methods.contains(verb) else {
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
    properties.pass(over: "MethodResponses", "OperationName")
    properties.pass(over: "RequestModels")
    let validation = validators().plain(
      properties.take("RequestParameters"), validator: properties.text("RequestValidatorId"))
    let type = properties.word("AuthorizationType", AuthorizationType.self)
    let authorizer = properties.text("AuthorizerId")
    let scopes = properties.texts("AuthorizationScopes") ?? []
    let needsAPIKey = properties.boolean("ApiKeyRequired") ?? false
    let integration = integration(properties.take("Integration"), resource)
    properties.finish()
    var access = RouteAccess.open
    switch type {
    case nil, .some(.none):
      part.reportUnused(
        authorizer, scopes, beside: type?.rawValue, line: resource.line, at: resource.path,
        cure: "CUSTOM or COGNITO_USER_POOLS")
    case .signature?: access = .signature
    case .custom?, .userPools?:
      if let known = authorizer.flatMap({ authorizers[$0] }), known.fits(isCustom: type == .custom) {
        access = known.requiring(scopes)
      } else {
        part.refuse(
          resource.line, resource.path + ".AuthorizerId", "refers to no authorizer of this API and type",
          cure: "write !Ref AUTHORIZER")
      }
    }
    var route = GatewayRoute(
      match: .path(method: verb == "ANY" ? nil : verb, pattern), access: access.closed(by: part.findings),
      needsAPIKey: needsAPIKey, integration: integration)
    route.validation = validation
    return route
  }

  private func validators() -> RequestValidators {
    var validators = RequestValidators()
    for (resource, all) in owned("AWS::ApiGateway::RequestValidator") {
      var properties = all
      validators.add(resource.name, &properties, "ValidateRequestParameters", "ValidateRequestBody")
    }
    return validators
  }

  private func integration(
    _ value: TemplateValue?, _ resource: TemplateReader.ResolvedResource
  ) -> GatewayIntegration {
    let path = resource.path + ".Integration"
    let missing = TemplateFinding(
      line: resource.line, path: path, problem: "is missing", cure: "write Integration with a Type")
    guard let value else { return .unavailable(missing) }
    let part = report.part()
    let integration = IntegrationReader(reader, isREST: true, part).plain(value, at: path)
    return part.findings.first.map { .unavailable($0) } ?? integration ?? .unavailable(missing)
  }
}
