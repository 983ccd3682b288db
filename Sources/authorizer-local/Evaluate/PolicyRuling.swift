internal import Emulator
internal import JSON

/// The decision of a policy for one ARN, as text and as JSON.
struct PolicyRuling {
  let arn: String
  let decision: PolicyEvaluator.Decision
  let findings: [PolicyEvaluator.Finding]
  /// The policy as JSON.
  let policy: JSONValue

  func lines(namesARN: Bool, verbose: Bool) -> [String] {
    var lines = [
      (namesARN ? arn + ": " : "") + Self.named(decision.description, findings, decision.statement)
    ]
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

  private static func named(
    _ text: String, _ findings: [PolicyEvaluator.Finding], _ index: Int?
  ) -> String {
    guard let sid = findings.first(where: { $0.statement == index })?.identifier else { return text }
    return "\(text) \"\(sid)\""
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
    var members: [JSONTree.Member] = []
    if !rulings.isEmpty { members.append(.init(name: "decisions", value: .array(rulings.map(\.tree)))) }
    if let findings { members.append(.init(name: "findings", value: LintText.tree(findings))) }
    return JSONTree.object(members).bytes(indentedBy: 2)
  }

  private var tree: JSONTree {
    let name =
      switch decision {
      case .allowed: "allowed"
      case .explicitlyDenied: "explicitlyDenied"
      case .implicitlyDenied: "implicitlyDenied"
      }
    var members: [JSONTree.Member] = [
      .init(name: "arn", value: .string(arn)), .init(name: "allowed", value: .boolean(decision.isAllowed)),
      .init(name: "decision", value: .string(name)),
    ]
    if let index = decision.statement {
      members.append(.init(name: "statement", value: .number(String(index))))
    }
    let statements = findings.map { finding in
      var members: [JSONTree.Member] = [
        .init(name: "statement", value: .number(String(finding.statement))),
        .init(name: "effect", value: .string(finding.effect.rawValue)),
        .init(name: "applies", value: .boolean(finding.applies)),
        .init(name: "reason", value: .string(finding.reason)),
      ]
      if let sid = finding.identifier { members.insert(.init(name: "sid", value: .string(sid)), at: 1) }
      return JSONTree.object(members)
    }
    members.append(.init(name: "statements", value: .array(statements)))
    return .object(members)
  }
}
