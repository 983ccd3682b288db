internal import Emulator

/// The handlers of other projects' authorizers: whether their files are where the template says. Nothing is run.
struct DoctorHandlers {
  let findings: [DeploymentFinding]

  /// - Parameter folder: the absolute path of the template's folder.
  init(_ template: GatewayTemplate, in folder: String) {
    findings = template.foreignAuthorizers.compactMap { name in
      // A build may write the file.
      guard let function = template.functions[name], function.buildMethod == nil else { return nil }
      do throws(HandlerRefusal) {
        _ = try HandlerSource(function, in: folder) { (packed) throws(HandlerRefusal) in
          throw .archive("", problem: "archives are not read")
        }
        return nil
      } catch {
        switch error {
        case .moduleMissing, .notBuilt, .handlerMalformed: break
        default: return nil
        }
        return DeploymentFinding(
          .handlerNotFound, name, "Lambda could not load the handler: " + error.problem, cure: error.hint)
      }
    }
  }
}
