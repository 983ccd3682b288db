internal import Emulator

/// What `doctor` finds about a template that is served: errors and warnings, a line each.
///
/// A served template answers; what would be wrong with it on AWS is seen by nobody who does not look.
struct ServedTemplate {
  /// `error cacheWithoutToken: RestApi.Bearer: what`; empty for a sound template.
  let lines: [String]

  /// - Parameters:
  ///   - path: the template's.
  ///   - parameters: values for its parameters.
  ///   - config: the configuration that is deployed with it, where it is known.
  ///   - isOurs: whether the project's own authorizer is served; another one has a runtime of its own.
  init(_ path: String, parameters: [String: String], config: String?, isOurs: Bool) {
    // What cannot be examined is told by whoever serves it.
    let examination = try? DoctorExamination(template: path, parameters: parameters, config: config)
    let findings = (examination?.findings ?? []).filter {
      // A missing permission stands among the template's own notes.
      $0.code.isAboutTemplate && $0.severity != .note && $0.code != .authorizerNotPermitted
        && (isOurs || $0.code != .wrongRuntime)
    }
    lines = [DeploymentFinding.Severity.error, .warning].flatMap { severity in
      findings.filter { $0.severity == severity }.map {
        Printable.text("\(severity.rawValue) \($0.code.rawValue): \($0.place): \($0.problem)")
      }
    }
  }
}
