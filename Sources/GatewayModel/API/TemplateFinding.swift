/// A part of a template that is invalid or cannot be emulated.
package struct TemplateFinding: Hashable, Sendable {
  /// The included file; `nil` for the template itself.
  package let file: String?
  /// The line in the file, starting at 1; 0 for a finding about a request, which no line causes.
  package let line: Int
  /// The element, such as `Resources.RestApi.Properties.Auth`.
  package let path: String
  /// The problem, in lower case.
  package let problem: String
  /// How to fix it.
  package let cure: String
  /// Whether it is a value that `--parameter` can give.
  package let isGivable: Bool

  package init(
    file: String? = nil, line: Int = 0, path: String, problem: String, cure: String,
    isGivable: Bool = false
  ) {
    self.file = file
    self.line = line
    self.path = path
    self.problem = problem
    self.cure = cure
    self.isGivable = isGivable
  }

  /// Returns `FILE:LINE: path: problem (cure)`, or without the file and the line.
  ///
  /// - Parameter template: the name of the template.
  package func line(in template: String) -> String {
    let text = "\(path): \(problem) (\(cure))"
    return line == 0 ? text : "\(file ?? template):\(line): \(text)"
  }
}
