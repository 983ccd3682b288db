internal import Text
internal import LambdaEmulator
internal import GatewayModel
internal import Templates

/// The functions of routes that this machine does not run, and what answers for them.
///
/// Without `--run-functions`, a request to such a route succeeds with an echo, whatever the code of the function is: users
/// must see that at the start. With it, the request fails.
struct UnservedFunctions {
  /// One line for all functions with the same reason; no line if every function runs.
  let lines: [String]
  /// Why each of them does not run, by name.
  let reasons: [String: String]

  /// - Parameters:
  ///   - served: the functions that run.
  ///   - refusals: why the code of functions does not run here.
  init(
    _ template: GatewayTemplate, served: Set<String>, refusals: [String: String], runsFunctions: Bool
  ) {
    var lines: [String] = []
    var reasons: [String: String] = [:]
    for byAuthorizers in [true, false] {
      var names: [String: [String]] = [:]
      for name in template.calledFunctions(byAuthorizers: byAuthorizers) where !served.contains(name) {
        guard let function = template.functions[name] else { continue }
        let reason =
          refusals[name] ?? Self.reason(function, runsFunctions: runsFunctions, authorizes: byAuthorizers)
        names[reason, default: []].append(name)
        reasons[name] = reason
      }
      for (reason, names) in names.sorted(by: { $0.value[0] < $1.value[0] }) {
        let list = names.joined(separator: ", ")
        lines.append(
          byAuthorizers
            ? "no program answers for the authorizer \(list), so its routes answer 500; \(reason)"
            : runsFunctions
              ? "no program answers for \(list), so its routes fail; \(reason)"
              : "an echo answers for \(list); \(reason)")
      }
    }
    self.lines = lines.map { Printable.text($0) }
    self.reasons = reasons
  }

  private static func reason(
    _ function: TemplateFunction, runsFunctions: Bool, authorizes: Bool
  ) -> String {
    if function.isExternal {
      return "--run NAME='COMMAND' runs a function that is not in the template"
        + (authorizes ? "; --config FILE runs this project's authorizer, if it is the only one" : "")
    }
    let runtime = function.runtime ?? ""
    if !runsFunctions, ["python", "nodejs", "provided"].contains(where: { runtime.hasBytePrefix($0) }) {
      return "--run-functions runs the code of the template, with your rights on this machine"
    }
    return "--run NAME='COMMAND' runs a program instead, because "
      + (runtime.isEmpty
        ? (function.package.place == .image ? "it is a container image" : "it has no Runtime")
        : "serve does not run \(runtime)")
  }
}
