internal import Authorizer
internal import FunctionHost
internal import JSON
internal import RuleAnalysis

/// One run of `config prove`.
struct ProveRun {
  let command: ConfigCommand.Prove
  let machine: Machine

  private struct Result {
    let property: RuleProperty
    /// `nil` if a limit was reached.
    let proof: RuleProof?
    var failures: [String] = []

    init(_ property: RuleProperty, in settings: Settings, at now: Int64) {
      self.property = property
      do throws(AnalysisLimit) { proof = try RuleProof(of: property, in: settings, at: now) } catch {
        proof = nil
        failures = [error.words + "; this says nothing about the property"]
      }
    }

    var verdict: Verdict {
      switch proof {
      case .proven?: .proven
      case .refuted?: failures.isEmpty ? .refuted : .notConfirmed
      case .noCallers?: .noCallers
      case nil: .undecided
      }
    }
  }

  private enum Verdict: String {
    case proven, refuted, undecided, noCallers
    case notConfirmed = "not confirmed"
  }

  /// - Throws: `CommandFailure` if a property cannot be decided, and `CommandExit` if one does not hold.
  func run() async throws {
    let configuration = try ComparedConfiguration(command.configuration, on: machine)
    var results = try properties(configuration).map {
      Result($0, in: configuration.settings, at: machine.now())
    }
    let refuted = results.indices.filter { if case .refuted? = results[$0].proof { true } else { false } }
    let trials = refuted.compactMap { index -> ExampleTrial? in
      guard case .refuted(let example)? = results[index].proof else { return nil }
      return ExampleTrial(
        example: example, configuration: configuration, isAllowed: !results[index].property.isAlways)
    }
    for (index, failures) in zip(refuted, try await ExampleTrial.run(trials, on: machine)) {
      results[index].failures = failures
    }
    machine.terminal.answer(
      json: JSONTree.members(["properties": .array(results.map(Self.tree))]).bytes(indentedBy: 2),
      if: command.json, else: results.flatMap(Self.lines).map(Printable.text))
    let verdicts = Set(results.map(\.verdict))
    guard verdicts.isSubset(of: [.proven, .refuted]) else { throw CommandExit.undecided }
    if verdicts.contains(.refuted) { throw CommandExit.unmet }
  }

  private func properties(_ configuration: ComparedConfiguration) throws(CommandFailure) -> [RuleProperty] {
    let bytes = try machine.files.bytes(at: command.properties, limit: JSONLimits.configuration.bytes)
    return try Swift.Result { () throws(ConfigurationError) in
      try RuleProperty.properties(parsing: bytes, for: configuration.settings)
    }.mapError {
      CommandFailure(.undecided, Printable.lines("\(command.properties) is invalid:\n\($0.description)"))
    }.get()
  }

  private static func lines(_ result: Result) -> [String] {
    let first = "\(result.verdict.rawValue): \(result.property.name)"
    switch result.proof {
    case .proven?: return [first]
    case .refuted(let example)?:
      let verb = result.property.isAlways ? "is refused" : "is allowed"
      return [first, "  " + CompareReport.text(example) + " " + verb] + result.failures.map { "  " + $0 }
    case .noCallers?: return [first, "  no token that the configuration verifies is one of its callers"]
    case nil: return [first] + result.failures.map { "  " + $0 }
    }
  }

  private static func tree(_ result: Result) -> JSONTree {
    var example: JSONTree?
    if case .refuted(let found)? = result.proof { example = CompareReport.tree(found) }
    return .members([
      "name": .string(result.property.name), "result": .string(result.verdict.rawValue), "example": example,
    ])
  }
}
