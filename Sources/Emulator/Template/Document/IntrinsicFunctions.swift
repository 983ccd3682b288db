internal import Yams

/// Replaces CloudFormation's intrinsic functions by their local values.
///
/// Resources have the IDs of `TemplateNames`, so each reference leads to its resource.
final class IntrinsicFunctions {
  let document: TemplateDocument
  private let names: TemplateNames
  let report: TemplateReport
  /// The conditions that are being evaluated, to detect circular references.
  var deciding: Set<String> = []
  /// The results of evaluated conditions. Each condition is evaluated once, because nested references would multiply.
  var decided: [String: Bool] = [:]
  /// The nesting depth of the current value or condition.
  var depth = 0
  /// The number of evaluated values and parts of conditions.
  var steps = 0

  init(_ document: TemplateDocument, _ names: TemplateNames, _ report: TemplateReport) {
    self.document = document
    self.names = names
    self.report = report
  }

  /// The maximum nesting depth of values and conditions: our limit, far above that of real templates. Each level uses
  /// stack space, and a chain of conditions can have any length.
  static let maximumDepth = 300

  /// Increases the depth; returns `false` and reports a finding if the limit is exceeded.
  func enter(_ node: Node, _ path: String) -> Bool {
    depth += 1
    if depth <= Self.maximumDepth { return true }
    report.refuse(
      node.line, path, "is nested in over \(Self.maximumDepth) values and conditions",
      cure: "reduce the nesting of conditions and functions")
    return false
  }

  /// Returns the value with all functions replaced; `nil` for `AWS::NoValue` and, with a finding, for unknown
  /// references.
  func value(of node: Node, at path: String) -> TemplateValue? {
    steps += 1
    defer { depth -= 1 }
    guard enter(node, path) else { return nil }
    if let call = FunctionCall(node) { return result(of: call, at: path) }
    switch node {
    case .scalar(let scalar):
      // An empty plain scalar is null (YAML 1.2.2 section 10.2.1.1).
      let isNull = scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
      return TemplateValue(line: node.line, content: isNull ? .null : .text(scalar.string))
    case .sequence(let sequence):
      let elements = sequence.enumerated().compactMap { value(of: $1, at: "\(path)[\($0)]") }
      return TemplateValue(line: node.line, content: .list(elements))
    case .mapping(let mapping):
      let members = mapping.compactMap { key, value -> TemplateValue.Member? in
        let name = key.string ?? key.scalar?.string ?? ""
        return self.value(of: value, at: "\(path).\(name)").map {
          TemplateValue.Member(name: name, value: TemplateValue(line: key.line, content: $0.content))
        }
      }
      return TemplateValue(line: node.line, content: .map(members))
    case .alias:
      report.refuse(
        node.line, path, "is an alias", cure: "write the value itself: CloudFormation supports no aliases")
      return nil
    }
  }

  // MARK: Calls

  private func result(of call: FunctionCall, at path: String) -> TemplateValue? {
    func text(_ text: String?) -> TemplateValue? {
      text.map { TemplateValue(line: call.line, content: .text($0)) }
    }
    switch call.name {
    case "Ref": return call.argument.string == "AWS::NoValue" ? nil : text(reference(call, at: path))
    case "GetAtt": return text(attribute(call, at: path))
    case "Sub": return text(substitution(call, at: path))
    case "Join": return text(join(call, at: path))
    case "If": return choice(call, at: path)
    case "FindInMap": return lookup(call, at: path)
    case "Select": return selection(call, at: path)
    case "Equals", "Not", "And", "Or", "Condition":
      report.refuse(call.line, path, "a condition is not a value", cure: "use Fn::If")
      return nil
    default:
      report.refuse(
        call.line, path, "the function \(call.name) is not emulated",
        cure: "use Ref, GetAtt, Sub, Join, If, FindInMap or Select, or write the value")
      return nil
    }
  }

  private func reference(_ call: FunctionCall, at path: String) -> String? {
    let name = call.argument.scalar?.string ?? ""
    return value(named: name, line: call.line, path)
  }

  /// Returns the value of a parameter, a pseudo parameter or a resource.
  private func value(named name: String, line: Int, _ path: String) -> String? {
    if let value = document.parameters[name] ?? names.pseudoParameters[name] ?? names.physicalID(of: name) {
      return value
    }
    // References of SAM, such as RestApi.Stage.
    if let attribute = names.attribute(name) { return attribute }
    report.refuse(
      line, path, "\(name) is neither a parameter nor a resource", cure: "check the spelling")
    return nil
  }

