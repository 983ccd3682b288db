internal import LambdaEmulator
internal import AuthorizerContract
internal import GatewayEmulator
internal import GatewayModel
internal import ArgumentParser

/// What the lint of answers needs to know and cannot derive from an answer.
struct LintArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Cache TTL of the API, for warnings about answers. Default: 300 for REST APIs, 0 for others.",
      valueName: "seconds"))
  var ttl: Int?

  func validate() throws {
    // "Enable caching": up to an hour.
    if let ttl, !(0...3600).contains(ttl) {
      throw ValidationError("--ttl must be between 0 and 3600 seconds, the limit of API Gateway")
    }
  }

  func lint(_ kind: EventKind) -> PolicyLint { PolicyLint(kind: kind, timeToLiveSeconds: ttl) }

  /// Returns the findings about a function's answer.
  func findings(in outcome: EventOutcome) -> [PolicyLint.Finding] {
    guard let event = AuthorizerEvent(outcome.event.bytes), case .response(let bytes) = outcome.result.answer
    else { return [] }
    let findings = lint(event.kind).findings(in: bytes, resource: event.resource)
    // The shipped authorizer allows every route that the token may call, so a policy for one route is correct.
    return outcome.isShipped ? findings.filter { $0.code != .narrowPolicy } : findings
  }

  /// Returns every finding about the answers to one event as a mismatch.
  func mismatches(in outcomes: [EventOutcome]) -> [Mismatch] {
    var seen: Set<String> = []
    return outcomes.flatMap(findings).filter { seen.insert(LintText.sentence($0)).inserted }.map { finding in
      Mismatch(
        subject: "\(finding.code.rawValue) at \(finding.path)", expected: "no finding",
        found: finding.message, note: nil)
    }
  }

  /// Prints the findings about the answers. Returns whether there were any.
  func note(_ outcomes: [EventOutcome], on terminal: Terminal) -> Bool {
    var seen: Set<String> = []
    for outcome in outcomes {
      // Many events have the same finding, so only the first event with it is printed.
      for finding in findings(in: outcome)
      where seen.insert("\(finding.code.rawValue) \(finding.path)").inserted {
        terminal.note(
          "warning: \(Printable.text("\(outcome.event.name): \(LintText.sentence(finding))"))")
        terminal.note("hint: " + finding.cure)
      }
    }
    return !seen.isEmpty
  }
}
