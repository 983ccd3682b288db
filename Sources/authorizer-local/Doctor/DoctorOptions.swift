internal import DeploymentChecks

/// What `doctor` is told on the command line.
struct DoctorOptions: Sendable {
  /// A package, a template, or one of each; none for the nearest template.
  var paths: [String] = []
  /// Values for parameters of the template.
  var parameters: [String: String] = [:]
  /// The value of `AWS::Region`.
  var region = "us-east-1"
  /// The folder whose files the template may include; `nil` for its repository.
  var includeRoot: String?
  /// The configuration that is deployed with a template.
  var config: String?
  /// The warnings that no longer fail the check.
  var accepted: Set<DeploymentFinding.Code> = []
  var isJSON = false
}
