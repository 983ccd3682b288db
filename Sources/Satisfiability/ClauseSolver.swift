/// A conjunction of clauses, and a search for an assignment that satisfies it.
///
/// The search learns a clause from each conflict (Marques-Silva and Sakallah, "GRASP: A Search Algorithm for Propositional
/// Satisfiability", 1999) and keeps it for later questions about the same clauses.
package struct ClauseSolver {
  /// The variable × 2, and one more for its negation.
  package typealias Literal = Int32

  /// The literals of one clause after the other, and where each clause begins: its number is the place there.
  private var literals: [Literal] = []
  private var starts: [Int] = [0]
  /// For each literal the clauses to examine when it becomes false.
  private var watchers = WatchLists()
  /// For each variable 1 for true, -1 for false, 0 for open.
  private var values: [Int8] = []
  private var preferred: [Int8] = []
  private var saved: [Int8] = []
  private var levels: [Int32] = []
  /// For each variable the clause that forced it, or -1.
  private var reasons: [Int32] = []
  private var isSeen: [Bool] = []
  private var trail: [Literal] = []
  private var levelStarts: [Int] = []
  private var examined = 0
  private var queue = DecisionQueue()
  private var isContradictory = false
  /// The assignment that the last search found.
  private var model: [Int8] = []

  private static let firstRestart = 100
  private static let none: Int32 = -1

  /// Adds a variable and returns its literal.
  ///
  /// - Parameter isPreferred: the value that the search tries first.
  package mutating func variable(preferring isPreferred: Bool = false) -> Literal {
    let variable = Int32(values.count)
    values.append(0)
    preferred.append(isPreferred ? 1 : -1)
    saved.append(isPreferred ? 1 : -1)
    levels.append(0)
    reasons.append(Self.none)
    isSeen.append(false)
    watchers.addVariable()
    queue.append()
    return variable * 2
  }

  /// Adds a clause: one of these is true.
  mutating func add(_ literals: [Literal]) {
    var clause: [Literal] = []
    for literal in Set(literals).sorted() where value(literal) != -1 {
      if value(literal) == 1 || clause.contains(literal ^ 1) { return }
      clause.append(literal)
    }
    switch clause.count {
    case 0: isContradictory = true
    case 1: assign(clause[0], because: Self.none)
    default: _ = append(clause)
    }
  }

  /// Whether the literal is true in the assignment that was found.
  package func isTrue(_ literal: Literal) -> Bool {
    model[Int(literal >> 1)] == (literal & 1 == 0 ? 1 : -1)
  }

  /// Returns those of the literals that are true in the assignment that was found.
  package func trueLiterals(among literals: [Literal]) -> [Literal] { literals.filter(isTrue) }

  /// Whether some assignment satisfies all clauses and these literals.
  package mutating func isSatisfiable(
    assuming assumptions: [Literal], _ work: inout SearchWork
  ) throws(SearchLimit) -> Bool {
    saved = preferred
    watchers.compact()
    defer { backtrack(to: 0) }
    var conflicts = 0
    var restart = Self.firstRestart
    while !isContradictory {
      if let conflict = try propagate(&work) {
        guard !levelStarts.isEmpty else {
          isContradictory = true
          break
        }
        conflicts += 1
        learn(from: conflict)
      } else if conflicts >= restart {
        conflicts = 0
        restart += restart / 2
        backtrack(to: 0)
      } else if levelStarts.count < assumptions.count {
        let next = assumptions[levelStarts.count]
        if value(next) == -1 { return false }
        levelStarts.append(trail.count)
        if value(next) == 0 { assign(next, because: Self.none) }
      } else if let variable = queue.next(among: values) {
        levelStarts.append(trail.count)
        assign(variable * 2 + (saved[Int(variable)] == 1 ? 0 : 1), because: Self.none)
      } else {
        model = values
        return true
      }
    }
    return false
  }

  // MARK: Propagation

  private func value(_ literal: Literal) -> Int8 {
    let value = values[Int(literal >> 1)]
    return literal & 1 == 0 ? value : -value
  }

  private mutating func append(_ clause: [Literal]) -> Int32 {
    let index = Int32(starts.count - 1)
    literals += clause
    starts.append(literals.count)
    let isPair = clause.count == 2
    watchers.append((index, other: isPair ? clause[1] : Self.none), to: clause[0])
    watchers.append((index, other: isPair ? clause[0] : Self.none), to: clause[1])
    return index
  }

  private mutating func assign(_ literal: Literal, because reason: Int32) {
    let variable = Int(literal >> 1)
    values[variable] = literal & 1 == 0 ? 1 : -1
    levels[variable] = Int32(levelStarts.count)
    reasons[variable] = reason
    trail.append(literal)
  }

  /// Assigns what follows; returns a clause that is false, if there is one.
  private mutating func propagate(_ work: inout SearchWork) throws(SearchLimit) -> Int32? {
    while examined < trail.count {
      let falseLiteral = trail[examined] ^ 1
      examined += 1
      let watching = watchers.range(of: falseLiteral)
      try work.spend(1 + watching.count)
      var kept = watching.lowerBound
      for place in watching {
        let watcher = watchers[place]
        var first = watcher.other
        if first < 0 {
          if moveWatch(of: watcher.clause, from: falseLiteral) { continue }
          first = literals[starts[Int(watcher.clause)]]
        }
        if kept < place { watchers[kept] = watcher }
        kept += 1
        switch value(first) {
        case 1: break
        case 0: assign(first, because: watcher.clause)
        default:
          // What is learned is read in the order of the literals, with the false one as the second.
          if watcher.other >= 0 { _ = moveWatch(of: watcher.clause, from: falseLiteral) }
          watchers.remove(kept..<place + 1, of: falseLiteral)
          return watcher.clause
        }
      }
      if kept < watching.upperBound { watchers.remove(kept..<watching.upperBound, of: falseLiteral) }
    }
    return nil
  }

  /// Watches another literal of the clause, if one is not false. Otherwise the first literal is the only one that can be
  /// true.
  private mutating func moveWatch(of clause: Int32, from falseLiteral: Literal) -> Bool {
    let start = starts[Int(clause)]
    if literals[start] == falseLiteral { literals.swapAt(start, start + 1) }
    if value(literals[start]) == 1 { return false }
    for place in start + 2..<starts[Int(clause) + 1] where value(literals[place]) != -1 {
      literals.swapAt(start + 1, place)
      watchers.append((clause, other: Self.none), to: literals[start + 1])
      return true
    }
    return false
  }

  // MARK: Conflicts

  /// Adds the clause of the first unique implication point, and goes back to where it forces its first literal.
  private mutating func learn(from conflict: Int32) {
    var learned: [Literal] = [0]
    var seen: [Int32] = []
    var open = 0
    var position = trail.count - 1
    var reason = conflict
    var resolved: Literal?
    repeat {
      for literal in literals[starts[Int(reason)]..<starts[Int(reason) + 1]] where literal != resolved {
        let variable = Int(literal >> 1)
        if isSeen[variable] || levels[variable] == 0 { continue }
        isSeen[variable] = true
        seen.append(literal >> 1)
        if Int(levels[variable]) == levelStarts.count { open += 1 } else { learned.append(literal) }
      }
      while !isSeen[Int(trail[position] >> 1)] { position -= 1 }
      let literal = trail[position]
      position -= 1
      resolved = literal
      reason = reasons[Int(literal >> 1)]
      open -= 1
      learned[0] = literal ^ 1
    } while open > 0
    for variable in seen {
      isSeen[Int(variable)] = false
      queue.moveToFront(variable)
    }
    var back = 0
    for place in learned.indices.dropFirst() where Int(levels[Int(learned[place] >> 1)]) > back {
      back = Int(levels[Int(learned[place] >> 1)])
      learned.swapAt(1, place)
    }
    backtrack(to: back)
    assign(learned[0], because: learned.count == 1 ? Self.none : append(learned))
  }

  private mutating func backtrack(to level: Int) {
    guard levelStarts.count > level else { return }
    for literal in trail[levelStarts[level]...] {
      let variable = Int(literal >> 1)
      saved[variable] = values[variable]
      values[variable] = 0
      queue.reopen(literal >> 1)
    }
    trail.removeLast(trail.count - levelStarts[level])
    levelStarts.removeLast(levelStarts.count - level)
    examined = trail.count
  }
}
