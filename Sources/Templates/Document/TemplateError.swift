package import GatewayModel

/// The error for a template that `serve` refuses: all findings, in the order of the lines.
///
/// Unsupported parts are never ignored: an authorizer that is silently not invoked is worse than none.
package struct TemplateError: Error, Equatable, Sendable {
  /// The findings, at least one.
  package let findings: [Diagnostic]
  /// The nested templates, whose APIs may be what is meant to be served.
  package internal(set) var nestedTemplates: [NestedTemplate] = []

  /// Whether nothing but values is missing, which `--parameter` can give.
  package var needsValues: Bool { findings.allSatisfy(\.isGivable) }

  /// Returns a line `FILE:LINE: path: problem (cure)` for each finding.
  package func lines(in file: String) -> [String] {
    findings.map { $0.line(in: file) }
  }
}
