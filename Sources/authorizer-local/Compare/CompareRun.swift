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
    let comparison: RuleComparison
    do throws(AnalysisLimit) {
      comparison = try RuleComparison(old.settings, new.settings, at: machine.now())
    } catch {
      throw CommandFailure(error)
    }
    let others = command.rulesOnly ? nil : SettingDifferences(old, new).lines
    let failures = try await trial(comparison, old, new)
    let report = CompareReport(
      comparison: comparison, notCompared: others, failures: failures,
      longRoutes: (old.settings.longRoutes, new.settings.longRoutes))
    if command.json {
      machine.terminal.answer(json: report.json)
    } else {
      report.lines.forEach { machine.terminal.answer(Printable.text($0)) }
    }
    if let first = failures.joined().joined().first {
      throw CommandFailure(
        .undecided, Printable.text("an example is not confirmed: \(first)"),
        hint: "the comparison may be wrong: please report it with both configurations")
    }
    guard comparison.issuersWithoutTokens.isEmpty else {
      throw CommandFailure(
        .undecided,
        "no token passes both verifications of " + comparison.issuersWithoutTokens.joined(separator: ", "))
    }
    if !comparison.newAllows.isEmpty || others?.isEmpty == false { throw CommandExit.unmet }
  }

  /// Returns what the function decided otherwise, for each difference of each direction.
  private func trial(
    _ comparison: RuleComparison, _ old: ComparedConfiguration, _ new: ComparedConfiguration
  ) async throws -> [[[String]]] {
    var trials: [ExampleTrial] = []
    for (differences, allowing, refusing) in [
      (comparison.newAllows, new, old), (comparison.oldAllows, old, new),
    ] {
      for difference in differences {
        for (configuration, isAllowed) in [(allowing, true), (refusing, false)] {
          trials.append(
            ExampleTrial(example: difference.example, configuration: configuration, isAllowed: isAllowed))
        }
      }
    }
    let failures = try await ExampleTrial.run(trials, on: machine)
    let joined = stride(from: 0, to: failures.count, by: 2).map { failures[$0] + failures[$0 + 1] }
    let count = comparison.newAllows.count
    return [Array(joined.prefix(count)), Array(joined.dropFirst(count))]
  }
}

extension CommandFailure {
  /// The failure for an analysis that reached a limit.
  init(_ limit: AnalysisLimit) {
    let reason =
      switch limit {
      case .work: "the search takes too many steps"
      case .patterns: "the routes overlap in too many ways"
      case .claims: "routes overlap that have one ${claim} at two places"
      case .times: "a condition compares exp, iat or nbf with a number"
      case .noFreeByte: "the routes with ${claims} use every character that such a claim may have"
      }
    self.init(.undecided, "undecided: " + reason, hint: "compare parts of the rules")
  }
}

extension CommandExit {
  /// An analysis has no result.
  static let undecided = CommandExit.functionFailed
}
