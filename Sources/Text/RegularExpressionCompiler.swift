/// Translates a pattern into the program of its search.
struct RegularExpressionCompiler {
  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var depth = 0
  private var ignoresCase = false
  private var dotMatchesBreaks = false
  private var isMultiline = false
  private var isLiteral = true
  private var literalText = ""
  /// The number of groups that capture, without the whole match.
  private(set) var captureCount = 0
  /// The work so far: characters, and instructions that were moved.
  private(set) var work: Int

  private typealias Instruction = RegularExpression.Instruction

  /// Maximum nesting of groups: our limit.
  private static let maximumDepth = 32
  /// The maximum of a counted repetition: our limit.
  private static let maximumRepetitions = 200

  /// The maximum work: our limit.
  private static let maximumWork = 4_000_000

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    work = scalars.count
  }

  /// The text that the pattern matches, if it has no operators.
  var literal: String? { isLiteral && !literalText.isEmpty ? literalText : nil }

  mutating func compile() throws(RegularExpression.Unknown) -> [RegularExpression.Instruction] {
    try readFlags()
    let body = try alternatives()
    guard index == scalars.count else { throw unknown("a ) has no (") }
    return try limited([.save(0)] + Self.moved(body, by: 1) + [.save(1), .match])
  }

  private mutating func readFlags() throws(RegularExpression.Unknown) {
    guard starts(with: "(?"), index + 2 < scalars.count, "ism".unicodeScalars.contains(scalars[index + 2])
    else { return }
    isLiteral = false
    index += 2
    while let scalar = next(), scalar != ")" {
      switch scalar {
      case "i": ignoresCase = true
      case "s": dotMatchesBreaks = true
      case "m": isMultiline = true
      default: throw unknown("the flag \(scalar) is not known")
      }
    }
  }

  // MARK: Structure

  private mutating func alternatives() throws(RegularExpression.Unknown) -> [Instruction] {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else {
      throw unknown("groups are nested more than \(Self.maximumDepth) deep")
    }
    var result = try sequence()
    while peek == "|" {
      isLiteral = false
      index += 1
      let other = try sequence()
      // split, first, jump behind, second
      let first = [.split(1, result.count + 2)] + Self.moved(result, by: 1)
      result = try limited(
        first + [.jump(first.count + 1 + other.count)] + Self.moved(other, by: first.count + 1))
    }
    return result
  }

  private mutating func sequence() throws(RegularExpression.Unknown) -> [Instruction] {
    var result: [Instruction] = []
    while let scalar = peek, scalar != "|", scalar != ")" {
      let atom = try atom()
      let repeated = try repeated(atom)
      result += Self.moved(repeated, by: result.count)
      work += repeated.count
      guard result.count <= RegularExpression.maximumInstructions else {
        throw unknown("the pattern is too large")
      }
    }
    return result
  }

  private mutating func repeated(_ atom: [Instruction]) throws(RegularExpression.Unknown) -> [Instruction] {
    var (least, most): (Int, Int?) = (1, 1)
    switch peek {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{": (least, most) = try counts()
    default: return atom
    }
    isLiteral = false
    index += 1
    if peek == "+" { throw unknown("possessive quantifiers are not known") }
    let isLazy = peek == "?"
    if isLazy { index += 1 }
    var result: [Instruction] = []
    for _ in 0..<least { result = try limited(result + Self.moved(atom, by: result.count)) }
    if let most {
      guard most >= least else { throw unknown("a repetition has its maximum below its minimum") }
      for _ in least..<most {
        let start = result.count
        let end = start + 1 + atom.count
        result.append(isLazy ? .split(end, start + 1) : .split(start + 1, end))
        result = try limited(result + Self.moved(atom, by: start + 1))
      }
      return result
    }
    let start = result.count
    let end = start + atom.count + 2
    result.append(isLazy ? .split(end, start + 1) : .split(start + 1, end))
    return try limited(result + Self.moved(atom, by: start + 1) + [.jump(start)])
  }

  /// Reads `{2}`, `{2,}` or `{2,5}` up to its closing brace.
  private mutating func counts() throws(RegularExpression.Unknown) -> (Int, Int?) {
    index += 1
    guard let end = scalars[index...].firstIndex(where: { $0 == "}" }) else { throw unknown("a { has no }") }
    let text = String(String.UnicodeScalarView(scalars[index..<end]))
    index = end
    let parts = text.splitBytes(at: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2, let least = Int(parts[0]), (0...Self.maximumRepetitions).contains(least) else {
      throw unknown("the repetition {\(text)} is not known")
    }
    if parts.count == 1 { return (least, least) }
    if parts[1].isEmpty { return (least, nil) }
    guard let most = Int(parts[1]), (0...Self.maximumRepetitions).contains(most) else {
      throw unknown("the repetition {\(text)} is not known")
    }
    return (least, most)
  }

  // MARK: Atoms

  private mutating func atom() throws(RegularExpression.Unknown) -> [Instruction] {
    guard let scalar = next() else { throw unknown("the pattern ends too early") }
    if !"([.^$\\*+?{".unicodeScalars.contains(scalar) {
      literalText.unicodeScalars.append(scalar)
      return [.scalar(set([scalar.value...scalar.value]))]
    }
    if scalar == "\\" { return [try escape()] }
    isLiteral = false
    switch scalar {
    case "(": return try group()
    case "[": return [.scalar(try bracket())]
    case ".": return [.scalar(dotMatchesBreaks ? Self.everything : Self.notBreak)]
    case "^": return [.assertion(isMultiline ? .lineStart : .textStart)]
    case "$": return [.assertion(isMultiline ? .lineEnd : .textEndBeforeBreak)]
    default: throw unknown("\(scalar) repeats nothing")
    }
  }

  private mutating func group() throws(RegularExpression.Unknown) -> [Instruction] {
    var number: Int?
    if starts(with: "?:") {
      index += 2
    } else if peek == "?" {
      throw unknown("(? is known as (?: only, and flags at the start")
    } else {
      captureCount += 1
      number = captureCount
    }
    let body = try alternatives()
    guard next() == ")" else { throw unknown("a ( has no )") }
    guard let number else { return body }
    return [.save(2 * number)] + Self.moved(body, by: 1) + [.save(2 * number + 1)]
  }

  private mutating func escape() throws(RegularExpression.Unknown) -> Instruction {
    guard let scalar = next() else { throw unknown("the pattern ends with \\") }
    switch scalar {
    case "b", "B":
      isLiteral = false
      return .assertion(.wordBoundary(scalar == "b"))
    case "A", "z", "Z":
      isLiteral = false
      return .assertion(scalar == "A" ? .textStart : scalar == "z" ? .textEnd : .textEndBeforeBreak)
    default: break
    }
    if let known = Self.escapedSet(scalar) {
      isLiteral = false
      return .scalar(known)
    }
    let value = try escapedScalar(scalar)
    if let found = Unicode.Scalar(value) { literalText.unicodeScalars.append(found) }
    return .scalar(set([value...value]))
  }

  private mutating func escapedScalar(_ scalar: Unicode.Scalar) throws(RegularExpression.Unknown) -> UInt32 {
    switch scalar {
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "f": return 0x0C
    case "u", "x":
      let count = scalar == "u" ? 4 : 2
      let digits = String(String.UnicodeScalarView(scalars[index...].prefix(count)))
      guard digits.unicodeScalars.count == count, let value = UInt32(digits, radix: 16),
        Unicode.Scalar(value) != nil
      else { throw unknown("\\\(scalar) needs \(count) hexadecimal digits") }
      index += count
      return value
    default:
      guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
        throw unknown("\\\(scalar) is not known")
      }
      return scalar.value
    }
  }

  /// Reads a character class behind its opening bracket.
  private mutating func bracket() throws(RegularExpression.Unknown) -> RegularExpression.ScalarSet {
    var result = set([])
    if peek == "^" {
      result.isNegated = true
      index += 1
    }
    var isFirst = true
    while let scalar = next(), scalar != "]" || isFirst {
      isFirst = false
      if scalar == "[" || starts(with: "&&") { throw unknown("nested classes are not known") }
      var lower = scalar.value
      if scalar == "\\" {
        guard let escaped = next() else { throw unknown("a [ has no ]") }
        if let known = Self.escapedSet(escaped) {
          result.ranges += known.isNegated ? Self.complement(known.ranges) : known.ranges
          continue
        }
        lower = try escapedScalar(escaped)
      }
      guard peek == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
        result.ranges.append(lower...lower)
        continue
      }
      index += 1
      guard let end = next() else { throw unknown("a [ has no ]") }
      let upper = end == "\\" ? try escapedScalar(next() ?? "\\") : end.value
      guard upper >= lower else { throw unknown("a range of a class ends before it begins") }
      result.ranges.append(lower...upper)
    }
    guard index > 0, scalars[index - 1] == "]" else { throw unknown("a [ has no ]") }
    return result
  }

  // MARK: Sets

  private func set(_ ranges: [ClosedRange<UInt32>]) -> RegularExpression.ScalarSet {
    RegularExpression.ScalarSet(ranges: ranges, ignoresCase: ignoresCase)
  }

  private static let everything = RegularExpression.ScalarSet(isNegated: true)
  /// Java's line terminators.
  private static let notBreak = RegularExpression.ScalarSet(
    ranges: [0x0A...0x0A, 0x0D...0x0D, 0x85...0x85, 0x2028...0x2029], isNegated: true)

  private static func escapedSet(_ scalar: Unicode.Scalar) -> RegularExpression.ScalarSet? {
    switch scalar {
    case "d", "D": RegularExpression.ScalarSet(ranges: [0x30...0x39], isNegated: scalar == "D")
    case "w", "W":
      RegularExpression.ScalarSet(
        ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A], isNegated: scalar == "W")
    case "s", "S": RegularExpression.ScalarSet(ranges: [0x09...0x0D, 0x20...0x20], isNegated: scalar == "S")
    default: nil
    }
  }

  /// The characters that are in none of these ascending ranges.
  private static func complement(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    var start: UInt32 = 0
    for range in ranges {
      if range.lowerBound > start { result.append(start...(range.lowerBound - 1)) }
      start = range.upperBound + 1
    }
    return result + [start...0x10FFFF]
  }

  // MARK: Places

  /// Returns instructions for another index in the program.
  private static func moved(_ code: [Instruction], by distance: Int) -> [Instruction] {
    code.map { instruction in
      switch instruction {
      case .split(let first, let second): .split(first + distance, second + distance)
      case .jump(let target): .jump(target + distance)
      case .scalar, .save, .assertion, .match: instruction
      }
    }
  }

  private mutating func limited(_ code: [Instruction]) throws(RegularExpression.Unknown) -> [Instruction] {
    work += code.count
    guard code.count <= RegularExpression.maximumInstructions, work <= Self.maximumWork else {
      throw unknown("the pattern is too large")
    }
    return code
  }

  private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private mutating func next() -> Unicode.Scalar? {
    guard let scalar = peek else { return nil }
    index += 1
    return scalar
  }

  private func starts(with text: String) -> Bool { scalars[index...].starts(with: text.unicodeScalars) }

  private func unknown(_ problem: String) -> RegularExpression.Unknown {
    RegularExpression.Unknown(problem: "the pattern \(String(String.UnicodeScalarView(scalars))): \(problem)")
  }
}
