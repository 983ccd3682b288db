internal import GatewayModel

/// What a route or a method that is a resource says about its callers: `AuthorizationType` and what belongs to it.
struct RouteAuthorization {
  /// `nil` if it is absent or not known.
  private let type: String?
  private let nativeTypes: [String]
  private let authorizer: String?
  private let scopes: [String]

  /// - Parameter nativeTypes: the types of API Gateway's own authorizers, beside `CUSTOM`.
  init(_ properties: inout PropertyReader, nativeTypes: String...) {
    self.nativeTypes = nativeTypes
    type = properties.word("AuthorizationType", among: ["NONE", "CUSTOM"] + nativeTypes + ["AWS_IAM"])
    authorizer = properties.text("AuthorizerId")
    scopes = properties.texts("AuthorizationScopes") ?? []
  }

  var isGuarded: Bool { type != nil && type != "NONE" }

  /// Returns who may call the route, which a finding closes.
  ///
  /// - Parameter report: the report about the route.
  func access(
    by authorizers: [String: RouteAccess], of route: TemplateReader.ResolvedResource, _ report: Diagnostics
  ) -> RouteAccess {
    var access = RouteAccess.open
    if !isGuarded {
      reportUnused(route, report)
    } else if type == "AWS_IAM" {
      access = .signature
    } else if let type, let known = authorizer.flatMap({ authorizers[$0] }), known.fits(type) {
      access = known.requiring(scopes)
    } else {
      report.refuse(
        route.line, route.path + ".AuthorizerId", "refers to no authorizer of this API and type",
        cure: "write !Ref AUTHORIZER")
    }
    return access.closed(by: report.findings)
  }

  /// Reports a route that names an authorizer or scopes, but whose type does not use them.
  ///
  /// An authorizer is for the types `CUSTOM`, `COGNITO_USER_POOLS` and `JWT` (API Reference, `authorizerId` of
  /// "PutMethod"), so beside `NONE` the route is open. Scopes are refused beside other types (aws-cdk#27576), and no
  /// default of the type is documented beside an authorizer.
  private func reportUnused(_ route: TemplateReader.ResolvedResource, _ report: Diagnostics) {
    guard authorizer != nil || !scopes.isEmpty else { return }
    let unused = authorizer == nil ? "AuthorizationScopes" : "AuthorizerId"
    let problem = "does not use \(unused): the route has no authorizer"
    let (place, cure) = (
      route.path + ".AuthorizationType",
      "write AuthorizationType: CUSTOM or \(nativeTypes.joined(separator: " or "))"
    )
    if type == "NONE", scopes.isEmpty {
      report.warn(route.line, place, problem, cure: cure + ", or remove AuthorizerId")
    } else {
      report.refuse(route.line, place, problem, cure: cure)
    }
  }
}
