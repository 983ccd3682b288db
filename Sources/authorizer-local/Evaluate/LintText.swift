internal import ArgumentParser
internal import Emulator
internal import JSON

/// The options of the lint, which cannot be derived from an answer.
struct LintOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Cache TTL of the API in seconds, for findings about answers. Default: 300 for REST APIs, 0 for others.",
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
  func note(_ outcomes: [EventOutcome]) -> Bool {
    var seen: Set<String> = []
    for outcome in outcomes {
      // Many events have the same finding, so only the first event with it is printed.
      for finding in findings(in: outcome)
      where seen.insert("\(finding.code.rawValue) \(finding.path)").inserted {
        Terminal.note(
          "warning: \(Printable.text("\(outcome.event.name): \(LintText.sentence(finding))"))")
        Terminal.note("hint: " + finding.cure)
      }
    }
    return !seen.isEmpty
  }
}

/// Parses the kind of an event.
enum EventKindName {
  @Sendable static func parse(_ text: String) throws -> EventKind {
    // Case is ignored, because users rarely remember it.
    guard let kind = EventKind.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
      let known = EventKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--kind must be one of \(known), found \(text)")
    }
    return kind
  }
}

/// Findings in the text and in the JSON output.
enum LintText {
  static func sentence(_ finding: PolicyLint.Finding) -> String {
    "\(finding.code.rawValue): \(finding.path): \(finding.message)"
  }

  static func lines(_ finding: PolicyLint.Finding) -> [String] {
    [Printable.text(sentence(finding)), "hint: " + finding.cure]
  }

  static func tree(_ findings: [PolicyLint.Finding]) -> JSONTree {
    .array(
      findings.map { finding in
        .object([
          .init(name: "code", value: .string(finding.code.rawValue)),
          .init(name: "path", value: .string(finding.path)),
          .init(name: "message", value: .string(finding.message)),
          .init(name: "hint", value: .string(finding.cure)),
        ])
      })
  }

  static func cure(of error: PolicyError) -> String {
    switch error.problem {
    case .nullElement: PolicyLint.Code.conditionNull.cure
    case .tooLong: PolicyLint.Code.resourceTooLong.cure
    case .unknownKey: "known keys: \(ConditionKey.names.joined(separator: ", "))"
    default: "neither API Gateway nor this evaluator supports it"
    }
  }
}
