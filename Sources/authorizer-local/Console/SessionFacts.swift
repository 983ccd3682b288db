internal import GatewayConsole
internal import GatewayEmulator
internal import JSON

/// What the console shows beside the gateway's decisions: the configuration of this project's authorizer, and what
/// `doctor` finds.
struct SessionFacts: ConsoleFacts {
  /// This project's authorizer; `nil` if another one is served.
  let authorizer: ServedAuthorizer?
  /// The template and its readings.
  let examined: ExaminedTemplate?

  let version: String
  /// Where tests are saved.
  let tests: SavedTest

  func explanation(of event: [UInt8], by function: String, at unixSeconds: Int64) -> DecisionExplanation? {
    guard let authorizer, authorizer.name.utf8.elementsEqual(function.utf8) else { return nil }
    return authorizer.explanation(of: event, at: unixSeconds)
  }

  var scopes: [String] { authorizer?.scopes ?? [] }
  var ownedRoutes: [String] { authorizer?.ownedRoutes ?? [] }
  var rules: [JSONTree] { authorizer?.rules ?? [] }
  var keySets: [JSONTree] { authorizer?.keySets ?? [] }
  var findings: [JSONTree] { examined?.trees ?? [] }

  func save(test: JSONTree) throws(ConsoleProblem) -> JSONTree {
    do throws(CommandFailure) {
      let files = try tests.write(test)
      return .members(["files": .array(files.map { .string($0) }), "command": .string(tests.command(files))])
    } catch {
      throw .impossible(error.message + (error.hint.map { "; " + $0 } ?? ""))
    }
  }

  var revocations: JSONTree {
    authorizer?.revocations
      ?? ServedAuthorizer.revocations(
        how: "the console reads revocations of this project's authorizer only")
  }
}
