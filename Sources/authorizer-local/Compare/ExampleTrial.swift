internal import AuthorizerContract
internal import Authorizer
internal import GatewayModel
internal import JSON
internal import RuleAnalysis
internal import TestTokens
internal import Text

/// A request that the function must decide as an analysis says.
struct ExampleTrial {
  let example: RequestExample
  let configuration: ComparedConfiguration
  let isAllowed: Bool

  /// Runs the function for each of these, with every kind of event that can be such a request.
  ///
  /// - Returns: for each of them the kinds of event that the function decided otherwise, with what it did.
  static func run(_ trials: [ExampleTrial], on machine: Machine) async throws -> [[String]] {
    var events: [PreparedEvent] = []
    var owners: [Int] = []
    for (index, trial) in trials.enumerated() {
      for event in try trial.events(on: machine) {
        events.append(event)
        owners.append(index)
      }
    }
    var failures = trials.map { _ in [String]() }
    let run = EventRun(options: FunctionOptions(), rules: AnswerRules(), machine: machine)
    for (index, outcome) in zip(owners, try await run.outcomes(of: events)) {
      let trial = trials[index]
      let found = outcome.evaluation.outcome
      if trial.isAllowed ? found == .allowed : found == .forbidden || found == .unauthorized { continue }
      failures[index].append(
        "\(trial.configuration.path) says \(found.rawValue) to \(outcome.event.name): "
          + outcome.evaluation.explanation)
    }
    return failures
  }

  private func events(on machine: Machine) throws(CommandFailure) -> [PreparedEvent] {
    let token = try example.token.map { recipe throws(CommandFailure) in
      let named = try Result { () throws(TokenFileError) in
        try TokenRecipe(configuration.trialRecipe(recipe), name: "token")
      }.mapError { CommandFailure(.undecided, $0.description) }.get()
      return try TokenFile.token(named, on: machine)
    }
    return kinds.map { kind in
      PreparedEvent(
        name: kind.rawValue, bytes: request(kind, token, at: machine.now()).event,
        configuration: configuration.trial)
    }
  }

  /// The kinds of event that can be this request.
  private var kinds: [GatewayModel.EventKind] {
    guard example.method != nil else { return [.webSocket] }
    // A TOKEN event has no headers.
    if example.mcpMethod != nil { return [.restRequest, .http1, .http2] }
    let isTemplate = example.path.utf8.contains(0x7B) || example.path.containsBytes(of: "$default")
    return (example.token == nil ? [] : [.restToken]) + [.restRequest] + (isTemplate ? [] : [.http1, .http2])
  }

  private func request(_ kind: GatewayModel.EventKind, _ token: String?, at now: Int64) -> EventRequest {
    let message = example.mcpMethod.map { MCPMessage(method: $0, name: example.mcpName) }
    let fields = (message?.headers ?? []) + (token.map { [.init("Authorization", "Bearer " + $0)] } ?? [])
    // The stage whose ARN is shortest, on which no route is too long.
    return EventRequest(
      kind: kind, method: example.method ?? "GET", host: "a.execute-api.us-east-1.amazonaws.com",
      path: example.method == nil ? "/" : example.path, query: "",
      headers: fields, stage: "s",
      isStageInPath: true, api: "a", region: "us-east-1", account: "123456789012",
      resource: example.method == nil ? "/" : example.path, sourceIP: "192.0.2.1",
      unixMilliseconds: now * 1000)
  }
}
