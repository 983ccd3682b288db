internal import AuthorizerContract
internal import GatewayEmulator
internal import IAMPolicy
internal import JSON

/// Findings in the text and in the JSON output.
enum LintText {
  static func sentence(_ finding: PolicyLint.Finding) -> String {
    "\(finding.code.rawValue): \(finding.path): \(finding.message)"
  }

  static func lines(_ finding: PolicyLint.Finding) -> [String] {
    [Printable.text(sentence(finding)), "hint: " + finding.cure]
  }

  static func tree(_ findings: [PolicyLint.Finding]) -> JSONTree {
    .array(
      findings.map { finding in
        .members([
          "code": .string(finding.code.rawValue), "path": .string(finding.path),
          "message": .string(finding.message), "hint": .string(finding.cure),
        ])
      })
  }

  static func cure(of error: PolicyError) -> String {
    switch error.problem {
    case .nullElement: PolicyLint.Code.conditionNull.cure
    case .tooLong: PolicyLint.Code.resourceTooLong.cure
    case .unknownKey: "known keys: \(ConditionKey.names.joined(separator: ", "))"
    default: "neither API Gateway nor this evaluator supports it"
    }
  }
}
