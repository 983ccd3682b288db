internal import DeploymentChecks
internal import Text

/// The errors and warnings that `doctor` finds in a served template, one line each.
///
/// They are shown at the start, because a template that works here may fail on AWS.
struct ServedTemplate {
  /// Lines such as `error cacheWithoutToken: RestApi.Bearer: what`, and how to fix them; empty for a template without
  /// errors and warnings.
  let lines: [String]

  /// - Parameter isOurs: whether the project's own authorizer is served; another one may have another runtime.
  init(_ examined: ExaminedTemplate, isOurs: Bool, config: String?) {
    let found = examined.findings.filter {
      // The template's own warnings have these two, with their lines.
      $0.severity != .note && ![.authorizerNotPermitted, .templateIgnored].contains($0.code)
        && (isOurs || $0.code != .wrongRuntime)
    }.map { Printable.text("\($0.severity.rawValue) \($0.code.rawValue): \($0.place): \($0.problem)") }
    let config = config.map { " --config " + ShellWord.path($0, or: "FILE") } ?? ""
    let hint =
      "hint: authorizer-local doctor --template \(ShellWord.path(examined.path, or: "TEMPLATE"))\(config)"
      + " shows how to fix it"
    lines = found.isEmpty ? [] : found + [hint]
  }
}
