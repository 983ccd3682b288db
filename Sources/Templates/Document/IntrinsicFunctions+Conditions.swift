package import GatewayModel
internal import IAMPolicy
internal import Yams

extension IntrinsicFunctions {
  /// The result of a condition.
  package enum Decision {
    case holds(Bool)
    case unknown(Diagnostic)

    fileprivate static func unknown(_ line: Int, _ path: String, _ problem: String, cure: String) -> Decision
    {
      .unknown(Diagnostic(line: line, path: path, problem: problem, cure: cure))
    }

    /// Applies an operator to all results; the first unknown one decides.
    fileprivate static func combined(_ parts: [Decision], _ operation: ([Bool]) -> Bool) -> Decision {
      var results: [Bool] = []
      for part in parts {
        switch part {
        case .holds(let holds): results.append(holds)
        case .unknown: return part
        }
      }
      return .holds(operation(results))
    }
  }

  /// Whether a condition holds.
  package func decision(about condition: String, line: Int) -> Decision {
    if let decision = decided[condition] { return decision }
    let path = "Conditions.\(condition)"
    guard let node = document.conditions[condition] else {
      return .unknown(line, path, "does not exist", cure: "check the spelling")
    }
    guard deciding.insert(condition).inserted else {
      return .unknown(line, path, "depends on itself", cure: "remove the circular reference")
    }
    defer { deciding.remove(condition) }
    let decision = decision(of: node, at: path)
    decided[condition] = decision
    return decision
  }

  private func decision(of node: Node, at path: String) -> Decision {
    steps += 1
    defer { depth -= 1 }
    if let finding = enter(node, path) { return .unknown(finding) }
    if node.mapping?.count == 1, let name = node["Condition"]?.string {
      return decision(about: name, line: node.line)
    }
    guard let call = FunctionCall(node) else {
      return .unknown(node.line, path, "is not a condition", cure: "use Equals, Not, And, Or or Condition")
    }
    let parts = call.argument.sequence.map { Array($0) } ?? []
    func decisions() -> [Decision] { parts.map { decision(of: $0, at: path) } }
    switch (call.name, parts.count) {
    case ("Equals", 2):
      let values = parts.compactMap { value(of: $0, at: path) }
      if let finding = values.flatMap(\.findings).first { return .unknown(finding) }
      let texts = values.compactMap(\.text)
      guard texts.count == 2 else {
        return .unknown(node.line, path, "Equals needs two strings", cure: "compare strings")
      }
      return .holds(texts[0].utf8.elementsEqual(texts[1].utf8))
    case ("Not", 1): return .combined(decisions()) { !$0[0] }
    // Every part is evaluated: an unknown part makes the result unknown, whatever the others are.
    case ("And", 2...10): return .combined(decisions()) { !$0.contains(false) }
    case ("Or", 2...10): return .combined(decisions()) { $0.contains(true) }
    case ("Condition", _): return decision(about: call.argument.scalar?.string ?? "", line: call.line)
    default:
      return .unknown(
        call.line, path, "\(call.name) is not a condition", cure: "use Equals, Not, And or Or")
    }
  }
}
