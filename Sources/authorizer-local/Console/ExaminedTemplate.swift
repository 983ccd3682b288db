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
  let survey: LenientTemplate
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
  var trees: [JSONTree] {
    template.closures.map {
      tree("closed", .null, "\($0.path): \($0.problem)", at: $0.location, cure: $0.cure)
    }
      + findings.map {
        tree(
          $0.severity.rawValue, .string($0.code.rawValue), "\($0.place): \($0.problem)", at: $0.location,
          cure: $0.cure)
      }
  }

  private func tree(
    _ severity: String, _ code: JSONTree, _ text: String, at location: SourceLocation?, cure: String
  ) -> JSONTree {
    let line = location?.line ?? 0
    return .members([
      "severity": .string(severity), "code": code, "text": .string(text),
      "file": .string(location?.file ?? path), "line": line == 0 ? .null : .integer(Int64(line)),
      "hint": .string(cure),
    ])
  }
}
