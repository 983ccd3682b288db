internal import Yams

/// The sections of a template as in the file, with intrinsic functions not yet replaced.
struct TemplateDocument {
  /// One resource.
  struct Resource {
    let name: String
    let type: String
    let line: Int
    /// The name of its condition.
    let condition: String?
    let properties: Node?
    /// `BuildMethod` of its `Metadata`.
    let buildMethod: String?
    /// `DeletionPolicy`.
    let deletionPolicy: String?
  }

  let resources: [Resource]
  let parameters: [String: String]
  let conditions: [String: Node]
  let mappings: Node?

  /// Parses the file and adds findings to the report.
  init(_ text: String, parameters given: [String: String], _ report: TemplateReport) {
    let root = Self.compose(text, report)
    var sections: [String: Node] = [:]
    for (key, value) in root?.mapping ?? [:] {
      sections[key.string ?? ""] = value
      let line = key.line
      switch key.string ?? "" {
      case "AWSTemplateFormatVersion", "Description", "Metadata", "Outputs", "Parameters", "Conditions",
        "Mappings", "Resources", "Rules":
        continue
      case "Transform":
        if value.string == "AWS::Serverless-2016-10-31" { continue }
        report.refuse(
          line, "Transform", "is not emulated: \(value.string ?? "a list")",
          cure: "AWS::Serverless-2016-10-31 is the only supported macro")
      case "Globals":
        report.refuse(
          line, "Globals", "is not emulated", cure: "write these properties in each API and function")
      case let other:
        report.refuse(line, other, "is not a section of a template", cure: "check the spelling")
      }
    }
    parameters = Self.parameters(sections["Parameters"], given, report)
    mappings = sections["Mappings"]
    var conditions: [String: Node] = [:]
    for (key, value) in sections["Conditions"]?.mapping ?? [:] { conditions[key.string ?? ""] = value }
    self.conditions = conditions
    if root != nil, sections["Resources"]?.mapping == nil {
      report.refuse(1, "Resources", "is missing", cure: "write resources with at least one API")
    }
    resources = (sections["Resources"]?.mapping ?? [:]).compactMap { key, value in
      Self.resource(key, value, report)
    }
    if sections["Transform"] == nil,
      let serverless = resources.first(where: { $0.type.hasPrefix("AWS::Serverless::") })
    {
      report.refuse(
        serverless.line, "Transform", "is missing, but \(serverless.type) needs it",
        cure: "write Transform: AWS::Serverless-2016-10-31")
    }
  }

  /// The maximum number of names and values with all aliases expanded: our limit, ten times that of a template of 1
  /// MB with 500 resources, CloudFormation's maximum ("CloudFormation quotas").
  static let maximumValues = 200_000

  private static func compose(_ text: String, _ report: TemplateReport) -> Node? {
    do {
      if let node = try Yams.compose(yaml: text), node.mapping != nil {
        var left = Self.maximumValues
        if node.isWithin(&left) { return node }
        report.refuse(
          1, "template", "has over \(Self.maximumValues) values with all aliases expanded",
          cure: "write the values themselves: aliases of aliases multiply")
        return nil
      }
      report.refuse(
        1, "template", "is not a map", cure: "begin the template with a section such as Resources:")
    } catch let error as YamlError {
      let (line, problem) = error.place
      report.refuse(line, "template", "is not YAML: \(problem)", cure: "check the indentation")
    } catch {
      report.refuse(1, "template", "cannot be read", cure: "save it as UTF-8")
    }
    return nil
  }

  private static func parameters(
    _ section: Node?, _ given: [String: String], _ report: TemplateReport
  ) -> [String: String] {
    var values: [String: String] = [:]
    var declared: Set<String> = []
    for (key, value) in section?.mapping ?? [:] {
      let name = key.string ?? ""
      declared.insert(name)
      guard let text = given[name] ?? value["Default"]?.scalar?.string else {
        report.refuse(
          key.line, "Parameters.\(name)", "has no value", cure: "add --parameter \(name)=VALUE, or a Default"
        )
        continue
      }
      if let allowed = value["AllowedValues"]?.sequence,
        !allowed.contains(where: { $0.scalar?.string == text })
      {
        let words = allowed.compactMap { $0.scalar?.string }.joined(separator: ", ")
        report.refuse(
          key.line, "Parameters.\(name)", "must not be \(text)", cure: "use one of \(words)")
      }
      values[name] = text
    }
    for name in given.keys.sorted() where !declared.contains(name) {
      report.refuse(
        section?.line ?? 1, "Parameters.\(name)", "is set, but not declared in the template",
        cure: "check the spelling")
    }
    return values
  }

  private static func resource(_ key: Node, _ value: Node, _ report: TemplateReport) -> Resource? {
    let name = key.string ?? ""
    guard value.mapping != nil, let type = value["Type"]?.string else {
      report.refuse(key.line, "Resources.\(name)", "has no Type", cure: "write Type: AWS::…")
      return nil
    }
    for (member, _) in value.mapping ?? [:] {
      switch member.string ?? "" {
      case "Type", "Properties", "DependsOn", "DeletionPolicy", "UpdateReplacePolicy", "Metadata",
        "Condition":
        continue
      case let other:
        report.refuse(
          member.line, "Resources.\(name).\(other)", "is not known", cure: "check the spelling")
      }
    }
    return Resource(
      name: name, type: type, line: key.line, condition: value["Condition"]?.string,
      properties: value["Properties"], buildMethod: value["Metadata"]?["BuildMethod"]?.string,
      deletionPolicy: value["DeletionPolicy"]?.string)
  }
}

extension Node {
  /// The line in the file, starting at 1.
  var line: Int { mark?.line ?? 1 }

  /// Counts the values down and stops at zero, because nested aliases can expand to billions of values.
  fileprivate func isWithin(_ left: inout Int) -> Bool {
    left -= 1
    guard left >= 0 else { return false }
    switch self {
    case .scalar, .alias: return true
    case .sequence(let elements): return elements.allSatisfy { $0.isWithin(&left) }
    case .mapping(let members):
      return members.allSatisfy { $0.key.isWithin(&left) && $0.value.isWithin(&left) }
    }
  }
}

extension YamlError {
  /// The line and the problem as reported by the parser.
  fileprivate var place: (line: Int, problem: String) {
    switch self {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      (mark.line, problem)
    case .duplicatedKeysInMapping(let keys, let context):
      (
        context.mark.line,
        "duplicate names: \(keys.map { String(describing: $0) }.joined(separator: ", "))"
      )
    default: (1, "\(self)".split(separator: "\n").first.map(String.init) ?? "not YAML")
    }
  }
}
