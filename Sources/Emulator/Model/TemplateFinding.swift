/// A part of a template that is invalid or cannot be emulated.
public struct TemplateFinding: Hashable, Sendable {
  /// The line in the file, starting at 1.
  public let line: Int
  /// The element, such as `Resources.RestApi.Properties.Auth`.
  public let path: String
  /// The problem, in lower case.
  public let problem: String
  /// How to fix it.
  public let cure: String

  /// Returns `FILE:LINE: path: problem (cure)`.
  public func line(in file: String) -> String { "\(file):\(line): \(path): \(problem) (\(cure))" }
}
