internal import Bytes
internal import GatewayModel
internal import Text
internal import Yams

/// The template of a nested stack, with the names of `StackNames`.
struct StackTemplate {
  /// What a name means that is no resource: a parameter of the stack, or one of its outputs.
  enum Definition {
    /// An expression of the document.
    case expression(Node, isList: Bool)
    case unknown(Diagnostic)
  }

  private(set) var resources: [TemplateDocument.Resource] = []
  private(set) var conditions: [String: Node] = [:]
  private(set) var mappings: [(Node, Node)] = []
  private(set) var definitions: [String: Definition] = [:]
  /// The defaults of parameters with `NoEcho`.
  private(set) var secrets: [String] = []
  private let names: StackNames
  private let stack: TemplateDocument.Resource

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - root: its text.
  ///   - stack: the resource that has it, with the names of the document.
  /// - Throws: `TemplateFiles.Problem` for a template that CloudFormation or this reader would refuse as a whole.
  init(
    _ root: Node, of stack: TemplateDocument.Resource, scope: String, includes: TemplateIncludes
  ) throws(TemplateFiles.Problem) {
    names = StackNames(scope: scope)
    self.stack = stack
    var sections: [String: Node] = [:]
    for (key, value) in root.mapping ?? [:] {
      let name = key.string ?? ""
      guard Self.sections.contains(name) else {
        throw TemplateFiles.Problem("its section \(name) is not read in a nested stack")
      }
      sections[name] = value
    }
    if let transform = sections["Transform"] { try Self.check(transform) }
    for (name, section) in sections where Self.maps.contains(name) {
      guard section.mapping != nil, FunctionCall(section) == nil else {
        throw TemplateFiles.Problem("its section \(name) is not a map")
      }
    }
    // "At least one Resources member must be defined" (CloudFormation's answer).
    guard let members = sections["Resources"]?.mapping, !members.isEmpty else {
      throw TemplateFiles.Problem("it has no resources")
    }
    for (key, value) in sections["Conditions"]?.mapping ?? [:] {
      conditions[names.scoped(try Self.name(key))] = names.renamed(value, isCondition: true)
    }
    for (key, value) in sections["Mappings"]?.mapping ?? [:] {
      mappings.append((Node(names.scoped(key.string ?? "")), value))
    }
    try addParameters(sections["Parameters"])
    for (key, value) in sections["Outputs"]?.mapping ?? [:] {
      guard let result = value["Value"] else { continue }
      definitions["\(stack.name).Outputs.\(key.string ?? "")"] = .expression(
        names.renamed(result), isList: false)
    }
    let report = Diagnostics()
    for (key, value) in members {
      if let resource = TemplateDocument.resource(key, value, includes: includes, report) { add(resource) }
    }
    if let finding = report.findings.first {
      throw TemplateFiles.Problem("\(finding.path) \(finding.problem)")
    }
  }

  /// The sections that are read or change nothing. `Globals` are those of SAM, whose APIs are those of one template.
  private static let sections: Set<String> = [
    "AWSTemplateFormatVersion", "Description", "Metadata", "Outputs", "Parameters", "Conditions", "Mappings",
    "Resources", "Rules", "Transform",
  ]

  private static let maps: Set<String> = ["Outputs", "Parameters", "Conditions", "Mappings", "Resources"]

  private static func check(_ transform: Node) throws(TemplateFiles.Problem) {
    for node in transform.sequence.map({ Array($0) }) ?? [transform] {
      let name = node.string ?? node["Name"]?.string ?? "a map"
      if name == "AWS::Serverless-2016-10-31" || !TemplateDocument.transforms.contains(name) {
        throw TemplateFiles.Problem("its Transform \(name) is not applied in a nested stack")
      }
    }
  }

  /// The logical ID of a condition or a parameter.
  private static func name(_ key: Node) throws(TemplateFiles.Problem) -> String {
    guard let name = key.string, !name.isEmpty, name.utf8.allSatisfy(\.isLetterOrDigit) else {
      throw TemplateFiles.Problem("\(key.string ?? "a map") is no logical ID, or a duplicate")
    }
    return name
  }

  private mutating func addParameters(_ section: Node?) throws(TemplateFiles.Problem) {
    let given = stack.properties?["Parameters"]
    for (key, declaration) in section?.mapping ?? [:] {
      let name = try Self.name(key)
      let type = declaration["Type"]?.scalar?.string ?? "String"
      let fallback = declaration["Default"]?.scalar?.string
      if declaration["NoEcho"]?.scalar?.string.lowercased() == "true", let fallback, !fallback.isEmpty {
        secrets.append(fallback)
      }
      func unknown(_ problem: String) -> Definition {
        .unknown(
          Diagnostic(
            line: key.line, path: "Parameters.\(names.scoped(name))", problem: problem,
            cure: "write the value in Parameters of \(stack.name)"))
      }
      let definition: Definition
      if type.hasBytePrefix("AWS::SSM::Parameter::Value") {
        definition = unknown("is a value that only the account knows")
      } else if let given, given.mapping == nil || FunctionCall(given) != nil {
        definition = unknown("has no value: Parameters of \(stack.name) are not a map")
      } else if let value = given?.value(ofMember: name) ?? fallback.map({ Node($0) }) {
        definition = .expression(
          value, isList: type == "CommaDelimitedList" || type.containsBytes(of: "List<"))
      } else {
        definition = unknown("has no value")
      }
      definitions[names.scoped(name)] = definition
    }
  }

  private mutating func add(_ resource: TemplateDocument.Resource) {
    var resource = resource
    resource.name = names.scoped(resource.name)
    resource.properties = resource.properties.map { names.renamed($0) }
    let own = resource.condition.map(names.scoped)
    resource.condition = own ?? stack.condition
    if let own, let outer = stack.condition {
      let both = own + "&"
      conditions[both] = StackNames.both(outer, own)
      resource.condition = both
    }
    resources.append(resource)
  }
}

extension IntrinsicFunctions {
  /// Returns the value of a parameter or an output of a nested stack; `nil` for any other name.
  func definition(_ name: String, line: Int, _ path: String) -> TemplateValue? {
    switch document.definitions[name] {
    case nil: return nil
    case .unknown(let finding)?: return TemplateValue(line: line, content: .unknown(finding))
    case .expression(let node, let isList)?:
      guard defining.insert(name).inserted else {
        return unknown(line, path, "\(name) depends on itself", cure: "remove the circular reference")
      }
      defer { defining.remove(name) }
      guard let value = value(of: node, at: path) else {
        return unknown(line, path, "\(name) has no value", cure: "write a value in place of AWS::NoValue")
      }
      guard isList, let text = value.text else { return TemplateValue(line: line, content: value.content) }
      if let excess = excess(text.utf8.count, line, path) { return excess }
      return TemplateValue(
        line: line,
        content: .list(
          text.splitBytes(at: ",").map { TemplateValue(line: line, content: .text($0.trimmingBlanks)) }))
    }
  }
}
