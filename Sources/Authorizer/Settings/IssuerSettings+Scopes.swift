import FunctionHost
import JOSE

extension [Settings.IssuerSettings] {
  /// Returns the warnings on scopes that no token can have, because the issuers concerned send none.
  func scopeWarnings(_ rules: AccessRules?) -> [ConfigurationProblem] {
    var warnings: [ConfigurationProblem] = []
    for (index, issuer) in enumerated() where !issuer.requirement.scopes.isEmpty {
      if let warning = [issuer].scopeWarning(at: "issuers[\(index)].requiredScopes") {
        warnings.append(warning)
      }
    }
    for (index, rule) in (rules?.rules ?? []).enumerated() where !rule.requirement.scopes.isEmpty {
      let names = rule.requirement.issuers
      let concerned = filter { issuer in
        names.isEmpty || names.contains { $0.utf8.elementsEqual(issuer.profile.name.utf8) }
      }
      if let warning = concerned.scopeWarning(at: "rules[\(index)].require.scopes") {
        warnings.append(warning)
      }
    }
    return warnings
  }

  private func scopeWarning(at path: String) -> ConfigurationProblem? {
    guard allSatisfy({ !$0.sendsScopes }) else { return nil }
    return ConfigurationProblem(
      path: path,
      message:
        "no token can meet this: tokens of \(map { $0.profile.name }.joined(separator: " and ")) have no scopes;"
        + " require a claim that they have, such as \"email_verified\": true",
      warning: .scopeNeverSent)
  }
}
