internal import DeploymentChecks
internal import Text

/// The errors and warnings that `doctor` finds in a served template, one line each.
///
/// They are shown at the start, because a template that works here may fail on AWS.
struct ServedTemplate {
  /// Lines such as `error cacheWithoutToken: RestApi.Bearer: what`, and how to fix them; empty for a template without
  /// errors and warnings.
  let lines: [String]

  /// - Parameters:
  ///   - path: path of the template.
  ///   - parameters: values for its parameters.
  ///   - region: the value of `AWS::Region`.
  ///   - includeRoot: the folder whose files it may include.
  ///   - config: the configuration that is deployed with it, if it is known.
  ///   - isOurs: whether the project's own authorizer is served; another one may have another runtime.
  init(
    _ path: String, parameters: [String: String], region: String, includeRoot: String?, config: String?,
    isOurs: Bool, on machine: Machine
  ) {
    // The caller reports templates that cannot be examined.
    let examination = try? DoctorExamination(
      template: path, parameters: parameters, region: region, includeRoot: includeRoot,
      config: config, on: machine)
    let findings = (examination?.findings ?? []).filter {
      // The template's own warnings have these two, with their lines.
      $0.code.isAboutTemplate && $0.severity != .note
        && ![.authorizerNotPermitted, .templateIgnored].contains($0.code)
        && (isOurs || $0.code != .wrongRuntime)
    }
    let found = [DeploymentFinding.Severity.error, .warning].flatMap { severity in
      findings.filter { $0.severity == severity }.map {
        Printable.text("\(severity.rawValue) \($0.code.rawValue): \($0.place): \($0.problem)")
      }
    }
    let hint = "hint: authorizer-local doctor \(ShellWord.path(path, or: "TEMPLATE")) shows how to fix it"
    lines = found.isEmpty ? [] : found + [hint]
  }
}
