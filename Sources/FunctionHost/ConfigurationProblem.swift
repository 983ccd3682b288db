package struct ConfigurationProblem: Error, Equatable, Sendable {
  /// The JSON path, such as `issuers[0].keys.seed`, or the name of an environment variable.
  package let path: String
  /// What is wrong, in lower case; never contains the value of a secret.
  package let message: String
  /// Whether each start logs this warning. True for a warning on access that only the operator can fix.
  package let isLoggedAtStart: Bool
  /// The kind of a warning; `nil` for a problem that prevents the start.
  package let warning: Warning?

  /// The kinds of warnings on valid settings.
  package enum Warning: CaseIterable, Sendable {
    /// Another spelling of a path may bypass a restriction.
    case defaultAllow
    /// A wildcard matches more segments than it seems to.
    case routeCrossesSegments
    /// Another rule grants the same routes and requires less.
    case ruleWithoutEffect
    /// Claims of several issuers in an ownership route.
    case ownershipOfSeveralIssuers
    /// A setting that has no effect on some answers.
    case settingWithoutEffect
    /// Bound tokens are accepted without a proof.
    case proofIgnored
    /// A guest route that no rule grants to callers with a token.
    case guestRouteNotGranted
    /// A guest route that opens paths for which a rule requires something, or that belong to one user.
    case guestRouteOverRule
    /// A guest route that a rule restricts as a whole.
    case guestRouteWithoutEffect
    /// A segment such as `:id`, which is text here and the variable of other routers.
    case variableWithColon
    /// Scopes are required, but the issuers concerned send none.
    case scopeNeverSent
    /// The end of an e-mail address without `@`, which the addresses of other domains have too.
    case emailSuffixWithoutAt
    /// A condition on an e-mail address that its user may have chosen.
    case emailNotVerified
    /// Workflows of all repositories of an owner are accepted.
    case repositoryNotNamed
    /// Methods of MCP with a name that no rule on the tools, resources or prompts of the path restricts.
    case methodsStayOpen
  }

  package init(path: String, message: String, isLoggedAtStart: Bool = false, warning: Warning? = nil) {
    self.path = path
    self.message = message
    self.isLoggedAtStart = isLoggedAtStart
    self.warning = warning
  }

  /// `path: message`.
  package var description: String { path + ": " + message }
}

/// All problems of a configuration, reported at once.
package struct ConfigurationError: Error, Equatable, Sendable {
  /// At least one.
  package let problems: [ConfigurationProblem]

  package init(problems: [ConfigurationProblem]) { self.problems = problems }

  /// A line for each problem.
  package var description: String { problems.map { $0.description }.joined(separator: "\n") }
}

extension ConfigurationProblem: CustomStringConvertible {}
extension ConfigurationError: CustomStringConvertible {}

/// Collects problems while a configuration is read, so that one start reports all of them.
package final class ProblemList {
  package private(set) var problems: [ConfigurationProblem] = []

  package init() {}

  package func add(_ path: String, _ message: String) {
    problems.append(ConfigurationProblem(path: path, message: message))
  }

  /// Whether there is a problem at this path or with an element of it. Such a value is then not reported as missing
  /// too.
  package func concerns(_ path: String) -> Bool {
    problems.contains { $0.path == path || $0.path.utf8.starts(with: (path + "[").utf8) }
  }

  /// Whether there is a problem with a member of the object at this path.
  package func concerns(within path: String) -> Bool {
    problems.contains { $0.path.utf8.starts(with: (path + ".").utf8) }
  }
}
