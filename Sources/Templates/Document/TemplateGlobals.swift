internal import Text
internal import GatewayModel
internal import IAMPolicy
internal import Yams

/// `Globals` of a template by SAM's merge rules ("Globals section of the AWS SAM template"): maps merge at every depth,
/// a list is appended to the global list, and anything else, intrinsic functions too, replaces the global value.
struct TemplateGlobals {
  private let sections: [String: Node]
  private let report: Diagnostics
  /// The number of values that may still be merged.
  private var left = TemplateText.maximumValues

  /// Refuses what SAM refuses: a section or a property that cannot be global.
  init(_ sections: [String: Node], _ report: Diagnostics) {
    self.report = report
    var known: [String: Node] = [:]
    for (name, section) in sections.sorted(by: { $0.key < $1.key }) {
      guard let properties = Self.properties[name] else {
        report.refuse(
          section.line, "Globals.\(name)", "is not a section of Globals",
          cure: "use one of \(Self.properties.keys.sorted().joined(separator: ", "))")
        continue
      }
      guard let members = section.mapping, FunctionCall(section) == nil else {
        report.refuse(section.line, "Globals.\(name)", "must be a map", cure: "write lines of NAME: VALUE")
        continue
      }
      for (key, _) in members where !properties.contains(key.string ?? "") {
        report.refuse(
          key.line, "Globals.\(name).\(key.string ?? "")", "cannot be global",
          cure: "write it at each resource, or check the spelling")
      }
      known[name] = section
    }
    self.sections = known
  }

  /// Returns the resource with the global properties of its type.
  mutating func merged(into resource: TemplateDocument.Resource) -> TemplateDocument.Resource {
    guard resource.type.hasBytePrefix(Self.prefix),
      case .mapping(var section)? = sections[String(resource.type.dropFirst(bytes: Self.prefix.utf8.count))]
    else { return resource }
    if let ignored = resource.ignoredGlobals {
      if ignored.scalar?.string == "*" { return resource }
      let names = ignored.sequence?.map { $0.scalar?.string ?? "" } ?? []
      guard !names.isEmpty, names.allSatisfy({ section[$0] != nil }) else {
        report.refuse(
          ignored.line, "Resources.\(resource.name).IgnoreGlobals", "names no global property",
          cure: "write \"*\", or a list of properties that Globals has")
        return resource
      }
      section = Node.Mapping(
        section.filter { !names.contains($0.key.string ?? "") }.map { ($0.key, $0.value) }, section.tag,
        section.style, section.mark)
    }
    left -= Self.count(.mapping(section), upTo: left)
    guard left > 0 else {
      report.refuse(
        section.mark?.line ?? 1, "Globals", "has over \(TemplateText.maximumValues) values in all resources",
        cure: "write the properties at the resources")
      return resource
    }
    var result = resource
    result.properties = resource.properties.map { Self.merged(.mapping(section), $0) } ?? .mapping(section)
    return result
  }

  private static func merged(_ global: Node, _ local: Node) -> Node {
    guard !isFunction(global), !isFunction(local) else { return local }
    switch (global, local) {
    case (.mapping(let globals), .mapping(let locals)):
      var members = globals.map { ($0.key, $0.value) }
      for (key, value) in locals {
        if let place = members.firstIndex(where: { $0.0.string == key.string }) {
          members[place] = (key, merged(members[place].1, value))
        } else {
          members.append((key, value))
        }
      }
      return .mapping(Node.Mapping(members, locals.tag, locals.style, locals.mark))
    case (.sequence(let globals), .sequence(let locals)):
      return .sequence(Node.Sequence(Array(globals) + Array(locals), locals.tag, locals.style, locals.mark))
    default: return local
    }
  }

  /// Whether SAM treats the value as one that a function returns. It never sees the call of a macro.
  private static func isFunction(_ node: Node) -> Bool {
    FunctionCall(node).map { $0.name != "Transform" } ?? false
      || node.mapping?.count == 1 && node["Condition"] != nil
  }

  /// The number of values in a node, at most `limit`.
  private static func count(_ node: Node, upTo limit: Int) -> Int {
    var found = 1
    switch node {
    case .scalar, .alias: break
    case .sequence(let elements):
      for element in elements where found < limit { found += count(element, upTo: limit - found) }
    case .mapping(let members):
      for (_, value) in members where found < limit { found += count(value, upTo: limit - found) }
    }
    return min(found, limit)
  }

  private static let prefix = "AWS::Serverless::"

  /// The properties that can be global, by section (SAM's translator 1.110.0, `Globals.supported_properties`).
  private static let properties: [String: Set<String>] = [
    "Function": [
      "Handler", "Runtime", "CodeUri", "DeadLetterQueue", "Description", "MemorySize", "Timeout", "VpcConfig",
      "Environment", "Tags", "PropagateTags", "Tracing", "KmsKeyArn", "AutoPublishAlias",
      "AutoPublishAliasAllProperties", "Layers", "DeploymentPreference", "RolePath", "PermissionsBoundary",
      "ReservedConcurrentExecutions", "ProvisionedConcurrencyConfig", "AssumeRolePolicyDocument",
      "EventInvokeConfig", "FileSystemConfigs", "CodeSigningConfigArn", "Architectures", "SnapStart",
      "EphemeralStorage", "FunctionUrlConfig", "RuntimeManagementConfig", "LoggingConfig", "RecursiveLoop",
      "SourceKMSKeyArn", "TenancyConfig", "DurableConfig", "CapacityProviderConfig", "FunctionScalingConfig",
      "PublishToLatestPublished", "VersionDeletionPolicy",
    ],
    "Api": [
      "Auth", "Name", "DefinitionUri", "CacheClusterEnabled", "CacheClusterSize", "MergeDefinitions",
      "Variables", "EndpointConfiguration", "MethodSettings", "BinaryMediaTypes", "MinimumCompressionSize",
      "Cors", "GatewayResponses", "AccessLogSetting", "CanarySetting", "TracingEnabled", "OpenApiVersion",
      "Domain", "AlwaysDeploy", "PropagateTags", "SecurityPolicy", "EndpointAccessMode",
    ],
    "HttpApi": [
      "Auth", "AccessLogSettings", "StageVariables", "Tags", "CorsConfiguration", "DefaultRouteSettings",
      "Domain", "RouteSettings", "FailOnWarnings", "PropagateTags",
    ],
    "SimpleTable": ["SSESpecification"],
    "StateMachine": ["PropagateTags"],
    "LayerVersion": ["PublishLambdaVersion"],
    "CapacityProvider": [
      "VpcConfig", "OperatorRole", "Tags", "InstanceRequirements", "ScalingConfig", "KmsKeyArn",
      "PropagateTags",
    ],
    "WebSocketApi": [
      "AccessLogSettings", "ApiKeySelectionExpression", "DefaultRouteSettings", "DisableExecuteApiEndpoint",
      "DisableSchemaValidation", "Domain", "FailOnWarnings", "IpAddressType", "PropagateTags",
      "RouteSelectionExpression", "RouteSettings", "StageVariables", "Tags",
    ],
  ]
}
