internal import Yams

/// The parts of a template as they stand in the file, before anything is replaced.
struct TemplateDocument {
  /// One resource.
  struct Resource {
    let name: String
    let type: String
    let line: Int
    /// Name of the condition that it exists under.
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

  /// Reads the top of the file; what is wrong with it goes to the report.
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
          cure: "AWS::Serverless-2016-10-31 is the only macro that serve knows")
      case "Globals":
        report.refuse(
          line, "Globals", "is not emulated", cure: "write these properties at each API and function")
      case let other:
        report.refuse(line, other, "is no section of a template", cure: "is the name spelled right?")
      }
    }
    parameters = Self.parameters(sections["Parameters"], given, report)
    mappings = sections["Mappings"]
    var conditions: [String: Node] = [:]
    for (key, value) in sections["Conditions"]?.mapping ?? [:] { conditions[key.string ?? ""] = value }
    self.conditions = conditions
    if root != nil, sections["Resources"]?.mapping == nil {
      report.refuse(1, "Resources", "is missing", cure: "a template has resources, an API among them")
    }
    resources = (sections["Resources"]?.mapping ?? [:]).compactMap { key, value in
      Self.resource(key, value, report)
    }
    if sections["Transform"] == nil,
      let serverless = resources.first(where: { $0.type.hasPrefix("AWS::Serverless::") })
    {
      report.refuse(
        serverless.line, "Transform", "is missing, and CloudFormation alone knows no \(serverless.type)",
        cure: "write Transform: AWS::Serverless-2016-10-31")
    }
  }

  /// Names, texts, lists and maps with every alias written out: ours, ten times those of 1 MB with 500 resources, the most that
  /// CloudFormation takes ("CloudFormation quotas").
  static let maximumValues = 200_000

  private static func compose(_ text: String, _ report: TemplateReport) -> Node? {
    do {
      if let node = try Yams.compose(yaml: text), node.mapping != nil {
        var left = Self.maximumValues
        if node.isWithin(&left) { return node }
        report.refuse(
          1, "template", "has over \(Self.maximumValues) values, its aliases written out",
          cure: "write out what is meant: aliases of aliases multiply")
        return nil
      }
      report.refuse(1, "template", "is no map", cure: "a template begins with sections such as Resources:")
    } catch let error as YamlError {
      let (line, problem) = error.place
      report.refuse(line, "template", "is not YAML: \(problem)", cure: "is the indentation right?")
    } catch {
      report.refuse(1, "template", "cannot be read", cure: "is it text in UTF-8?")
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
          key.line, "Parameters.\(name)", "has no value", cure: "give --parameter \(name)=VALUE, or a Default"
        )
        continue
      }
      if let allowed = value["AllowedValues"]?.sequence,
        !allowed.contains(where: { $0.scalar?.string == text })
      {
        let words = allowed.compactMap { $0.scalar?.string }.joined(separator: ", ")
        report.refuse(
          key.line, "Parameters.\(name)", "may not be \(text)", cure: "allowed are \(words)")
      }
      values[name] = text
    }
    for name in given.keys.sorted() where !declared.contains(name) {
      report.refuse(
        section?.line ?? 1, "Parameters.\(name)", "is given and not declared",
        cure: "is the name spelled right?")
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
          member.line, "Resources.\(name).\(other)", "is not known", cure: "is the name spelled right?")
      }
    }
    return Resource(
      name: name, type: type, line: key.line, condition: value["Condition"]?.string,
      properties: value["Properties"], buildMethod: value["Metadata"]?["BuildMethod"]?.string,
      deletionPolicy: value["DeletionPolicy"]?.string)
  }
}

extension Node {
  /// Line of the file, counted from 1.
  var line: Int { mark?.line ?? 1 }

  /// Counts values down, and ends with the last one that is left: ten aliases of ten stand for a milliard.
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
  /// Where and what, as far as the parser says.
  fileprivate var place: (line: Int, problem: String) {
    switch self {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      (mark.line, problem)
    case .duplicatedKeysInMapping(let keys, let context):
      (
        context.mark.line,
        "the same name twice: \(keys.map { String(describing: $0) }.joined(separator: ", "))"
      )
    default: (1, "\(self)".split(separator: "\n").first.map(String.init) ?? "no YAML")
    }
  }
}
