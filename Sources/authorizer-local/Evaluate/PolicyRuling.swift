internal import AuthorizerContract
internal import IAMPolicy
internal import JSON

/// The decision of a policy for one ARN, as text and as JSON.
struct PolicyRuling {
  let arn: String
  let decision: PolicyEvaluator.Decision
  let findings: [PolicyEvaluator.Finding]
  let policy: JSONValue

  func lines(namesARN: Bool, verbose: Bool) -> [String] {
    let sid = findings.first { $0.statement == decision.statement }?.identifier.map { " \"\($0)\"" } ?? ""
    var lines = [(namesARN ? arn + ": " : "") + decision.description + sid]
    if verbose {
      lines += findings.map { finding in
        let sid = finding.identifier.map { " \"\($0)\"" } ?? ""
        return "  Statement[\(finding.statement)]\(sid) \(finding.effect.rawValue) "
          + (finding.applies ? "applies: " : "does not apply: ") + finding.reason
      }
    } else if !namesARN, let index = decision.statement, let text = source(of: index) {
      lines.append(text)
    }
    return lines.map(Printable.lines)
  }

  private func source(of index: Int) -> String? {
    guard let list = policy["Statement"] else { return nil }
    let statements = list.kind == .array ? Array(list.elements) : [list]
    guard statements.indices.contains(index) else { return nil }
    return String(decoding: JSONTree(statements[index]).bytes(indentedBy: 2), as: UTF8.self)
  }

  /// Returns one ruling as an object of its own; several rulings, or findings, as members of an object.
  static func json(_ rulings: [PolicyRuling], findings: [PolicyLint.Finding]?) -> [UInt8] {
    if rulings.count == 1, findings == nil, let only = rulings.first { return only.tree.bytes(indentedBy: 2) }
    return JSONTree.members([
      "decisions": JSONTree.array(rulings.map(\.tree)).unlessEmpty, "findings": findings.map(LintText.tree),
    ]).bytes(indentedBy: 2)
  }

  private var tree: JSONTree {
    let name =
      switch decision {
      case .allowed: "allowed"
      case .explicitlyDenied: "explicitlyDenied"
      case .implicitlyDenied: "implicitlyDenied"
      }
    let statements = findings.map { finding in
      JSONTree.members([
        "statement": .number(String(finding.statement)), "sid": finding.identifier.map { .string($0) },
        "effect": .string(finding.effect.rawValue), "applies": .boolean(finding.applies),
        "reason": .string(finding.reason),
      ])
    }
    return .members([
      "arn": .string(arn), "allowed": .boolean(decision.isAllowed), "decision": .string(name),
      "statement": decision.statement.map { .number(String($0)) }, "statements": .array(statements),
    ])
  }
}
