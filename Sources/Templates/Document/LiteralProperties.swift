internal import Text
internal import GatewayModel
internal import IAMPolicy
internal import Yams

/// The properties that SAM must read before CloudFormation evaluates functions.
///
/// SAM knows parameters and `FindInMap`. It refuses any other function there, or takes the map of its call as a value:
/// `Auth: !If [C, {…}, !Ref AWS::NoValue]` never means "no authorizer".
struct LiteralProperties {
  private let parameters: Set<String>

  /// - Parameter parameters: the names of the template's parameters.
  init(_ parameters: Set<String>) { self.parameters = parameters }

  /// Returns the resolved properties of a resource, unknown where SAM needs a literal and the template has a function.
  func checked(_ value: TemplateValue, _ node: Node, of resource: TemplateDocument.Resource) -> TemplateValue
  {
    (Self.paths[resource.type] ?? []).reduce(value) { value, path in
      checked(value, node, path[...], at: "Resources.\(resource.name).Properties")
    }
  }

  private func checked(
    _ value: TemplateValue, _ node: Node, _ path: ArraySlice<String>, at place: String
  ) -> TemplateValue {
    if let call = FunctionCall(node) {
      guard path.isEmpty, !isKnown(call) else { return value }
      let finding = Diagnostic(
        line: node.line, path: place, problem: "must be a literal for SAM: \(call.name) is evaluated later",
        cure: "write the value itself, or a parameter")
      return TemplateValue(line: node.line, content: .unknown(finding))
    }
    guard let name = path.first, let mapping = node.mapping, let members = value.members else { return value }
    var result = members
    for (key, child) in mapping where name == "*" || key.string == name {
      let key = key.string ?? ""
      let index = result.firstIndex { $0.name == key }
      let empty = TemplateValue(line: child.line, content: .null)
      let checked = checked(
        index.map { result[$0].value } ?? empty, child, path.dropFirst(), at: place + "." + key)
      if let index {
        result[index] = TemplateValue.Member(name: key, value: checked)
      } else if checked.finding != nil {
        // `AWS::NoValue` has removed the member.
        result.append(TemplateValue.Member(name: key, value: checked))
      }
    }
    return TemplateValue(line: value.line, content: .map(result))
  }

  private func isKnown(_ call: FunctionCall) -> Bool {
    if call.name == "FindInMap" || call.name == "Transform" { return true }
    guard call.name == "Ref", let name = call.argument.scalar?.string else { return false }
    return parameters.contains(name) || name.hasBytePrefix("AWS::") && name != "AWS::NoValue"
  }

  private static let paths: [String: [[String]]] = [
    "AWS::Serverless::Api": auth + [["MergeDefinitions"]], "AWS::Serverless::HttpApi": auth,
    "AWS::Serverless::Function": events, "AWS::Serverless::StateMachine": events,
  ]

  private static let auth: [[String]] =
    [["Auth"]]
    + [
      "DefaultAuthorizer", "Authorizers", "AddDefaultAuthorizerToCorsPreflight", "ApiKeyRequired",
      "AddApiKeyRequiredToCorsPreflight", "EnableIamAuthorizer", "ResourcePolicy", "UsagePlan",
    ].map { ["Auth", $0] }
    + [["Auth", "Authorizers", "*"]]
    + ["Identity", "FunctionPayloadType", "AuthorizationScopes", "JwtConfiguration"].map {
      ["Auth", "Authorizers", "*", $0]
    }

  private static let events: [[String]] =
    [["Events"], ["Events", "*"]] + ["Type", "Properties"].map { ["Events", "*", $0] }
    + ["Path", "Method", "Auth"].map { ["Events", "*", "Properties", $0] }
    + ["Authorizer", "AuthorizationScopes", "ApiKeyRequired", "OverrideApiAuth", "ResourcePolicy"].map {
      ["Events", "*", "Properties", "Auth", $0]
    }
}