  private func attribute(_ call: FunctionCall, at path: String) -> String? {
    let parts = call.argument.sequence?.compactMap { $0.scalar?.string } ?? []
    let name = call.argument.scalar?.string ?? parts.joined(separator: ".")
    if let value = names.attribute(name) { return value }
    report.refuse(
      call.line, path, "\(name) is not an attribute of a resource", cure: "check the spelling")
    return nil
  }

  /// Replaces `${Name}`, `${Name.Attribute}` and `${!literal}`.
  private func substitution(_ call: FunctionCall, at path: String) -> String? {
    let parts = call.argument.sequence.map { Array($0) } ?? [call.argument]
    guard let template = parts.first?.scalar?.string else {
      report.refuse(call.line, path, "Sub needs a string", cure: "write !Sub TEXT")
      return nil
    }
    var local: [String: String] = [:]
    for (key, value) in parts.dropFirst().first?.mapping ?? [:] {
      local[key.string ?? ""] = self.value(of: value, at: path)?.text
    }
    var result = ""
    var rest = template[...]
    while let start = rest.firstRange(of: "${") {
      result += rest[..<start.lowerBound]
      rest = rest[start.upperBound...]
      guard let end = rest.firstIndex(of: "}") else {
        report.refuse(call.line, path, "a ${ is not closed", cure: "close it, or write ${!")
        return nil
      }
      let name = String(rest[..<end])
      rest = rest[rest.index(after: end)...]
      if name.hasPrefix("!") {
        result += "${\(name.dropFirst())}"
      } else if let value = local[name] ?? self.value(named: name, line: call.line, path) {
        result += value
      } else {
        return nil
      }
      guard isWithinLimit(result, call, path) else { return nil }
    }
    return result + rest
  }

  /// The maximum size of one string: our limit, the size of the largest template ("CloudFormation quotas", 1 MB via
  /// S3). Nested `Sub` functions can double the string at each level.
  static let maximumTextBytes = 1 << 20

  private func isWithinLimit(_ text: String, _ call: FunctionCall, _ path: String) -> Bool {
    if text.utf8.count <= Self.maximumTextBytes { return true }
    report.refuse(
      call.line, path, "\(call.name) returns over \(Self.maximumTextBytes) bytes",
      cure: "write a shorter value")
    return false
  }

  private func join(_ call: FunctionCall, at path: String) -> String? {
    guard let parts = call.argument.sequence, parts.count == 2, let separator = parts[0].scalar?.string,
      let list = value(of: parts[1], at: path)?.list
    else {
      report.refuse(call.line, path, "Join needs a separator and a list", cure: "write !Join [\"\", [A, B]]")
      return nil
    }
    let text = list.compactMap(\.text).joined(separator: separator)
    return isWithinLimit(text, call, path) ? text : nil
  }

  private func choice(_ call: FunctionCall, at path: String) -> TemplateValue? {
    guard let parts = call.argument.sequence, parts.count == 3, let condition = parts[0].scalar?.string else {
      report.refuse(call.line, path, "If needs a condition and two values", cure: "write !If [NAME, A, B]")
      return nil
    }
    return value(of: parts[holds(condition, line: call.line) ? 1 : 2], at: path)
  }

  private func lookup(_ call: FunctionCall, at path: String) -> TemplateValue? {
    let keys = call.argument.sequence?.compactMap { value(of: $0, at: path)?.text } ?? []
    let found = keys.count == 3 ? document.mappings?[keys[0]]?[keys[1]]?[keys[2]] : nil
    guard let found else {
      report.refuse(call.line, path, "FindInMap finds no value", cure: "check the spelling of map and keys")
      return nil
    }
    // "You can't include parameters, pseudo parameters, or intrinsic functions in the Mappings section"
    // (CloudFormation, "Mappings"), so no mapping can refer to itself.
    guard isLiteral(found) else {
      report.refuse(
        found.line, "Mappings." + keys.joined(separator: "."), "is neither a string nor a list of strings",
        cure: "write the value itself: a mapping cannot contain functions")
      return nil
    }
    return value(of: found, at: path)
  }

  private func isLiteral(_ node: Node) -> Bool {
    guard FunctionCall(node) == nil else { return false }
    switch node {
    case .scalar: return true
    case .sequence(let elements): return elements.allSatisfy { $0.scalar != nil && FunctionCall($0) == nil }
    case .mapping, .alias: return false
    }
  }

  private func selection(_ call: FunctionCall, at path: String) -> TemplateValue? {
    let parts = call.argument.sequence.map { Array($0) } ?? []
    guard parts.count == 2, let index = value(of: parts[0], at: path)?.text.flatMap({ Int($0) }),
      let list = value(of: parts[1], at: path)?.list, list.indices.contains(index)
    else {
      report.refuse(call.line, path, "Select needs an index and a list", cure: "write !Select [0, [A, B]]")
      return nil
    }
    return list[index]
  }
}
