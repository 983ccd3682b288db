/// Which mutations open a route on AWS too.
extension TemplateMutation {
  /// Whether the mutation changes the value of one of these properties, or something in it. A renamed property is a
  /// mistake, and decides nothing.
  func decides(_ names: Set<String>) -> Bool {
    kind != .renamed && path.contains(where: names.contains)
  }

  static let policies: Set = ["Policy", "ResourcePolicy", "x-amazon-apigateway-policy"]

  /// Whether AWS reads the changed template as one that asks for less, so that there is nothing to protect.
  var opensOnAWS: Bool {
    let (name, parents) = (path.last ?? "", path.dropLast())
    switch kind {
    case .null:
      // A part that another property names, or that is of no API, is of no route. An empty guard closes.
      return !Self.guards.contains(name) && isAbsence(name, parents) || name == "components"
    case .removed:
      // Without a policy, every caller is let in; without its condition, its Allow holds for every caller.
      if path.contains(where: Self.policies.contains) { return true }
      // Without it, nothing says who may call, or another authorizer, scope or key is the one that the template names.
      return Self.guards.contains(name) || path.contains("AuthorizationScopes")
        || isAboutSchemes(name, parents)
        || Self.signed.contains(original) || isAbsence(name, parents)
        // The first member of a claim stands for the whole of it.
        || Self.claims.contains(name)
    case .map:
      // An empty map of these is absent for SAM.
      return name == "Properties" && (path.count == 3 || path.contains("Events"))
        || ["Auth", "Events", "Globals", "paths", "DefinitionBody"].contains(name) || parents == ["Globals"]
        // A document without schemes: API Gateway ignores what asks for them.
        || Self.sections.contains(name) || name == "components"
        // An operation without security.
        || parents.last == "paths" || parents.dropLast().last == "paths"
        // A statement without conditions.
        || name == "Condition" && path.contains(where: Self.policies.contains)
    case .renamed:
      // Other names of a path or a method; a requirement without its scheme, which API Gateway ignores; a property of an
      // authorizer of SAM, which looks up the names that it knows.
      return parents.last == "paths" || parents.dropLast().last == "paths"
        || isAboutSchemes(name, parents) && !Self.sections.contains(name) && name != "components"
        || isOfAuthorizerOfSAM
    // API Gateway takes an empty list for no authorizer or no scope.
    case .list: return ["AuthorizationScopes", "security"].contains(name) || parents.last == "security"
    // Another audience, or another route.
    case .text: return ["audience", "Audience", "RouteKey", "PathPart"].contains(name)
    }
  }

  /// Whether without the property, the route is another one: of another function, of another API, or of none.
  private func isAbsence(_ name: String, _ parents: ArraySlice<String>) -> Bool {
    Self.places.contains(name) || parents.last == "Events" || parents == ["Resources"]
      || name == "Properties" && (path.count == 3 || path.contains("Events"))
      || path == ["Globals"] || parents == ["Globals"]
      || parents.last == "paths" || parents.dropLast().last == "paths"
  }

  /// Whether it is a security scheme, their section, or a name that asks for one.
  private func isAboutSchemes(_ name: String, _ parents: ArraySlice<String>) -> Bool {
    Self.sections.contains(name) || name == "components" || parents.last == "security"
      || parents.last.map(Self.sections.contains) == true
  }

  private static let sections: Set<String> = ["securitySchemes", "securityDefinitions"]

  /// Whether it is a property of an authorizer of SAM, or of its identity.
  private var isOfAuthorizerOfSAM: Bool {
    guard let place = path.firstIndex(of: "Authorizers") else { return false }
    let below = path[place...].dropFirst(2)
    return below.count == 1 || below.count == 2 && below.first == "Identity"
  }

  private static let signed: Set<String> = [
    "AuthorizationType: AWS_IAM", "AuthorizationType: !FindInMap [Kinds, signed, type]",
  ]

  /// What a JWT authorizer of a REST API asks for besides.
  private static let claims: Set<String> = [
    "AdditionalClaims", "ClaimName", "ExpectedValues", "Required", "additionalClaims", "claimName",
    "expectedValues", "required",
  ]

  private static let guards: Set<String> = [
    "Auth", "DefaultAuthorizer", "Authorizer", "ApiKeyRequired", "security", "Fn::Transform",
    "DisableExecuteApiEndpoint",
  ]

  private static let places: Set<String> = [
    "Events", "RestApiId", "ApiId", "paths", "DefinitionBody", "Resources", "MergeDefinitions", "Cors",
  ]
}
