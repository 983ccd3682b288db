import FunctionHost
import JOSE

/// Warnings on conditions that are valid but let in more callers than their author may think.
extension [Settings.IssuerSettings] {
  /// Returns the warnings on conditions on e-mail addresses, and on workflows of any repository.
  func claimWarnings(_ rules: AccessRules?) -> [ConfigurationProblem] {
    var warnings: [ConfigurationProblem] = []
    for (index, issuer) in enumerated() {
      let path = "issuers[\(index)]"
      warnings += [issuer].emailWarnings(issuer.requirement, path, claims: path + ".requiredClaims")
    }
    for (index, rule) in (rules?.rules ?? []).enumerated() {
      let path = "rules[\(index)].require"
      warnings += emailWarnings(rule.requirement, path, claims: path + ".claims")
    }
    for (index, issuer) in enumerated() where issuer.isOfWorkflows {
      let requirements = [issuer.requirement] + (rules?.rules ?? []).map { $0.requirement }
      guard !requirements.contains(where: { $0.namesRepository(for: issuer.profile.name) }) else { continue }
      warnings.append(
        ConfigurationProblem(
          path: "issuers[\(index)]",
          message:
            "workflows of every repository of the owner or enterprise are accepted; require \"repository\" or"
            + " \"sub\" in the rules",
          warning: .repositoryNotNamed))
    }
    return warnings
  }

  /// - Parameters:
  ///   - path: where the requirement stands.
  ///   - claims: where its claims stand.
  ///   - isVerified: whether what surrounds it requires a verified address.
  ///   - isDenied: whether it is within `not`, where a requirement beside it lets unverified addresses in.
  private func emailWarnings(
    _ requirement: Requirement, _ path: String, claims: String, isVerified: Bool = false,
    isDenied: Bool = false
  ) -> [ConfigurationProblem] {
    let concerned = filter { requirement.names($0.profile.name) }
    let isVerified =
      isVerified || !isDenied && requirement.requiresVerifiedEmail
      || !concerned.isEmpty && concerned.allSatisfy { $0.requirement.requiresVerifiedEmail }
    var warnings: [ConfigurationProblem] = []
    for claim in requirement.claims where claim.claim == Requirement.email {
      if case .suffix(let end) = claim.condition, !end.contains(0x40) {
        warnings.append(
          ConfigurationProblem(
            path: claims + ".email",
            message: "addresses of other domains may end like this; begin the suffix with @",
            warning: .emailSuffixWithoutAt))
      }
      if let advice = concerned.adviceOnEmail(isVerified: isVerified) {
        warnings.append(
          ConfigurationProblem(path: claims + ".email", message: advice, warning: .emailNotVerified))
      }
    }
    for (index, part) in requirement.any.enumerated() {
      let path = "\(path).any[\(index)]"
      warnings += concerned.emailWarnings(
        part, path, claims: path + ".claims", isVerified: isVerified, isDenied: isDenied)
    }
    for part in requirement.not {
      let path = path + ".not"
      warnings += concerned.emailWarnings(
        part, path, claims: path + ".claims", isVerified: isVerified, isDenied: true)
    }
    return warnings
  }

  private func adviceOnEmail(isVerified: Bool) -> String? {
    let others = filter { !$0.verifiesEmail }.map { $0.profile.name }
    if !others.isEmpty {
      return "anyone can write this claim in a tenant of their own, and \(others.joined(separator: " and "))"
        + " never says whether it is verified; require \"tid\" and \"oid\" or a role"
    }
    return isVerified
      ? nil : "the user may have chosen this address; require \"email_verified\": true beside it"
  }
}

extension Requirement {
  fileprivate static let email = ClaimPath(name: "email")
  private static let verified = ClaimPath(name: "email_verified")
  private static let workflowClaims = [ClaimPath(name: "repository"), ClaimPath(name: "sub")]

  /// Whether an unverified e-mail address never meets it.
  fileprivate var requiresVerifiedEmail: Bool {
    claims.contains { $0.claim == Self.verified && $0.condition == .oneOf([.boolean(true)]) }
  }

  /// Whether it has a condition on the repository of a workflow, for tokens of this issuer.
  fileprivate func namesRepository(for issuer: String) -> Bool {
    names(issuer)
      && (claims.contains { claim in
        claim.condition != .exists(true) && Self.workflowClaims.contains { $0 == claim.claim }
      } || any.contains { $0.namesRepository(for: issuer) })
  }
}
