/// The patterns of rules that no claim can change: each once, in the order of their bytes, with the wider ones that make it
/// needless.
struct FixedPatterns: Sendable {
  /// One pattern.
  struct Entry: Equatable, Sendable {
    let pattern: [UInt8]
    /// The rules that have it.
    var rules: [Int]
    /// Wider patterns, by their index.
    var wider: [Int] = []
  }

  private(set) var entries: [Entry] = []
  /// Pairs of patterns that were compared to find the wider ones.
  private(set) var comparisons = 0

  /// Finds the patterns of these rules.
  init(of rules: [AccessRules.Rule]) {
    var written: [Entry] = []
    for (index, rule) in rules.enumerated() {
      for route in rule.routes where !route.isOwnership {
        for pattern in route.widestPatterns { written.append(Entry(pattern: pattern, rules: [index])) }
      }
    }
    written.sort { left, right in
      if left.pattern == right.pattern { return left.rules[0] < right.rules[0] }
      return left.pattern.lexicographicallyPrecedes(right.pattern)
    }
    for entry in written {
      if let last = entries.last, last.pattern == entry.pattern {
        if last.rules.last != entry.rules[0] { entries[entries.count - 1].rules += entry.rules }
      } else {
        entries.append(entry)
      }
    }
    for index in entries.indices { noteCovered(by: index) }
  }

  /// Whether any of them stands for more than one path.
  var haveWildcards: Bool { entries.contains { $0.pattern.contains(RoutePattern.wildcard) } }

  /// What a pattern covers begins as it does up to its wildcard, so it stands in one run of the sorted entries; a verb
  /// comes first in every pattern, so that none is compared with one of another verb.
  private mutating func noteCovered(by index: Int) {
    let pattern = entries[index].pattern
    guard let end = pattern.firstIndex(of: RoutePattern.wildcard) else { return }
    let start = pattern[..<end]
    var other = firstIndex(notBefore: start)
    while other < entries.count, entries[other].pattern.starts(with: start) {
      if other != index {
        comparisons += 1
        if RoutePattern.matches(pattern, entries[other].pattern) { entries[other].wider.append(index) }
      }
      other += 1
    }
  }

  private func firstIndex(notBefore start: ArraySlice<UInt8>) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].pattern.lexicographicallyPrecedes(start) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
