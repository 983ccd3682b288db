internal import Yams

extension IntrinsicFunctions {
  /// Whether a condition holds; reports a finding if it does not exist.
  func holds(_ condition: String, line: Int) -> Bool {
    if let decision = decided[condition] { return decision }
    guard let node = document.conditions[condition] else {
      report.refuse(line, "Conditions.\(condition)", "does not exist", cure: "check the spelling")
      return false
    }
    guard deciding.insert(condition).inserted else {
      report.refuse(
        line, "Conditions.\(condition)", "depends on itself", cure: "remove the circular reference")
      return false
    }
    defer { deciding.remove(condition) }
    let decision = isTrue(node, at: "Conditions.\(condition)")
    decided[condition] = decision
    return decision
  }

  private func isTrue(_ node: Node, at path: String) -> Bool {
    steps += 1
    defer { depth -= 1 }
    guard enter(node, path) else { return false }
    if node.mapping?.count == 1, let name = node["Condition"]?.string { return holds(name, line: node.line) }
    guard let call = FunctionCall(node) else {
      report.refuse(node.line, path, "is not a condition", cure: "use Equals, Not, And, Or or Condition")
      return false
    }
    let parts = call.argument.sequence.map { Array($0) } ?? []
    switch (call.name, parts.count) {
    case ("Equals", 2):
      let texts = parts.compactMap { value(of: $0, at: path)?.text }
      return texts.count == 2 && texts[0] == texts[1]
    case ("Not", 1): return !isTrue(parts[0], at: path)
    // Evaluate every part, so that the findings of all parts are reported.
    case ("And", 2...10): return !parts.map { isTrue($0, at: path) }.contains(false)
    case ("Or", 2...10): return parts.map { isTrue($0, at: path) }.contains(true)
    case ("Condition", _): return holds(call.argument.scalar?.string ?? "", line: call.line)
    default:
      report.refuse(call.line, path, "\(call.name) is not a condition", cure: "use Equals, Not, And or Or")
      return false
    }
  }
}
