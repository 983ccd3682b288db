/// A part of a template that is invalid or cannot be emulated.
public struct TemplateFinding: Equatable, Sendable {
  /// The line in the file, starting at 1.
  public let line: Int
  /// The element, such as `Resources.RestApi.Properties.Auth`.
  public let path: String
  /// The problem, in lower case.
  public let problem: String
  /// How to fix it.
  public let cure: String
}

/// The error for a template that `serve` refuses: all findings, in the order of the lines.
///
/// Unsupported parts are never ignored: an authorizer that is silently not invoked is worse than none.
public struct TemplateError: Error, Equatable, Sendable {
  /// The findings, at least one.
  public let findings: [TemplateFinding]

  /// Returns a line `FILE:LINE: path: problem (cure)` for each finding.
  public func lines(in file: String) -> [String] {
    findings.map { "\(file):\($0.line): \($0.path): \($0.problem) (\($0.cure))" }
  }
}

/// Collects the findings of a template, so that all of them are reported together.
final class TemplateReport {
  private(set) var findings: [TemplateFinding] = []
  private(set) var notes: [TemplateFinding] = []
  private(set) var uncallable: [TemplateFinding] = []

  /// Adds a finding that prevents `serve` from starting.
  func refuse(_ line: Int, _ path: String, _ problem: String, cure: String) {
    findings.append(TemplateFinding(line: line, path: path, problem: problem, cure: cure))
  }

  /// Adds a note about a feature of AWS that `serve` does not emulate and that affects no single request.
  func note(_ line: Int, _ path: String, _ problem: String) {
    notes.append(TemplateFinding(line: line, path: path, problem: problem, cure: "nothing to do"))
  }

  /// Adds an authorizer whose function API Gateway may not call.
  func noteUncallable(_ line: Int, _ path: String, _ function: String) {
    uncallable.append(
      TemplateFinding(
        line: line, path: path,
        problem:
          "nothing in the template allows API Gateway to call \(function): on AWS each request would be a 500",
        cure: "add an AWS::Lambda::Permission, or credentials of the authorizer"))
  }

  var error: TemplateError? {
    findings.isEmpty ? nil : TemplateError(findings: findings.sorted { $0.line < $1.line })
  }
}
