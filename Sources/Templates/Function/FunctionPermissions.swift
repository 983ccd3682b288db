internal import Text
internal import IAMPolicy

/// The `AWS::Lambda::Permission` resources of a template.
///
/// An unreadable permission is treated as granted, because a false warning is worse than none.
package struct FunctionPermissions {
  package static let type = "AWS::Lambda::Permission"
  private let permissions: [Permission]

  private struct Permission {
    /// `nil` for a function outside of this template, or with an unknown name.
    let function: String?
    let principal: String?
    let action: String?
    let source: String?
  }

  /// - Parameter properties: the properties of each permission.
  package init(_ properties: [TemplateValue], _ names: TemplateNames) {
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

  /// Whether a permission allows API Gateway to call the function for the authorizers of an API.
  package func letCall(_ function: String, authorizersOf api: String) -> Bool {
    permissions.contains { permission in
      (permission.function ?? function) == function
        && permission.principal.map { ["apigateway.amazonaws.com", "*"].contains($0) } ?? true
        && permission.action.map { ["lambda:InvokeFunction", "lambda:*", "*"].contains($0) } ?? true
        && permission.source.map { Self.covers($0, authorizersOf: api) } ?? true
    }
  }

  /// Whether a `SourceArn` matches `arn:…:execute-api:REGION:ACCOUNT:API/authorizers/ID`. AWS assigns the IDs, so any
  /// ID matches; `API/*/GET/pets` is a method, not an authorizer.
  private static func covers(_ source: String, authorizersOf api: String) -> Bool {
    let parts = source.splitBytes(at: ":", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "arn" else { return true }
    guard WildcardPattern(String(parts[2])).matches("execute-api") else { return false }
    let resource = String(parts[5])
    if let slash = resource.unicodeScalars.firstIndex(of: "/"),
      resource[slash...].hasBytePrefix("/authorizers/")
    {
      return WildcardPattern(String(resource[..<slash])).matches(api)
    }
    return WildcardPattern(resource).matches("\(api)/authorizers/abc123")
  }
}
