/// An IAM pattern: `*` matches zero or more characters, including `/` and `:`, and `?` matches exactly one.
///
/// The whole text must match. Matching is case-sensitive unless `ignoringCase` is set (IAM User Guide, "IAM JSON
/// policy elements: Action, Resource"). Matching backtracks to the last `*` only, so the time is at most proportional
/// to pattern × text for any pattern.
package struct WildcardPattern: Equatable, Sendable {
  private var symbols: [Symbol]
  private let ignoresCase: Bool

  private enum Symbol: Equatable {
    case one(Unicode.Scalar)
    case anyOne
    case anyRun
  }

  package init(_ text: String, ignoringCase: Bool = false) {
    self.init(ignoringCase: ignoringCase)
    append(pattern: text)
  }

  package init(ignoringCase: Bool = false) {
    symbols = []
    ignoresCase = ignoringCase
  }

  /// Appends text in which `*` and `?` are wildcards.
  package mutating func append(pattern text: some StringProtocol) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "*": symbols.append(.anyRun)
      case "?": symbols.append(.anyOne)
      default: symbols.append(.one(folded(scalar)))
      }
    }
  }

  /// Appends text in which every character is literal.
  package mutating func append(literal text: some StringProtocol) {
    for scalar in text.unicodeScalars { symbols.append(.one(folded(scalar))) }
  }

  package func matches(_ text: String) -> Bool {
    let text = text.unicodeScalars.map(folded)
    var place = 0
    var symbolPlace = 0
    var retry: (symbolPlace: Int, place: Int)?
    while place < text.count {
      if symbolPlace < symbols.count, symbols[symbolPlace] == .anyRun {
        retry = (symbolPlace, place)
        symbolPlace += 1
      } else if symbolPlace < symbols.count,
        symbols[symbolPlace] == .anyOne || symbols[symbolPlace] == .one(text[place])
      {
        symbolPlace += 1
        place += 1
      } else if let last = retry {
        // Let the last star match one more character.
        retry = (last.symbolPlace, last.place + 1)
        symbolPlace = last.symbolPlace + 1
        place = last.place + 1
      } else {
        return false
      }
    }
    return symbols[symbolPlace...].allSatisfy { $0 == .anyRun }
  }

  /// Folds ASCII letters only: actions have no others, and Unicode case mapping would make the verdict depend on a
  /// Unicode version.
  private func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    ignoresCase && ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
  }
}
