/// A part of a template that is invalid or cannot be emulated.
package struct Diagnostic: Hashable, Sendable {
  package let location: SourceLocation
  /// The problem, in lower case.
  package let problem: String
  /// How to fix it.
  package let cure: String
  /// Whether it is a value that `--parameter` can give.
  package let isGivable: Bool

  package init(_ location: SourceLocation, problem: String, cure: String, isGivable: Bool = false) {
    self.location = location
    self.problem = problem
    self.cure = cure
    self.isGivable = isGivable
  }

  package init(line: Int = 0, path: String, problem: String, cure: String, isGivable: Bool = false) {
    self.init(SourceLocation(line: line, path: path), problem: problem, cure: cure, isGivable: isGivable)
  }

  package var line: Int { location.line }
  package var path: String { location.path }

  /// Returns `FILE:LINE: path: problem (cure)`, or without the file and the line.
  ///
  /// - Parameter template: the name of the template.
  package func line(in template: String) -> String {
    "\(text(in: template)) (\(cure))"
  }

  /// Returns `FILE:LINE: path: problem`, or without the file and the line.
  package func text(in template: String? = nil) -> String {
    "\(location.text(in: template)): \(problem)"
  }
}
