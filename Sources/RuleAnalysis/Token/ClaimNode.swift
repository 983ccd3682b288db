internal import Authorizer
internal import Satisfiability

/// One place in the claims of a token: a member of the payload, or of an object in it, and what conditions can tell of its
/// value.
struct ClaimNode {
  typealias Literal = Formula.Literal
  typealias Scalar = ClaimRequirement.Scalar

  /// What a value is, as far as any condition can tell.
  ///
  /// In the order in which a search tries them, so that examples are simple.
  enum Kind: Int, CaseIterable {
    case absent, text, integer, yes, no, array, object, null
    /// A number that is no `Int64`.
    case number
  }

  /// The names from the payload down.
  let location: [[UInt8]]
  let parent: Int?
  var children: [Int] = []

  // What conditions compare with.
  var literals: Set<[UInt8]> = []
  var prefixes: Set<[UInt8]> = []
  var suffixes: Set<[UInt8]> = []
  var integers: Set<Int64> = []
  var elements: Set<Scalar> = []
  /// The scopes that are read from it.
  var scopes: Set<[UInt8]> = []

  // The literals of the formula.
  private(set) var kinds: [Literal] = []
  private(set) var texts: [[UInt8]: Literal] = [:]
  private(set) var starts: [[UInt8]: Literal] = [:]
  private(set) var ends: [[UInt8]: Literal] = [:]
  private(set) var values: [(value: Int64, literal: Literal)] = []
  private(set) var members: [(element: Element, literal: Literal)] = []
  /// The scopes in a text.
  private(set) var held: [[UInt8]: Literal] = [:]
  /// The scopes in a text that is none of the literals.
  private(set) var free: [[UInt8]: Literal] = [:]
  /// All that the value depends on, except for the members of an object.
  private(set) var decisive: [Literal] = []

  /// An element of an array.
  enum Element: Hashable {
    case scalar(Scalar)
    case otherText, otherInteger
    /// An element that no condition compares with.
    case other
  }

  init(location: [[UInt8]], parent: Int?) {
    self.location = location
    self.parent = parent
  }

  subscript(kind: Kind) -> Literal { kinds[kind.rawValue] }

  /// Whether the value is text that no condition names.
  func isOtherText(_ formula: inout Formula) -> Literal {
    formula.and([self[.text]] + texts.values.sorted().map(Formula.not))
  }

  // MARK: The formula

  /// Adds the variables of this place, and what holds for every value.
  mutating func declare(in formula: inout Formula) {
    kinds = Kind.allCases.map { _ in formula.solver.variable(preferring: true) }
    formula.atMostOne(kinds)
    formula.add(kinds)
    declareTexts(&formula)
    declareIntegers(&formula)
    declareElements(&formula)
    declareScopes(&formula)
    decisive = kinds + Array(texts.values) + Array(starts.values) + Array(ends.values)
    decisive += values.map(\.literal) + members.map(\.literal) + Array(free.values)
  }

  private mutating func declareTexts(_ formula: inout Formula) {
    for text in literals.sorted(by: precedes) { texts[text] = formula.solver.variable() }
    for text in prefixes.sorted(by: precedes) { starts[text] = formula.solver.variable() }
    for text in suffixes.sorted(by: precedes) { ends[text] = formula.solver.variable() }
    for literal in (Array(texts.values) + starts.values + ends.values).sorted() {
      formula.imply(literal, self[.text])
    }
    Self.order(starts.map { ($0.key, $0.value) }, texts.map { ($0.key, $0.value) }, &formula)
    Self.order(
      ends.map { (Array($0.key.reversed()), $0.value) },
      texts.map { (Array($0.key.reversed()), $0.value) }, &formula)
    if starts.isEmpty { formula.atMostOne(texts.keys.sorted(by: precedes).compactMap { texts[$0] }) }
  }

