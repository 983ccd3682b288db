/// One thing that is wrong with a configuration.
public struct ConfigurationProblem: Error, Equatable, Sendable {
  /// Where: `issuers[0].keys.seed`, or the name of an environment variable.
  public let path: String
  /// What is wrong, in lower case; never the value of a secret.
  public let message: String
  /// Whether each start logs this warning: it is about who gets in, and only the operator can mend it.
  var isSaidAtStart = false

  /// `path: message`.
  public var description: String { path + ": " + message }
}

/// Everything that is wrong with a configuration, reported at once.
public struct ConfigurationError: Error, Equatable, Sendable {
  /// At least one.
  public let problems: [ConfigurationProblem]

  package init(problems: [ConfigurationProblem]) { self.problems = problems }

  /// A line for each problem.
  public var description: String { problems.map { $0.description }.joined(separator: "\n") }
}

extension ConfigurationProblem: CustomStringConvertible {}
extension ConfigurationError: CustomStringConvertible {}

/// Collects problems while a configuration is read, so that one start shows them all.
package final class ProblemList {
  package private(set) var problems: [ConfigurationProblem] = []

  package init() {}

  package func add(_ path: String, _ message: String) {
    problems.append(ConfigurationProblem(path: path, message: message))
  }

  /// Whether something is wrong with what is written at this path, or with an element of it: then it is not missing too.
  package func concerns(_ path: String) -> Bool {
    problems.contains { $0.path == path || $0.path.hasPrefix(path + "[") }
  }

  /// Whether something is wrong with a member of what is written at this path.
  func concerns(within path: String) -> Bool { problems.contains { $0.path.hasPrefix(path + ".") } }
}
