/// A propositional formula as clauses: each distinct part has one literal.
package struct Formula {
  package typealias Literal = ClauseSolver.Literal

  /// The clauses of all parts.
  package var solver = ClauseSolver()
  /// Always true.
  package let always: Literal
  private var conjunctions: [[Literal]: Literal] = [:]

  /// A formula without a condition.
  package init() {
    always = solver.variable(preferring: true)
    solver.add([always])
  }

  /// Never true.
  package var never: Literal { Self.not(always) }

  /// Returns the literal of a negation.
  package static func not(_ literal: Literal) -> Literal { literal ^ 1 }

  /// Adds that one of these is true.
  package mutating func add(_ literals: [Literal]) { solver.add(literals) }

  /// Adds that the result is true where the condition is.
  package mutating func imply(_ condition: Literal, _ result: Literal) { add([Self.not(condition), result]) }

  /// Returns the literal of a conjunction.
  package mutating func and(_ parts: [Literal]) -> Literal {
    let literals = Set(parts).subtracting([always]).sorted()
    if literals.contains(never) || literals.contains(where: { $0 & 1 == 0 && literals.contains($0 + 1) }) {
      return never
    }
    if literals.count < 2 { return literals.first ?? always }
    if let known = conjunctions[literals] { return known }
    let whole = solver.variable()
    for literal in literals { imply(whole, literal) }
    add([whole] + literals.map(Self.not))
    conjunctions[literals] = whole
    return whole
  }

  /// Returns the literal of a disjunction.
  package mutating func or(_ parts: [Literal]) -> Literal { Self.not(and(parts.map(Self.not))) }

  /// Returns the literal of a choice by a condition.
  package mutating func choose(_ condition: Literal, _ first: Literal, else second: Literal) -> Literal {
    if first == second { return first }
    return or([and([condition, first]), and([Self.not(condition), second])])
  }

  /// Adds that at most one of these is true.
  ///
  /// - Returns: for each of them, whether it or one before it is true.
  @discardableResult
  package mutating func atMostOne(_ literals: [Literal]) -> [Literal] {
    var reached: [Literal] = []
    for literal in literals {
      if let last = reached.last { add([Self.not(last), Self.not(literal)]) }
      reached.append(or([literal] + reached.suffix(1)))
    }
    return reached
  }
}
