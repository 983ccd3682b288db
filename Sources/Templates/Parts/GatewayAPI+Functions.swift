package import GatewayModel

extension GatewayAPI {
  /// Returns the API with those routes closed whose authorizer's function cannot be read, and without the integrations
  /// whose function cannot be read.
  package func closed(by functions: [String: TemplateFunction]) -> GatewayAPI {
    var api = self
    api.routes = routes.map { route in
      var route = route
      if let function = route.authorizer.flatMap({ functions[$0.function] }), !function.findings.isEmpty {
        route.access = .closed(function.findings)
      }
      if let name = route.integration.function, let finding = functions[name]?.findings.first {
        route.integration = .unavailable(finding)
      }
      return route
    }
    return api
  }

  /// Returns the API with the places of its findings in their files.
  func located(in sources: TemplateSources) -> GatewayAPI {
    var api = self
    api.routes = routes.map { route in
      var route = route
      if case .closed(let findings) = route.access { route.access = .closed(findings.map(sources.located)) }
      if case .unavailable(let finding) = route.integration {
        route.integration = .unavailable(sources.located(finding))
      }
      return route
    }
    return api
  }
}
