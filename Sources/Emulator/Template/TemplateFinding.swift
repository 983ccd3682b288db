/// One place of a template that cannot be emulated, or that is no valid template.
public struct TemplateFinding: Equatable, Sendable {
  /// Line of the file, counted from 1.
  public let line: Int
  /// The element, such as `Resources.RestApi.Properties.Auth`.
  public let path: String
  /// What is wrong, in lower case.
  public let problem: String
  /// What to do about it.
  public let cure: String
}

/// A template that `serve` does not start with: every finding of it, in the order of the lines.
///
/// What is not understood is never passed over: an authorizer that is silently not called is worse than none.
public struct TemplateError: Error, Equatable, Sendable {
  /// At least one.
  public let findings: [TemplateFinding]

  /// `FILE:LINE: path: problem (cure)` for each finding.
  public func lines(in file: String) -> [String] {
    findings.map { "\(file):\($0.line): \($0.path): \($0.problem) (\($0.cure))" }
  }
}

/// Collects what is found while a template is read, so that all of it is told at once.
final class TemplateReport {
  private(set) var findings: [TemplateFinding] = []
  private(set) var notes: [TemplateFinding] = []
  private(set) var uncallable: [TemplateFinding] = []

  /// Something that keeps the template from being served.
  func refuse(_ line: Int, _ path: String, _ problem: String, cure: String) {
    findings.append(TemplateFinding(line: line, path: path, problem: problem, cure: cure))
  }

  /// Something that AWS would do and `serve` does not, and that decides about no single request.
  func note(_ line: Int, _ path: String, _ problem: String) {
    notes.append(TemplateFinding(line: line, path: path, problem: problem, cure: "nothing to do"))
  }

  /// An authorizer whose function API Gateway may not call.
  func noteUncallable(_ line: Int, _ path: String, _ function: String) {
    uncallable.append(
      TemplateFinding(
        line: line, path: path,
        problem:
          "nothing in the template lets API Gateway call \(function): on AWS each request would be a 500",
        cure: "let it: a permission of its own, or credentials"))
  }

  var error: TemplateError? {
    findings.isEmpty ? nil : TemplateError(findings: findings.sorted { $0.line < $1.line })
  }
}
