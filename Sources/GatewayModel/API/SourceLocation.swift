/// A place in a template or in a file that it includes.
package struct SourceLocation: Hashable, Sendable {
  /// The included file; `nil` for the template itself.
  package let file: String?
  /// The line in the file, starting at 1; 0 for a request, which has none.
  package let line: Int
  /// The element, such as `Resources.RestApi.Properties.Auth`.
  package let path: String

  package init(file: String? = nil, line: Int = 0, path: String) {
    self.file = file
    self.line = line
    self.path = path
  }

  /// Returns `FILE:LINE: path`, or the path alone without a line.
  ///
  /// - Parameter template: the name of the template; `nil` for none before its lines.
  package func text(in template: String? = nil) -> String {
    line == 0 ? path : ((file ?? template).map { $0 + ":" } ?? "") + "\(line): \(path)"
  }
}
