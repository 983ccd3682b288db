internal import Authorizer
internal import DeploymentChecks
internal import FunctionHost
internal import GatewayModel
internal import Templates
internal import Text

/// The comparison with a template.
extension ConfigCheck {
  /// A note if there is a template and the rules were not compared with it.
  func comparisonNote(_ settings: Settings) -> [String] {
    let beside = command.file.map { machine.files.directory(of: $0) + "/template.yaml" }
    let isThere = machine.files.nearestTemplate != nil || beside.map(machine.files.exists) == true
    guard command.template == nil, isThere, !settings.ruleRoutes.isEmpty else { return [] }
    return ["note: not compared with a template; --template FILE compares the rules with an API"]
  }

  /// Returns the warnings on rules and routes that do not meet; none without `--template`.
  ///
  /// - Throws: `CommandFailure` if the template cannot be read, or if no route of it can have this configuration.
  func routeWarnings(_ settings: Settings) throws(CommandFailure) -> [ConfigurationProblem] {
    guard let path = command.template else { return [] }
    var template = try ParsedTemplate(at: path, try command.templateArguments.values(), on: machine)
      .gateway(at: path, for: "config check")
    template.adoptAuthorizer()
    let functions = template.authorizerFunctions.filter { !template.foreignAuthorizers.contains($0) }
    guard !functions.isEmpty else {
      throw CommandFailure(
        .usage, "no route of \(path) has an authorizer of this project",
        hint: "authorizer-local doctor --template \(ShellWord.path(path, or: "FILE")) says more")
    }
    // One that variables configure does not read this file, unless all are like that.
    let readers = functions.filter { name in
      ["AUTHORIZER_CONFIG", "AUTHORIZER_ISSUER"].allSatisfy {
        template.functions[name]?.variables[$0, default: ""] == ""
      }
    }
    var deployed = DeployedConfiguration.standard
    deployed.hasRules = !settings.ruleRoutes.isEmpty
    deployed.allowsByDefault = !settings.deniesByDefault
    deployed.routes = settings.writtenRoutes
    let all = Dictionary(uniqueKeysWithValues: (readers.isEmpty ? functions : readers).map { ($0, deployed) })
    return TemplateInspection(template, all).findings
      .filter { $0.code == .ruleMatchesNoRoute || $0.code == .routeWithoutRule }
      .map { ConfigurationProblem(path: $0.place, message: $0.problem) }
  }
}
