internal import GatewayModel
internal import IAMPolicy
internal import Text
internal import Bytes
internal import Yams

/// The sections of a template as in the file, with intrinsic functions not yet replaced.
package struct TemplateDocument {
  package struct Resource {
    var name: String
    let type: String
    let line: Int
    /// The name of its condition.
    var condition: String?
    /// The properties, with those of `Globals`.
    var properties: Node?
    /// The attributes beside `Properties` that do not exist. CloudFormation refuses them; SAM drops those of its own
    /// resources.
    let unknown: [Diagnostic]
    /// `BuildMethod` of its `Metadata`.
    let buildMethod: String?
    /// `DeletionPolicy`.
    let deletionPolicy: String?
    /// `IgnoreGlobals`.
    let ignoredGlobals: Node?
    /// `aws:asset:path` and `aws:asset:property` of its `Metadata`, which AWS CDK writes.
    var asset: (property: String, path: String)?
    /// `aws:cdk:path` of its `Metadata`.
    var constructPath: String?
  }

  /// The resources, with `Globals`, the APIs that SAM adds, and the resources of nested stacks.
  var resources: [Resource]
  /// The resources as in the file.
  let written: [Resource]
  /// The values of the parameters; without a value one is unknown.
  let parameters: [String: TemplateValue.Content]
  /// The values that must not be shown: those of parameters with `NoEcho`, and of the secrets of an account.
  var secrets: [String]
  var conditions: [String: Node]
  var mappings: Node?
  /// The parameters and outputs of nested stacks, by their names in this document.
  var definitions: [String: StackTemplate.Definition] = [:]
  /// The nested stacks whose resources are here.
  var readStacks: Set<String> = []
  /// Why other nested stacks are not read, in lower case, by name.
  var unreadStacks: [String: String] = [:]
  let external: ExternalValues
  let sources: TemplateSources
  let includes: TemplateIncludes
  let built: BuiltAssets

  /// Parses the file and adds findings to the report.
  init(
    _ text: String, parameters given: [String: String], files: TemplateFiles = .none, _ report: Diagnostics
  ) {
    sources = TemplateSources(template: text, files)
    let root = Self.compose(text, report)
    var sections: [String: Node] = [:]
    for (key, value) in root?.mapping ?? [:] {
      let name = key.string ?? ""
      sections[name] = value
      if name == "Transform" { Self.check(transform: value, line: key.line, report) }
      if name.hasBytePrefix("Fn::") || !Self.sections.contains(name) {
        report.refuse(key.line, name, "is not a section of a template", cure: "check the spelling")
      }
    }
    external = ExternalValues(given)
    parameters = Self.parameters(sections["Parameters"], given: given, external, report)
    secrets = Self.secrets(sections["Parameters"], parameters) + external.secrets
    // "You can use the AWS::Include transform anywhere within the CloudFormation template except in the template
    // parameters section or the template version" ("AWS::Include transform").
    let includes = TemplateIncludes(sources, parameters)
    self.includes = includes
    for (name, value) in sections.sorted(by: { $0.key < $1.key }) where name != "Parameters" {
      sections[name] = includes.expanded(value)
    }
    mappings = sections["Mappings"]
    var conditions: [String: Node] = [:]
    for (key, value) in sections["Conditions"]?.mapping ?? [:] { conditions[key.string ?? ""] = value }
    self.conditions = conditions
    if let value = sections["Globals"], value.mapping == nil {
      report.refuse(
        value.line, "Globals", "must be a map", cure: "write Function:, Api: or HttpApi: below it")
    }
    var globals: [String: Node] = [:]
    for (key, value) in sections["Globals"]?.mapping ?? [:] { globals[key.string ?? ""] = value }
    if root != nil, sections["Resources"]?.mapping == nil {
      report.refuse(1, "Resources", "is missing", cure: "write resources with at least one API")
    }
    var members = sections["Resources"]?.mapping.map { Array($0) } ?? []
    if let finding = sections["Resources"].flatMap({ includes.finding(in: $0, at: "Resources") }) {
      report.refuse(finding)
      members = []
    }
    if members.count > Self.maximumResources {
      report.refuse(
        sections["Resources"]?.line ?? 1, "Resources", "has \(members.count) resources",
        cure: "write at most \(Self.maximumResources); CloudFormation takes 500")
      members = []
    }
    written = members.compactMap { key, value in Self.resource(key, value, includes: includes, report) }
    built = BuiltAssets(
      files, hasServerlessBucket: written.contains { $0.name == "ServerlessDeploymentBucket" })
    var merge = TemplateGlobals(globals, report)
    resources = ImplicitAPI.added(to: written).map { merge.merged(into: $0) }
    if sections["Transform"] == nil,
      let serverless = resources.first(where: { $0.type.hasBytePrefix("AWS::Serverless::") })
    {
      report.refuse(
        serverless.line, "Transform", "is missing, but \(serverless.type) needs it",
        cure: "write Transform: AWS::Serverless-2016-10-31")
    }
  }

  /// The maximum number of resources: our limit, four times CloudFormation's ("CloudFormation quotas": 500), which counts
  /// those of nested stacks apart.
  static let maximumResources = 2000

  private static let sections: Set<String> = [
    "AWSTemplateFormatVersion", "Description", "Metadata", "Outputs", "Parameters", "Conditions", "Mappings",
    "Resources", "Rules", "Hooks", "Globals", "Transform",
  ]

  /// The macros of AWS that are emulated or change no request. Another macro may change everything.
  static let transforms: Set<String> = [
    "AWS::Serverless-2016-10-31", "AWS::LanguageExtensions", "AWS::CodeDeployBlueGreen",
    "AWS::SecretsManager-2020-07-23", "AWS::SecretsManager-2024-09-16",
  ]

  private static func check(transform: Node, line: Int, _ report: Diagnostics) {
    for node in transform.sequence.map({ Array($0) }) ?? [transform] {
      let name = node.string ?? node["Name"]?.string ?? "a map"
      if !transforms.contains(name) {
        report.refuse(
          line, "Transform", "is not emulated: \(name)",
          cure: "put the template through that macro first, and serve the result")
      }
    }
  }

  private static func compose(_ text: String, _ report: Diagnostics) -> Node? {
    switch TemplateText.node(of: text) {
    case .success(let node): return node
    case .failure(let problem):
      report.refuse(problem.line, "template", problem.text, cure: problem.cure)
      return nil
    }
  }

  private static func parameters(
    _ section: Node?, given: [String: String], _ external: ExternalValues, _ report: Diagnostics
  ) -> [String: TemplateValue.Content] {
    var values: [String: TemplateValue.Content] = [:]
    for (key, value) in section?.mapping ?? [:] {
      let name = key.string ?? ""
      let type = value["Type"]?.scalar?.string ?? "String"
      // The value of such a parameter is the name of a Systems Manager parameter; the template gets what that contains.
      let isReference = type.hasBytePrefix("AWS::SSM::Parameter::Value")
      guard let text = given[name] ?? (isReference ? nil : value["Default"]?.scalar?.string) else {
        values[name] = .unknown(
          Diagnostic(
            line: key.line, path: "Parameters.\(name)", problem: "has no value",
            cure: "add --parameter \(ShellWord.assignment(name, "VALUE"))"
              + (isReference ? "" : ", or a Default"), isGivable: true))
        continue
      }
      if let allowed = value["AllowedValues"]?.sequence,
        !allowed.contains(where: { $0.scalar?.string == text })
      {
        let words = allowed.compactMap { $0.scalar?.string }.joined(separator: ", ")
        report.refuse(key.line, "Parameters.\(name)", "must not be \(text)", cure: "use one of \(words)")
      }
      let isList = type == "CommaDelimitedList" || type.containsBytes(of: "List<")
      values[name] =
        isList
        ? .list(
          text.splitBytes(at: ",").map { TemplateValue(line: key.line, content: .text($0.trimmingBlanks)) })
        : .text(text)
    }
    let known = values.keys.sorted().joined(separator: ", ")
    for name in given.keys.sorted() where values[name] == nil && !external.contains(name) {
      report.refuse(
        section?.line ?? 1, "Parameters.\(name)", "is set, but not declared in the template",
        cure: known.isEmpty ? "the template has no parameters" : "its parameters are \(known)")
    }
    return values
  }

  private static func secrets(_ section: Node?, _ values: [String: TemplateValue.Content]) -> [String] {
    (section?.mapping ?? [:]).compactMap { key, value in
      guard value["NoEcho"]?.scalar?.string.lowercased() == "true",
        case .text(let text)? = values[key.string ?? ""], !text.isEmpty
      else { return nil }
      return text
    }
  }

  /// "Resource attribute reference", and SAM's own.
  private static let attributes: Set<String> = [
    "Type", "Properties", "DependsOn", "DeletionPolicy", "UpdateReplacePolicy", "Metadata", "Condition",
    "CreationPolicy", "UpdatePolicy", "Connectors", "IgnoreGlobals",
  ]

  static func resource(
    _ key: Node, _ value: Node, includes: TemplateIncludes, _ report: Diagnostics
  ) -> Resource? {
    let name = key.string ?? ""
    // One of the members that are not known may be its type.
    if let finding = includes.finding(in: value, at: "Resources.\(name)") {
      report.refuse(finding)
      return nil
    }
    guard value.mapping != nil, let type = value["Type"]?.string, type.containsBytes(of: "::") else {
      report.refuse(key.line, "Resources.\(name)", "has no Type", cure: "write Type: AWS::…")
      return nil
    }
    // Of two resources with one name CloudFormation takes one; here the other has another name.
    if !name.utf8.allSatisfy({ $0.isLetterOrDigit }) {
      report.refuse(
        key.line, "Resources.\(name)", "is no logical ID, or a duplicate", cure: "use letters and digits")
    }
    var unknown: [Diagnostic] = []
    for (member, _) in value.mapping ?? [:] where !attributes.contains(member.string ?? "") {
      unknown.append(
        Diagnostic(
          line: member.line, path: "Resources.\(name).\(member.string ?? "")", problem: "is not known",
          cure: "check the spelling; properties belong under Properties"))
    }
    if let condition = value["Condition"], condition.scalar == nil {
      report.refuse(
        condition.line, "Resources.\(name).Condition", "is not the name of a condition",
        cure: "write Condition: NAME")
    }
    let metadata = value["Metadata"]
    var resource = Resource(
      name: name, type: type, line: key.line, condition: value["Condition"]?.scalar?.string,
      properties: value["Properties"], unknown: unknown,
      buildMethod: metadata?["BuildMethod"]?.string,
      deletionPolicy: value["DeletionPolicy"]?.string, ignoredGlobals: value["IgnoreGlobals"])
    if let property = metadata?["aws:asset:property"]?.scalar?.string,
      let path = metadata?["aws:asset:path"]?.scalar?.string
    {
      resource.asset = (property, path)
    }
    resource.constructPath = metadata?["aws:cdk:path"]?.scalar?.string
    return resource
  }
}
