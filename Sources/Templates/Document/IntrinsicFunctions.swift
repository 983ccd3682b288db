internal import Text
internal import GatewayModel
internal import IAMPolicy
internal import Yams

/// Replaces CloudFormation's intrinsic functions by their local values.
///
/// Resources have the IDs of `TemplateNames`, so each reference leads to its resource. What cannot be determined here
/// becomes an unknown value, which matters only to the reader that needs it.
package final class IntrinsicFunctions {
  let document: TemplateDocument
  let names: TemplateNames
  /// The values that only a deployed account knows.
  let external: ExternalValues
  /// The conditions that are being evaluated, to detect circular references.
  var deciding: Set<String> = []
  /// The parameters and outputs of nested stacks that are being evaluated, likewise.
  var defining: Set<String> = []
  /// The results of evaluated conditions. Each condition is evaluated once, because nested references would multiply.
  var decided: [String: Decision] = [:]
  /// The nesting depth of the current value or condition.
  var depth = 0
  /// The number of evaluated values and parts of conditions.
  var steps = 0
  /// The number of bytes and elements that functions have made.
  private var made = 0

  init(_ document: TemplateDocument, _ names: TemplateNames) {
    self.document = document
    self.names = names
    external = document.external
  }

  /// The maximum nesting depth of values and conditions: our limit, far above that of real templates. Each level uses
  /// stack space, and a chain of conditions can have any length.
  static let maximumDepth = 300

  /// The maximum number of values to evaluate: our limit, twice what a template may have. A few bytes repeat a mapping or
  /// an included file.
  static let maximumSteps = 400_000

  /// The maximum number of bytes and elements that all functions of a template make: our limit, 32 times the largest
  /// template. A few bytes repeat a long value.
  static let maximumMade = 32 << 20

  /// Counts what a call makes; returns the unknown value of a call beyond the limit.
  func excess(_ amount: Int, _ line: Int, _ path: String) -> TemplateValue? {
    made = made.addingReportingOverflow(amount).overflow ? .max : made + amount
    if made <= Self.maximumMade { return nil }
    return unknown(
      line, path, "the functions of the template make over \(Self.maximumMade) bytes and elements",
      cure: "repeat long values less often")
  }

  /// The finding of a value that is nested too deeply, or is one of too many; `nil` for others. Increases the depth.
  func enter(_ node: Node, _ path: String) -> Diagnostic? {
    depth += 1
    if steps > Self.maximumSteps {
      return Diagnostic(
        line: node.line, path: path, problem: "is one of over \(Self.maximumSteps) values",
        cure: "repeat mappings and included files less often")
    }
    if depth <= Self.maximumDepth { return nil }
    return Diagnostic(
      line: node.line, path: path, problem: "is nested in over \(Self.maximumDepth) values and conditions",
      cure: "reduce the nesting of conditions and functions")
  }

  /// Returns the value with all functions replaced; `nil` for `AWS::NoValue`.
  func value(of node: Node, at path: String) -> TemplateValue? {
    steps += 1
    defer { depth -= 1 }
    if let finding = enter(node, path) { return .unknown(finding, node.line) }
    if let finding = document.includes.finding(in: node, at: path) { return .unknown(finding, finding.line) }
    if let call = FunctionCall(node) { return result(of: call, at: path) }
    switch node {
    case .scalar(let scalar):
      // An empty plain scalar is null (YAML 1.2.2 section 10.2.1.1).
      let isNull = scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
      return TemplateValue(line: node.line, content: isNull ? .null : .text(external.resolved(scalar.string)))
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
      return unknown(
        node.line, path, "is an alias", cure: "write the value itself: CloudFormation supports no aliases")
    }
  }

  func unknown(_ line: Int, _ path: String, _ problem: String, cure: String) -> TemplateValue {
    TemplateValue(
      line: line, content: .unknown(Diagnostic(line: line, path: path, problem: problem, cure: cure)))
  }

  // MARK: Calls

  private func result(of call: FunctionCall, at path: String) -> TemplateValue? {
    switch call.name {
    case "Ref":
      let name = call.argument.scalar?.string ?? ""
      return name == "AWS::NoValue" ? nil : value(named: name, line: call.line, path)
    case "GetAtt": return attribute(call, at: path)
    case "Sub": return substitution(call, at: path)
    case "Join": return join(call, at: path)
    case "If": return choice(call, at: path)
    case "FindInMap": return lookup(call, at: path)
    case "Select": return selection(call, at: path)
    case "Split": return split(call, at: path)
    case "ImportValue": return imported(call, at: path)
    case "Base64": return base64(call, at: path)
    case "GetAZs": return zones(call)
    case "Equals", "Not", "And", "Or", "Condition":
      return unknown(call.line, path, "a condition is not a value", cure: "use Fn::If")
    default:
      return unknown(
        call.line, path, "the function \(call.name) is not emulated", cure: "write the value itself")
    }
  }

  /// Returns the value of a parameter, a pseudo parameter or a resource.
  func value(named name: String, line: Int, _ path: String) -> TemplateValue {
    if let value = definition(name, line: line, path) { return value }
    if let content = document.parameters[name] {
      let value = TemplateValue(line: line, content: content)
      return excess(value.list?.count ?? 0, line, path) ?? value
    }
    if let value = qualifiedFunction(name, line, path) { return value }
    let text =
      names.pseudoParameters[name] ?? names.physicalID(of: name)
      // References of SAM, such as RestApi.Stage.
      ?? names.attribute(name)
    if let text { return TemplateValue(line: line, content: .text(text)) }
    return unknown(line, path, "\(name) is neither a parameter nor a resource", cure: "check the spelling")
  }

  private func attribute(_ call: FunctionCall, at path: String) -> TemplateValue {
    let parts = (call.argument.sequence.map { Array($0) } ?? []).compactMap { value(of: $0, at: path)?.text }
    let name = call.argument.scalar?.string ?? parts.joined(separator: ".")
    return attribute(named: name, line: call.line, path)
      ?? unknown(call.line, path, "\(name) is not an attribute of a resource", cure: "check the spelling")
  }

  /// Returns an attribute of a resource; one of a nested application is an external value.
  private func attribute(named name: String, line: Int, _ path: String) -> TemplateValue? {
    for attribute in TemplateNames.qualifiedFunctionARNs where name.hasByteSuffix(attribute) {
      let resource = String(name.dropLast(attribute.count))
      if let value = qualifiedFunction(resource, line, path) { return value }
    }
    if !external.contains(name), let value = definition(name, line: line, path) { return value }
    if let output = names.nestedOutput(name) {
      return TemplateValue(line: line, content: external.value(output, line: line, path))
    }
    return names.attribute(name).map { TemplateValue(line: line, content: .text($0)) }
  }

  /// Replaces `${Name}`, `${Name.Attribute}` and `${!literal}`.
  private func substitution(_ call: FunctionCall, at path: String) -> TemplateValue {
    let parts = call.argument.sequence.map { Array($0) } ?? [call.argument]
    guard let template = parts.first?.scalar?.string else {
      return unknown(call.line, path, "Sub needs a string", cure: "write !Sub TEXT")
    }
    var local: [String: TemplateValue] = [:]
    for (key, value) in parts.dropFirst().first?.mapping ?? [:] {
      local[key.string ?? ""] = self.value(of: value, at: path)
    }
    var result = ""
    var rest = template[...]
    while let start = rest.firstByteRange(of: "${") {
      result += rest[..<start.lowerBound]
      rest = rest[start.upperBound...]
      guard let end = rest.unicodeScalars.firstIndex(of: "}") else {
        return unknown(call.line, path, "a ${ is not closed", cure: "close it, or write ${!")
      }
      let name = String(rest[..<end])
      rest = rest[end...].dropFirst(bytes: 1)
      if name.hasBytePrefix("!") {
        result += "${\(name.dropFirst(bytes: 1))}"
      } else {
        let value =
          local[name] ?? (name.containsBytes(of: ".") ? attribute(named: name, line: call.line, path) : nil)
          ?? value(named: name, line: call.line, path)
        guard let text = value.text else { return failed(value, call, path) }
        result += text
      }
      guard isWithinLimit(result) else { return tooLong(call, path) }
    }
    if let excess = excess(result.utf8.count + template.utf8.count, call.line, path) { return excess }
    return TemplateValue(line: call.line, content: .text(external.resolved(result + rest)))
  }

  /// The maximum size of one string: our limit, the size of the largest template ("CloudFormation quotas", 1 MB via
  /// S3). Nested `Sub` functions can double the string at each level.
  static let maximumTextBytes = 1 << 20

  private func isWithinLimit(_ text: String) -> Bool { text.utf8.count <= Self.maximumTextBytes }

  private func tooLong(_ call: FunctionCall, _ path: String) -> TemplateValue {
    unknown(
      call.line, path, "\(call.name) returns over \(Self.maximumTextBytes) bytes",
      cure: "write a shorter value")
  }

  /// The result of a call with an argument that is unknown, or is not a string.
  private func failed(_ value: TemplateValue, _ call: FunctionCall, _ path: String) -> TemplateValue {
    if let finding = value.findings.first { return .unknown(finding, call.line) }
    return unknown(
      call.line, path, "\(call.name) needs strings, found \(value.kindName)", cure: "write a string")
  }

  private func join(_ call: FunctionCall, at path: String) -> TemplateValue {
    guard let parts = call.argument.sequence, parts.count == 2, let separator = parts[0].scalar?.string,
      let list = value(of: parts[1], at: path)
    else {
      return unknown(call.line, path, "Join needs a separator and a list", cure: "write !Join [\"\", [A, B]]")
    }
    guard let elements = list.list else { return failed(list, call, path) }
    if let other = elements.first(where: { $0.text == nil }) { return failed(other, call, path) }
    let texts = elements.compactMap(\.text)
    // Before they are joined: an alias may repeat a long text many thousand times.
    let bytes = texts.reduce(separator.utf8.count * texts.count) { $0 + $1.utf8.count }
    guard bytes - separator.utf8.count <= Self.maximumTextBytes else { return tooLong(call, path) }
    if let excess = excess(bytes + texts.count, call.line, path) { return excess }
    return TemplateValue(line: call.line, content: .text(texts.joined(separator: separator)))
  }

  private func choice(_ call: FunctionCall, at path: String) -> TemplateValue? {
    guard let parts = call.argument.sequence, parts.count == 3, let condition = parts[0].scalar?.string else {
      return unknown(call.line, path, "If needs a condition and two values", cure: "write !If [NAME, A, B]")
    }
    switch decision(about: condition, line: call.line) {
    case .holds(let holds): return value(of: parts[holds ? 1 : 2], at: path)
    case .unknown(let finding): return .unknown(finding, call.line)
    }
  }

  private func selection(_ call: FunctionCall, at path: String) -> TemplateValue? {
    let parts = call.argument.sequence.map { Array($0) } ?? []
    guard parts.count == 2, let index = value(of: parts[0], at: path),
      let list = value(of: parts[1], at: path)
    else {
      return unknown(call.line, path, "Select needs an index and a list", cure: "write !Select [0, [A, B]]")
    }
    if let finding = index.finding ?? list.finding { return .unknown(finding, call.line) }
    if FunctionCall(parts[1])?.name == "GetAtt", list.list == nil {
      // The value of an attribute that is not emulated is its name, also if it is a list.
      return TemplateValue(
        line: call.line,
        content: .unknown(
          Diagnostic(
            line: call.line, path: path, problem: "is a list that only the account knows: \(list.text ?? "")",
            cure: "write the list in a local copy of the template", isGivable: true)))
    }
    guard let number = index.text.flatMap({ Int($0) }), let elements = list.list,
      elements.indices.contains(number)
    else {
      return unknown(call.line, path, "Select needs an index and a list", cure: "write !Select [0, [A, B]]")
    }
    return elements[number]
  }
}
