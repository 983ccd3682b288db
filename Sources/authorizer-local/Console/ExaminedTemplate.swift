internal import Text
internal import Mapping
internal import IAMPolicy
internal import DeploymentChecks
internal import GatewayModel
internal import JSON

/// What `doctor` finds in the served template, and what `serve` closes in it.
struct ExaminedTemplate {
  let path: String
  let parameters: [String: String]
  let region: String
  /// The folder whose files it may include; `nil` for its repository.
  let includeRoot: String?
  /// The configuration that is deployed with it, if it is known.
  let config: String?
  /// What is closed, with its lines.
  let closures: [TemplateFinding]
  let machine: Machine

  /// The findings, errors first.
  var findings: [JSONTree] {
    // The start message reports a template that cannot be examined.
    let examination = try? DoctorExamination(
      template: path, parameters: parameters, region: region, includeRoot: includeRoot,
      config: config, on: machine)
    let found = (examination?.findings ?? []).filter { $0.code.isAboutTemplate }
    let sorted = [DeploymentFinding.Severity.error, .warning, .note].flatMap { severity in
      found.filter { $0.severity == severity }.map(tree)
    }
    return closures.map(tree) + sorted
  }

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
