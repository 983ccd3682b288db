/// A function of a template.
public struct TemplateFunction: Equatable, Sendable {
  /// The name of the resource.
  public let name: String
  /// `Timeout` in milliseconds; the default is 3 s, as on Lambda.
  public let timeoutMilliseconds: Int
  /// `Environment.Variables`.
  public let variables: [String: String]
  /// `Architectures`; the default is `x86_64`, as on Lambda.
  public let architecture: String
  /// `Runtime`; `nil` for a container image.
  public let runtime: String?
  /// `CodeUri` if it is a string: a folder or an archive relative to the template, or a URI.
  public let code: String?
  /// `BuildMethod` of the resource's `Metadata`.
  public let buildMethod: String?
  /// `Handler`; `nil` if it is absent or not a string.
  public let handler: String?
  /// Its code, layers and memory.
  public var package = FunctionCode()
  /// What cannot be read of it.
  var findings: [TemplateFinding] = []
  /// Whether it is outside of the template: only a program of the user can stand in for it.
  public private(set) var isExternal = false
}

extension TemplateFunction {
  /// Creates a function outside of the template, of which nothing is known. API Gateway waits less than the longest
  /// timeout of Lambda.
  init(external name: String) {
    self.init(
      name: name, timeoutMilliseconds: 900_000, variables: [:], architecture: "x86_64", runtime: nil,
      code: nil,
      buildMethod: nil, handler: nil)
    isExternal = true
  }
}
