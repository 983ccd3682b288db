/// A regular expression as Java writes it, whose search takes time in proportion to the text.
///
/// Templates and their callers choose patterns and texts, so a search must not take exponential time as a
/// backtracking one may. Look-around, back references and possessive quantifiers are not supported.
package struct RegularExpression: Equatable, Sendable {
  /// As written.
  package let text: String
  /// The text that it matches, if it has no operators.
  package let literal: String?
  package let program: [Instruction]
  let captureCount: Int

  package enum Instruction: Equatable, Sendable {
    case scalar(ScalarSet)
    /// Continues at both places; the first is preferred.
    case split(Int, Int)
    case jump(Int)
    /// Remembers the position in this slot.
    case save(Int)
    case assertion(Assertion)
    case match
  }

  package enum Assertion: Equatable, Sendable {
    case textStart, textEnd, textEndBeforeBreak, lineStart, lineEnd
    case wordBoundary(Bool)
  }

  /// A pattern that is invalid or not supported.
  package struct Unknown: Error, Equatable {
    /// The problem, in lower case.
    package let problem: String
  }

  /// The maximum number of instructions: our limit, far more than any pattern of a template.
  static let maximumInstructions = 1000

  /// The maximum number of characters of a pattern: our limit.
  package static let maximumTextBytes = 10_000

  package init(_ text: String) throws(Unknown) {
    var units = Self.maximumUnits
    try self.init(text, &units)
  }

  /// Compiles a pattern, and takes the work from the remaining units.
  package init(_ text: String, _ units: inout Int) throws(Unknown) {
    guard text.utf8.count <= Self.maximumTextBytes else {
      throw Unknown(problem: "a pattern has more than \(Self.maximumTextBytes) bytes")
    }
    self.text = text
    var compiler = RegularExpressionCompiler(text)
    defer { units -= compiler.work / 4 }
    program = try compiler.compile()
    captureCount = compiler.captureCount
    literal = compiler.literal
  }

  /// The maximum work of one match: our limit, about a second.
  package static let maximumUnits = 10_000_000

  /// Compares the bytes: patterns of one canonical form may match different texts.
  package static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Whether the whole text matches; a match that takes too long is none.
  package func matchesWhole(_ text: String) -> Bool {
    var units = Self.maximumUnits
    return matchesWhole(text, &units)
  }

  /// Whether a part of the text matches; a match that takes too long is none.
  func matchesPart(of text: String) -> Bool {
    var units = Self.maximumUnits
    return Search(self, Array(text.unicodeScalars), isWhole: false).first(from: 0, &units) != nil
  }

  package func matchesWhole(_ text: String, _ units: inout Int) -> Bool {
    let search = Search(self, Array(text.unicodeScalars), isWhole: true)
    return search.first(from: 0, &units) != nil
  }

  package struct ScalarSet: Equatable, Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false
    var ignoresCase = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      if ignoresCase, let other = Self.otherCase(scalar), holds(other) { return !isNegated }
      return holds(scalar.value) != isNegated
    }

    private func holds(_ value: UInt32) -> Bool { ranges.contains { $0.contains(value) } }

    /// Java ignores the case of ASCII letters only, unless a flag says otherwise.
    private static func otherCase(_ scalar: Unicode.Scalar) -> UInt32? {
      switch scalar {
      case "a"..."z": scalar.value - 32
      case "A"..."Z": scalar.value + 32
      default: nil
      }
    }
  }
}
