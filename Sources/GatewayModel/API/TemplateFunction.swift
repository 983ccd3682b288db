package struct TemplateFunction: Equatable, Sendable {
  /// The name of the resource.
  package let name: String
  /// `Timeout` in milliseconds.
  package let timeoutMilliseconds: Int
  /// `Environment.Variables`.
  package var variables: [String: String] = [:]
  /// `Architectures`.
  package var architecture = TemplateFunction.defaultArchitecture
  /// `Runtime`; `nil` for a container image.
  package var runtime: String?
  /// `CodeUri` if it is a string: a folder or an archive relative to the template, or a URI.
  package var code: String?
  /// `BuildMethod` of the resource's `Metadata`.
  package var buildMethod: String?
  /// `Handler`; `nil` if it is absent or not a string.
  package var handler: String?
  /// Whether `Handler` depends on a value that is not known.
  package var hasUnknownHandler = false
  /// Its code, layers and memory.
  package var package = FunctionCode()
  /// Whether each of its environments is for one tenant (`TenancyConfig`), so that each call names one.
  package var isTenantIsolated = false
  /// What cannot be read of it.
  package var findings: [Diagnostic] = []
  /// The values of `Timeout` in seconds ("Lambda quotas": 900 seconds).
  package static let timeoutSeconds = 1...900
  /// `Timeout` in seconds without a setting (Lambda API Reference, "CreateFunction").
  package static let defaultTimeoutSeconds = 3
  /// `Architectures` without a setting (the same page).
  package static let defaultArchitecture = "x86_64"

  /// Whether it is outside of the template: only a program of the user can replace it.
  package private(set) var isExternal = false
  /// Whether it is outside of the template, and this project's authorizer answers for it.
  package private(set) var isAdopted = false
  /// `false` for a function outside of the template that no permission in it lets API Gateway call.
  package private(set) var isPermitted = true

  /// Creates a function with Lambda's defaults.
  package init(name: String, timeoutSeconds: Int = defaultTimeoutSeconds) {
    self.name = name
    timeoutMilliseconds = timeoutSeconds * 1000
  }
}

extension TemplateFunction {
  /// Creates a function outside of the template, of which nothing is known. API Gateway waits less than the longest
  /// timeout of Lambda.
  package init(external name: String, isPermitted: Bool) {
    self.init(name: name, timeoutSeconds: Self.timeoutSeconds.upperBound)
    isExternal = true
    self.isPermitted = isPermitted
  }

  /// This function outside of the template, for which this project's authorizer answers.
  package var adopted: Self {
    var function = self
    (function.isExternal, function.isAdopted) = (false, true)
    return function
  }
}
