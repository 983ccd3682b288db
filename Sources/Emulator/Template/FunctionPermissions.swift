/// The `AWS::Lambda::Permission` resources of a template: who may call which function.
///
/// What cannot be read here counts as given: a false alarm is worse than none.
struct FunctionPermissions {
  static let type = "AWS::Lambda::Permission"
  private let permissions: [Permission]

  private struct Permission {
    /// `nil` for a function that is not of this template, or whose name is not known here.
    let function: String?
    let principal: String?
    let action: String?
    let source: String?
  }

  /// - Parameter properties: of each permission.
  init(_ properties: [TemplateValue], _ names: TemplateNames) {
    permissions = properties.map { properties in
      func text(_ name: String) -> String? {
        properties.members?.first { $0.name == name }?.value.text
      }
      let function = text("FunctionName").flatMap { name in
        names.isFunction(name) ? name : names.function(name)
      }
      return Permission(
        function: function, principal: text("Principal"), action: text("Action"), source: text("SourceArn"))
    }
  }

  /// Whether one of them lets API Gateway call the function for the authorizers of an API.
  func letCall(_ function: String, authorizersOf api: String) -> Bool {
    permissions.contains { permission in
      (permission.function ?? function) == function
        && permission.principal.map { ["apigateway.amazonaws.com", "*"].contains($0) } ?? true
        && permission.action.map { ["lambda:InvokeFunction", "lambda:*", "*"].contains($0) } ?? true
        && permission.source.map { Self.covers($0, authorizersOf: api) } ?? true
    }
  }

  /// Whether a `SourceArn` fits `arn:…:execute-api:REGION:ACCOUNT:API/authorizers/ID`. Ids are given by AWS, so that any
  /// of them fits; `API/*/GET/pets` is a method and no authorizer.
  private static func covers(_ source: String, authorizersOf api: String) -> Bool {
    let parts = source.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "arn" else { return true }
    guard WildcardPattern(String(parts[2])).matches("execute-api") else { return false }
    let resource = String(parts[5])
    if let slash = resource.firstIndex(of: "/"), resource[slash...].hasPrefix("/authorizers/") {
      return WildcardPattern(String(resource[..<slash])).matches(api)
    }
    return WildcardPattern(resource).matches("\(api)/authorizers/abc123")
  }
}
