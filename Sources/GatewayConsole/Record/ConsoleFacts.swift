package import GatewayEmulator
package import JSON

/// What the console asks the program that serves: only it knows the configuration of its functions.
///
/// Its texts may contain what callers sent. The console removes credentials from them.
package protocol ConsoleFacts: DecisionExplaining {
  /// The scopes that rules of the configuration name.
  var scopes: [String] { get }

  /// The routes of rules that belong to a user, as written: `GET /users/${sub}`.
  var ownedRoutes: [String] { get }

  /// The rules of the configuration, as they are written.
  var rules: [JSONTree] { get }

  /// The key sets of the configured issuers: objects with `issuer`, `source` and `keys`.
  var keySets: [JSONTree] { get }

  /// The revocations of the local store: an object with `available`, `rows` and `how`.
  var revocations: JSONTree { get }

  /// What `doctor` finds: objects with `severity`, `code`, `text`, `file`, `line` and `hint`.
  var findings: [JSONTree] { get }

  var version: String { get }

  /// Adds a contract test, the member `test` of a decision, to the files of the user's project. Returns `files`, their
  /// paths, and `command`, which runs them.
  ///
  /// - Throws: `impossible` if it is there already, or cannot be written.
  func save(test: JSONTree) throws(ConsoleProblem) -> JSONTree
}
