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
  /// What cannot be read of it.
  var findings: [TemplateFinding] = []
}
