internal import GatewayModel

/// Collects the findings about a template or a part of it, so that all of them are reported together.
///
/// A finding closes the part that it is found in: a route, an API or the whole template. The other parts are served.
package final class Diagnostics {
  private(set) var findings: [Diagnostic] = []
  /// The findings again, because a value that is used often would multiply them.
  private var known: Set<Diagnostic> = []
  private let remarks: Remarks

  /// What closes nothing, of the whole template.
  private final class Remarks {
    var notes: [Diagnostic] = []
    var warnings: [Diagnostic] = []
    /// The notes and warnings again.
    var known: Set<Diagnostic> = []
    var uncallable: [Diagnostic] = []
  }

  /// Creates the report about a whole template.
  init() { remarks = Remarks() }

  private init(_ remarks: Remarks) { self.remarks = remarks }

  /// Returns the report about a part. Its findings are its own; its notes are those of the template.
  func part() -> Diagnostics { Diagnostics(remarks) }

  var notes: [Diagnostic] { remarks.notes }
  var warnings: [Diagnostic] { remarks.warnings }
  var uncallable: [Diagnostic] { remarks.uncallable }

  /// Adds a finding that closes this part.
  func refuse(_ line: Int, _ path: String, _ problem: String, cure: String) {
    refuse(Diagnostic(line: line, path: path, problem: problem, cure: cure))
  }

  /// Adds the finding of a value that cannot be determined, or this problem of a value of the wrong kind.
  func refuse(_ value: TemplateValue, _ path: String, _ problem: String, cure: String) {
    let unknown = value.findings
    if unknown.isEmpty { refuse(value.line, path, problem, cure: cure) } else { refuse(unknown) }
  }

  func refuse(_ finding: Diagnostic) {
    let finding = TemplateText.explained(finding)
    if known.insert(finding).inserted { findings.append(finding) }
  }

  func refuse(_ findings: [Diagnostic]) { for finding in findings { refuse(finding) } }

  /// Adds a note about a feature of AWS that `serve` does not emulate and that affects no single request.
  func note(_ line: Int, _ path: String, _ problem: String, cure: String = "nothing to do") {
    let note = Diagnostic(line: line, path: path, problem: problem, cure: cure)
    if remarks.known.insert(note).inserted { remarks.notes.append(note) }
  }

  /// Adds a warning: AWS ignores what the template says, so this report stays as it is.
  func warn(_ line: Int, _ path: String, _ problem: String, cure: String) {
    let warning = Diagnostic(line: line, path: path, problem: problem, cure: cure)
    if remarks.known.insert(warning).inserted { remarks.warnings.append(warning) }
  }

  /// Adds an authorizer whose function API Gateway may not call.
  func noteUncallable(_ line: Int, _ path: String, _ function: String) {
    remarks.uncallable.append(
      Diagnostic(
        line: line, path: path,
        problem:
          "nothing in the template allows API Gateway to call \(function): on AWS each request would be a 500",
        cure:
          "add EnableFunctionDefaultPermissions: true (SAM HTTP API), an AWS::Lambda::Permission or credentials"
      ))
  }

  /// The error of a report with findings, with their places in the files.
  func error(_ sources: TemplateSources) -> TemplateError? {
    guard !findings.isEmpty else { return nil }
    return TemplateError(findings: findings.sorted { $0.line < $1.line }.map(sources.located))
  }
}
