/// A part of a template that is invalid or cannot be emulated.
public struct TemplateFinding: Hashable, Sendable {
  /// The included file; `nil` for the template itself.
  public let file: String?
  /// The line in the file, starting at 1.
  public let line: Int
  /// The element, such as `Resources.RestApi.Properties.Auth`.
  public let path: String
  /// The problem, in lower case.
  public let problem: String
  /// How to fix it.
  public let cure: String
  /// Whether it is a value that `--parameter` can give.
  let isGivable: Bool

  init(
    file: String? = nil, line: Int, path: String, problem: String, cure: String, isGivable: Bool = false
  ) {
    self.file = file
    self.line = line
    self.path = path
    self.problem = problem
    self.cure = cure
    self.isGivable = isGivable
  }

  /// Returns `FILE:LINE: path: problem (cure)`.
  ///
  /// - Parameter template: the name of the template.
  public func line(in template: String) -> String {
    "\(file ?? template):\(line): \(path): \(problem) (\(cure))"
  }
}
