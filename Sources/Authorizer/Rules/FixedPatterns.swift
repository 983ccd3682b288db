/// The patterns of rules that do not depend on claims: each once, sorted by bytes, with the wider patterns that make
/// it redundant.
struct FixedPatterns: Sendable {
  struct Entry: Equatable, Sendable {
    let pattern: [UInt8]
    /// The rules that contain it.
    var rules: [Int]
    /// The indexes of wider patterns.
    var wider: [Int] = []
  }

  private(set) var entries: [Entry] = []
  /// The number of pattern pairs compared to find the wider ones.
  private(set) var comparisons = 0

  /// Collects the patterns of these rules, without those of tool routes.
  init(of rules: [AccessRules.Rule], except toolRoutes: ToolRoutes? = nil) {
    var written: [Entry] = []
    for (index, rule) in rules.enumerated() {
      for route in rule.routes where !route.isOwnership && toolRoutes?.include(route) != true {
        for pattern in route.widestPatterns { written.append(Entry(pattern: pattern, rules: [index])) }
      }
    }
    self.init(written)
  }

  /// Collects the patterns of these routes.
  init(of routes: [Route]) {
    var written: [Entry] = []
    for route in routes where !route.isOwnership {
      for pattern in route.widestPatterns { written.append(Entry(pattern: pattern, rules: [0])) }
    }
    self.init(written)
  }

  private init(_ unsorted: [Entry]) {
    var written = unsorted
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

  /// Returns the patterns that are in force, without those that a wider one in force makes redundant.
  func patterns(where isInForce: (Entry) -> Bool) -> [[UInt8]] {
    let inForce = entries.map(isInForce)
    var patterns: [[UInt8]] = []
    for (entry, isInForce) in zip(entries, inForce) where isInForce {
      if !entry.wider.contains(where: { inForce[$0] }) { patterns.append(entry.pattern) }
    }
    return patterns
  }

  /// Whether any pattern matches more than one path.
  var haveWildcards: Bool { entries.contains { $0.pattern.contains(RoutePattern.wildcard) } }

  /// Marks the patterns that this one covers. They share its prefix up to its wildcard, so they form one run of the
  /// sorted entries. A pattern begins with its method, so patterns of different methods are never compared.
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
