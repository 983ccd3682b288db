internal import ArgumentParser
internal import Emulator
internal import JSON

/// What the lint has to know that no answer tells.
struct LintOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Seconds that the API keeps answers, for the lint. Default: 300 for REST APIs, 0 for the others.",
      valueName: "seconds"))
  var ttl: Int?

  func validate() throws {
    // "Enable caching": up to an hour.
    if let ttl, !(0...3600).contains(ttl) {
      throw ValidationError("--ttl must be between 0 and 3600 seconds, API Gateway's own limit")
    }
  }

  func lint(_ kind: EventKind) -> PolicyLint { PolicyLint(kind: kind, timeToLiveSeconds: ttl) }

  /// What there is to say about a function's answer.
  func findings(in outcome: EventOutcome) -> [PolicyLint.Finding] {
    guard let event = AuthorizerEvent(outcome.event.bytes), case .response(let bytes) = outcome.result.answer
    else { return [] }
    return lint(event.kind).findings(in: bytes, resource: event.resource)
  }

  /// Every finding about the answers to one event, as that which is not as it should be.
  func mismatches(in outcomes: [EventOutcome]) -> [Mismatch] {
    var seen: Set<String> = []
    return outcomes.flatMap(findings).filter { seen.insert(LintText.sentence($0)).inserted }.map { finding in
      Mismatch(
        subject: "\(finding.code.rawValue) at \(finding.path)", expected: "no finding",
        found: finding.message, note: nil)
    }
  }

  /// Tells findings of function's answers; whether there were any.
  func note(_ outcomes: [EventOutcome]) -> Bool {
    var seen: Set<String> = []
    for outcome in outcomes {
      // A suite repeats itself: the first event with a finding stands for all.
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

/// The kind of an event as people write it.
enum EventKindName {
  @Sendable static func parse(_ text: String) throws -> EventKind {
    // Nobody remembers which letters are large.
    guard let kind = EventKind.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
      let known = EventKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--kind must be one of \(known), found \(text)")
    }
    return kind
  }
}

/// Findings for people and for machines.
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
    case .unknownKey: "known are \(ConditionKey.names.joined(separator: ", "))"
    default: "API Gateway or this evaluator would not know what it means"
    }
  }
}
