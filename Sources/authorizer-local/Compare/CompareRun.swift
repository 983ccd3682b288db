internal import JSON
internal import RuleAnalysis

/// One run of `config compare`.
struct CompareRun {
  let command: ConfigCommand.Compare
  let machine: Machine

  /// - Throws: `CommandFailure` if it cannot be decided, and `CommandExit` if the second configuration allows more.
  func run() async throws {
    let old = try ComparedConfiguration(command.old, on: machine)
    let new = try ComparedConfiguration(command.new, on: machine)
    let comparison = try Result { () throws(AnalysisLimit) in
      try RuleComparison(old.settings, new.settings, at: machine.now())
    }.mapError {
      CommandFailure(.undecided, "undecided: " + $0.words, hint: "compare parts of the rules")
    }.get()
    let others = command.rulesOnly ? nil : SettingDifferences(old, new, comparison.issuers).lines
    let differences =
      comparison.newAllows.map { ($0, new, old) } + comparison.oldAllows.map { ($0, old, new) }
    let trials = differences.flatMap { difference, allowing, refusing in
      [(allowing, true), (refusing, false)].map {
        ExampleTrial(example: difference.example, configuration: $0.0, isAllowed: $0.1)
      }
    }
    let failures = try await ExampleTrial.run(trials, on: machine)
    let unconfirmed = Set(failures.indices.filter { !failures[$0].isEmpty }.map { $0 / 2 })
    let report = CompareReport(
      comparison: comparison, notCompared: others, unconfirmed: unconfirmed,
      longRoutes: (old.settings.longRoutes, new.settings.longRoutes))
    machine.terminal.answer(json: report.json, if: command.json, else: report.lines.map(Printable.text))
    if let first = failures.joined().first {
      throw CommandFailure(
        .undecided, Printable.text("an example is not confirmed: \(first)"),
        hint: "the comparison may be wrong: please report it with both configurations")
    }
    let unpaired = command.rulesOnly ? comparison.issuers.onlyNew : []
    guard unpaired.isEmpty else {
      throw CommandFailure(
        .undecided, "OLD has no tokens to compare with those of \(unpaired.joined(separator: ", "))",
        hint: "without --rules-only they are listed as not compared")
    }
    guard comparison.issuersWithoutTokens.isEmpty else {
      throw CommandFailure(
        .undecided,
        "no token passes both verifications of " + comparison.issuersWithoutTokens.joined(separator: ", "))
    }
    if !comparison.newAllows.isEmpty || others?.isEmpty == false { throw CommandExit.unmet }
  }
}

extension AnalysisLimit {
  var words: String {
    switch self {
    case .work: "the search takes too many steps"
    case .patterns: "the routes overlap in too many ways"
    case .times: "a condition compares exp, iat or nbf with a number"
    case .noFreeByte: "the routes with ${claims} use every character that such a claim may have"
    }
  }
}

extension CommandExit {
  /// An analysis has no result.
  static let undecided = CommandExit.functionFailed
}
