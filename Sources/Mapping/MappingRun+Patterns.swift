internal import Text

/// The methods of texts that take regular expressions.
extension MappingRun {
  package mutating func pattern(_ value: MappingValue) throws(MappingFailure) -> RegularExpression {
    guard case .text(let text) = value else {
      throw MappingFailure(problem: "a regular expression is no text")
    }
    try charge(reading: text.utf8.count)
    if let known = patterns[ByteString(text)] { return known }
    do throws(RegularExpression.Unknown) {
      let pattern = try RegularExpression(text, &units)
      patterns[ByteString(text)] = pattern
      return pattern
    } catch {
      // The text may be the caller's, so it stays out of the log.
      throw MappingFailure(problem: "a regular expression is invalid or not supported")
    }
  }

  /// Replaces a text wherever it occurs.
  package mutating func replaced(_ text: String, _ old: String, _ new: String) throws(MappingFailure)
    -> String
  {
    let (whole, part, replacement) = (Array(text.utf8), Array(old.utf8), Array(new.utf8))
    guard !part.isEmpty else { throw MappingFailure(problem: "an empty text is replaced") }
    try charge(reading: whole.count + part.count)
    let search = TextSearch(part)
    var result: [UInt8] = []
    var place = 0
    while let next = search.first(in: whole, from: place) {
      try charge(reading: replacement.count)
      result += whole[place..<next]
      result += replacement
      place = next + part.count
      guard result.count <= Self.maximumOutputBytes else {
        throw MappingFailure(problem: "a text has more than 10 MB")
      }
    }
    return String(decoding: result + whole[place...], as: UTF8.self)
  }

  /// Replaces what a pattern matches; `$1` in the replacement is a group, a backslash escapes.
  package mutating func replaced(
    _ text: String, _ pattern: RegularExpression, _ replacement: String, isAll: Bool
  ) throws(MappingFailure) -> String {
    let scalars = Array(text.unicodeScalars)
    let replacement = Array(replacement.unicodeScalars)
    var result: [Unicode.Scalar] = []
    var copied = 0
    for match in try matches(of: pattern, in: scalars, atMost: isAll ? .max : 1) {
      guard let range = match[0] else { continue }
      result += scalars[copied..<range.lowerBound]
      try append(replacement, match, scalars, to: &result)
      copied = range.upperBound
    }
    result += scalars[copied...]
    return String(String.UnicodeScalarView(result))
  }

  private mutating func append(
    _ replacement: [Unicode.Scalar], _ match: RegularExpression.Match, _ text: [Unicode.Scalar],
    to result: inout [Unicode.Scalar]
  ) throws(MappingFailure) {
    try charge(reading: replacement.count)
    var place = 0
    while place < replacement.count {
      guard result.count <= Self.maximumOutputBytes else {
        throw MappingFailure(problem: "a text has more than 10 MB")
      }
      let scalar = replacement[place]
      place += 1
      guard scalar == "\\" || scalar == "$" else {
        result.append(scalar)
        continue
      }
      guard place < replacement.count else {
        throw MappingFailure(problem: "a replacement ends with \(scalar)")
      }
      let next = replacement[place]
      place += 1
      if scalar == "\\" {
        result.append(next)
      } else if let group = Int(String(next)), match.indices.contains(group) {
        if let range = match[group] {
          try charge(reading: range.count)
          result += text[range]
        }
      } else {
        throw MappingFailure(problem: "the group $\(next) of a replacement does not exist")
      }
    }
  }

  /// Splits as Java does: without empty parts at the end, unless there is a limit.
  package mutating func split(_ text: String, _ arguments: [MappingValue]) throws(MappingFailure)
    -> MappingValue
  {
    var most = Int.max
    var keepsEmpty = false
    if arguments.count == 2, case .integer(let limit) = arguments[1], limit != 0 {
      (most, keepsEmpty) = (limit > 0 ? Int(limit) : .max, true)
    }
    let scalars = Array(text.unicodeScalars)
    var parts: [String] = []
    var start = 0
    for match in try matches(of: try pattern(arguments[0]), in: scalars, atMost: most - 1) {
      // An empty match at the start makes no empty part.
      guard let range = match[0], !(range.isEmpty && range.lowerBound == 0) else { continue }
      parts.append(String(String.UnicodeScalarView(scalars[start..<range.lowerBound])))
      start = range.upperBound
    }
    parts.append(String(String.UnicodeScalarView(scalars[start...])))
    if !keepsEmpty { while parts.count > 1, parts.last == "" { parts.removeLast() } }
    return try newList(parts.map { .text($0) })
  }

  package mutating func matches(_ pattern: RegularExpression, _ text: String) throws(MappingFailure) -> Bool {
    let found = pattern.matchesWhole(text, &units)
    try charge(0)
    return found
  }

  private mutating func matches(
    of pattern: RegularExpression, in text: [Unicode.Scalar], atMost most: Int
  ) throws(MappingFailure) -> [RegularExpression.Match] {
    let search = RegularExpression.Search(pattern, text)
    var found: [RegularExpression.Match] = []
    var position = 0
    while position <= text.count, found.count < most, let match = search.first(from: position, &units),
      let range = match[0]
    {
      found.append(match)
      units -= match.count
      position = range.isEmpty ? range.upperBound + 1 : range.upperBound
    }
    try charge(found.count)
    return found
  }
}