  /// Adds that a text begins with each beginning of its beginning and with no other: the texts form a tree, and at most one
  /// child of each node holds.
  private static func order(
    _ beginnings: [(bytes: [UInt8], literal: Literal)], _ texts: [(bytes: [UInt8], literal: Literal)],
    _ formula: inout Formula
  ) {
    guard !beginnings.isEmpty else { return }
    var all: [(bytes: [UInt8], literal: Literal, isBeginning: Bool)] = beginnings.map {
      ($0.bytes, $0.literal, true)
    }
    for text in texts { all.append((text.bytes, text.literal, false)) }
    all.sort { $0.bytes == $1.bytes ? $0.isBeginning && !$1.isBeginning : precedes($0.bytes, $1.bytes) }
    var open: [(bytes: [UInt8], literal: Literal)] = []
    var children: [Literal: [Literal]] = [:]
    for (bytes, literal, isBeginning) in all {
      while let last = open.last, !bytes.starts(with: last.bytes) { open.removeLast() }
      if let last = open.last { formula.imply(literal, last.literal) }
      children[open.last?.literal ?? formula.always, default: []].append(literal)
      if isBeginning { open.append((bytes, literal)) }
    }
    for (_, siblings) in children.sorted(by: { $0.key < $1.key }) { formula.atMostOne(siblings) }
  }

  private mutating func declareIntegers(_ formula: inout Formula) {
    var other: Int64 = 7
    while integers.contains(other) { other += 1 }
    values = (integers.sorted() + [other]).map { ($0, formula.solver.variable()) }
    for value in values { formula.imply(value.literal, self[.integer]) }
    formula.atMostOne(values.map(\.literal))
    formula.add([Formula.not(self[.integer])] + values.map(\.literal))
  }

  private mutating func declareElements(_ formula: inout Formula) {
    guard !elements.isEmpty || !scopes.isEmpty else { return }
    var all = elements.union(scopes.map { .text($0) }).sorted(by: precedes).map { Element.scalar($0) }
    all += [.otherText, .otherInteger, .other]
    for boolean in [true, false] where !elements.contains(.boolean(boolean)) {
      all.append(.scalar(.boolean(boolean)))
    }
    members = all.map { ($0, formula.solver.variable()) }
    for member in members { formula.imply(member.literal, self[.array]) }
  }

  /// Adds which scopes a text holds. A text that is none of the literals may hold any scopes beside those that its beginning
  /// and its end hold.
  private mutating func declareScopes(_ formula: inout Formula) {
    guard !scopes.isEmpty else { return }
    let other = isOtherText(&formula)
    for scope in scopes.sorted(by: precedes) {
      let own = formula.solver.variable()
      formula.imply(own, other)
      free[scope] = own
      let holding = texts.filter { Self.words($0.key).contains(scope) }.values.sorted()
      let literal = formula.or(holding + [own])
      held[scope] = literal
      for (text, start) in starts.inOrder where Self.words(text, isOpenAtEnd: true).contains(scope) {
        formula.imply(start, literal)
      }
      for (text, end) in ends.inOrder where Self.words(text, isOpenAtStart: true).contains(scope) {
        formula.imply(end, literal)
      }
    }
  }

  /// Returns the scopes in a text, without a first or last one that may go on.
  private static func words(
    _ text: [UInt8], isOpenAtStart: Bool = false, isOpenAtEnd: Bool = false
  ) -> [[UInt8]] {
    var words = text.split(separator: 0x20, omittingEmptySubsequences: false).map { Array($0) }
    if isOpenAtStart { words.removeFirst() }
    if isOpenAtEnd { words.removeLast() }
    return words
  }

  /// The scopes of all text elements.
  func elementHolds(_ scope: [UInt8]) -> Literal? {
    members.first { $0.element == .scalar(.text(scope)) }?.literal
  }

  /// The elements that are no texts.
  var foreignMembers: [Literal] {
    members.filter {
      switch $0.element {
      case .scalar(.text), .otherText: false
      default: true
      }
    }.map(\.literal)
  }
}

extension [[UInt8]: ClauseSolver.Literal] {
  /// The texts and their literals in an order that is the same in each run.
  var inOrder: [Element] { sorted { $0.value < $1.value } }
}

/// Whether a text is before another one, by bytes.
func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

/// Whether a value is before another one: texts, integers, booleans.
private func precedes(_ left: ClaimRequirement.Scalar, _ right: ClaimRequirement.Scalar) -> Bool {
  switch (left, right) {
  case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
  case (.integer(let left), .integer(let right)): left < right
  case (.boolean(let left), .boolean(let right)): !left && right
  case (.text, _), (.integer, .boolean): true
  case (_, .text), (.boolean, .integer): false
  }
}
