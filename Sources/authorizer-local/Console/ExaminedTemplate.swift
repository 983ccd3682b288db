internal import Text
internal import Mapping
internal import IAMPolicy
internal import DeploymentChecks
internal import GatewayModel
internal import Templates
internal import JSON

/// What `doctor` finds in the served template, and what `serve` closes in it.
struct ExaminedTemplate {
  let path: String
  let template: GatewayTemplate
  let survey: TemplateSurvey
  /// The configuration that is deployed with it, if it is known.
  let config: String?
  let machine: Machine

  /// What `doctor` finds in the template, errors first; nothing if its configuration cannot be examined.
  var findings: [DeploymentFinding] {
    let examination = try? DoctorExamination(template, survey, at: path, config: config, on: machine)
    let found = (examination?.findings ?? []).filter { $0.code.isAboutTemplate }
    return [DeploymentFinding.Severity.error, .warning, .note].flatMap { severity in
      found.filter { $0.severity == severity }
    }
  }

  /// What is closed, then the findings.
  var trees: [JSONTree] { template.closures.map(tree) + findings.map(tree) }

  private func tree(_ finding: DeploymentFinding) -> JSONTree {
    // Notes of the template begin with their line.
    let number = finding.problem.prefix { $0.isNumber }
    let line = finding.problem.dropFirst(bytes: number.utf8.count).hasBytePrefix(":") ? Int64(number) : nil
    return .members([
      "severity": .string(finding.severity.rawValue), "code": .string(finding.code.rawValue),
      "text": .string("\(finding.place): \(finding.problem)"), "file": .string(path),
      "line": line.map { .integer($0) } ?? .null, "hint": .string(finding.cure),
    ])
  }

  private func tree(_ finding: TemplateFinding) -> JSONTree {
    .members([
      "severity": .string("closed"), "code": .null, "text": .string("\(finding.path): \(finding.problem)"),
      "file": .string(finding.file ?? path),
      "line": finding.line == 0 ? .null : .integer(Int64(finding.line)),
      "hint": .string(finding.cure),
    ])
  }
}
