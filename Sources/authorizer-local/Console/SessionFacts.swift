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

  func explanation(of event: [UInt8], by function: String, at unixSeconds: Int64) -> DecisionExplanation? {
    guard let authorizer, authorizer.name.utf8.elementsEqual(function.utf8) else { return nil }
    return authorizer.explanation(of: event, at: unixSeconds)
  }

  var scopes: [String] { authorizer?.scopes ?? [] }
  var rules: [JSONTree] { authorizer?.rules ?? [] }
  var keySets: [JSONTree] { authorizer?.keySets ?? [] }
  var findings: [JSONTree] { examined?.trees ?? [] }

  var revocations: JSONTree {
    authorizer?.revocations
      ?? ServedAuthorizer.revocations(
        how: "the console reads revocations of this project's authorizer only")
  }
}
