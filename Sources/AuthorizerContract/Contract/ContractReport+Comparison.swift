internal import GatewayModel

/// The report of two authorizers that were asked the same.
extension ContractReport {
  /// The answer of the other authorizer, B, and how it differs from that of the first, A.
  package struct Comparison: Equatable, Sendable {
    package let outcome: Outcome
    package let reason: String?
    package let microseconds: Int?
    /// Worst first.
    package let differences: [AnswerComparison.Difference]

    package init(
      outcome: Outcome, reason: String?, microseconds: Int?, differences: [AnswerComparison.Difference]
    ) {
      self.outcome = outcome
      self.reason = reason
      self.microseconds = microseconds
      self.differences = differences
    }

    fileprivate var effect: AnswerComparison.Effect? { differences.first?.effect }
  }

  /// Creates the report of a comparison: the worst differences first, else in the order of the tests.
  package init(comparing entries: [Entry]) {
    let ranks = [AnswerComparison.Effect.allowsMore, .allowsLess, .other, nil]
    self.init(
      entries.filter { $0.comparison == nil }
        + ranks.flatMap { rank in entries.filter { $0.comparison != nil && $0.comparison?.effect == rank } })
  }

  var isComparison: Bool { entries.contains { $0.comparison != nil } }

  var comparisonTable: TextTable {
    var table = TextTable(columns: ["file", "kind", "A", "B", "result"])
    for entry in entries {
      table.add([
        entry.name, entry.eventKind?.rawValue ?? "-", entry.outcome?.rawValue ?? "-",
        entry.comparison?.outcome.rawValue ?? "-",
        entry.comparison.map { $0.effect?.word ?? "same" } ?? "FAIL",
      ])
    }
    return table
  }

  var comparisonSummary: String {
    let effects = entries.compactMap(\.comparison).map(\.effect)
    let counts = AnswerComparison.Effect.allCases.map { effect in
      "\(effects.count { $0 == effect }) \(effect.word)"
    }
    let unread = entries.count - effects.count
    return (counts + ["\(effects.count { $0 == nil }) same"] + (unread > 0 ? ["\(unread) not compared"] : []))
      .joined(separator: ", ")
  }

  /// Each difference once, with the tests that have it.
  var comparisonDetails: [String] {
    AnswerComparison.Effect.allCases.flatMap { effect -> [String] in
      var (lines, names): ([String], [String: [String]]) = ([], [:])
      for entry in entries {
        for difference in entry.comparison?.differences ?? [] where difference.effect == effect {
          if names[difference.line] == nil { lines.append(difference.line) }
          names[difference.line, default: []].append(entry.name)
        }
      }
      let words = lines.map { line in "  \((names[line] ?? []).joined(separator: ", ")): \(line)" }
      return words.isEmpty ? [] : [effect.heading + ":"] + words
    }
  }
}

extension AnswerComparison.Difference {
  var line: String {
    let note = mismatch.note.map { " (\($0))" } ?? ""
    return "\(mismatch.subject): A \(mismatch.expected), B \(mismatch.found)\(note)"
  }
}

extension AnswerComparison.Effect {
  /// In a table and in a sum.
  fileprivate var word: String {
    switch self {
    case .allowsMore: "allows more"
    case .allowsLess: "allows less"
    case .other: "differs"
    }
  }

  fileprivate var heading: String {
    switch self {
    case .allowsMore: "B allows what A refuses"
    case .allowsLess: "B refuses what A allows"
    case .other: "other differences"
    }
  }
}
