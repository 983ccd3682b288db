internal import DeploymentChecks
internal import JSON

/// The output of `doctor`.
struct DoctorReport {
  let findings: [DeploymentFinding]
  let accepted: Set<DeploymentFinding.Code>
  let facts: [(name: String, value: String)]

  /// Prints the report.
  ///
  /// - Throws: `CommandExit` if there are errors or warnings, apart from accepted ones.
  func show(on terminal: Terminal, isJSON: Bool) throws(CommandExit) {
    terminal.answer(json: json, if: isJSON, else: lines)
    if !isSound { throw .unmet }
  }

  /// Whether there are no errors and no warnings, apart from accepted ones.
  var isSound: Bool { findings.allSatisfy { $0.severity == .note || isAccepted($0) } }

  private func isAccepted(_ finding: DeploymentFinding) -> Bool { accepted.contains(finding.code) }

  /// The text output, errors first.
  var lines: [StyledText] {
    var lines = facts.map { StyledText(Printable.text("\($0.name): \($0.value)")) }
    for severity in [DeploymentFinding.Severity.error, .warning, .note] {
      for finding in findings where finding.severity == severity && !isAccepted(finding) {
        let style: Terminal.Style = severity == .error ? .red : severity == .warning ? .yellow : .dim
        // Escaped, because names may come from an untrusted archive.
        let what = Printable.text("\(finding.place): \(finding.problem)")
        lines.append("\(severity.rawValue, style) \(finding.code.rawValue): \(what)")
        if severity != .note { lines.append("  hint: \(Printable.text(finding.cure))") }
      }
    }
    for finding in findings where isAccepted(finding) {
      let what = Printable.text("\(finding.place): \(finding.problem)")
      lines.append("\("accepted", .dim) \(finding.code.rawValue): \(what)")
    }
    let errors = findings.count { $0.severity == .error }
    let warnings = findings.count { $0.severity == .warning && !isAccepted($0) }
    lines.append(StyledText("errors: \(String(errors)), warnings: \(String(warnings))"))
    return lines
  }

  var json: [UInt8] {
    let findings = findings.map { finding in
      JSONTree.members([
        "code": .string(finding.code.rawValue), "severity": .string(finding.severity.rawValue),
        "accepted": .boolean(isAccepted(finding)), "place": .string(finding.place),
        "problem": .string(finding.problem), "hint": .string(finding.cure),
      ])
    }
    return JSONTree.members([
      "sound": .boolean(isSound),
      "facts": .array(facts.map { .members(["name": .string($0.name), "value": .string($0.value)]) }),
      "findings": .array(findings),
    ]).bytes(indentedBy: 2)
  }
}
