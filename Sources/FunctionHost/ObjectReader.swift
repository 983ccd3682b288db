package import JSON

/// Reads the members of one object of a configuration and refuses unknown members.
///
/// Each section has a method in an extension, which returns its settings. A section whose parts depend on its
/// surroundings is first read into a draft.
package struct ObjectReader {
  package let path: String
  private let object: JSONValue
  package let problems: ProblemList
  private var known: [String] = []

  /// Returns `nil` and reports a problem if the value is not an object.
  package init?(_ value: JSONValue, path: String, _ problems: ProblemList) {
    guard value.kind == .object else {
      problems.add(path, "an object is expected")
      return nil
    }
    object = value
    self.path = path
    self.problems = problems
  }

  /// Returns the JSON path of a member.
  package func path(of name: String) -> String { path.isEmpty ? name : path + "." + name }

  package func add(_ name: String, _ message: String) { problems.add(path(of: name), message) }

  package mutating func value(_ name: String) -> JSONValue? {
    known.append(name)
    return object[name]
  }

  package mutating func reader(_ name: String) -> ObjectReader? {
    value(name).flatMap { ObjectReader($0, path: path(of: name), problems) }
  }

  /// A non-empty string.
  package mutating func text(_ name: String) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.text, !text.isEmpty else {
      add(name, "a non-empty string is expected")
      return nil
    }
    return text
  }

  /// A non-empty list of non-empty strings.
  package mutating func texts(_ name: String) -> [String]? {
    guard let value = value(name) else { return nil }
    let texts = value.elements.compactMap { $0.text }
    guard value.kind == .array, !texts.isEmpty, texts.count == Array(value.elements).count,
      !texts.contains(where: { $0.isEmpty })
    else {
      add(name, "a non-empty list of non-empty strings is expected")
      return nil
    }
    return texts
  }

  package mutating func boolean(_ name: String) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let boolean = value.boolean else {
      add(name, "true or false is expected")
      return nil
    }
    return boolean
  }

  package mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let integer = value.number?.integer, range ~= integer else {
      add(name, "a whole number from \(range.lowerBound) to \(range.upperBound) is expected")
      return nil
    }
    return integer
  }

  /// Returns one of the listed words.
  package mutating func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Word.Type
  ) -> Word?
  where Word.RawValue == String {
    guard let value = value(name) else { return nil }
    guard let text = value.text, let word = Word(rawValue: text) else {
      add(name, "one of " + Word.allCases.map { $0.rawValue }.joined(separator: ", ") + " is expected")
      return nil
    }
    return word
  }

  /// Refuses every member that no reader has requested.
  package func finish() {
    for (name, _) in object.members {
      guard let name = name.text, !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        continue
      }
      let hint = Self.nearest(to: name, among: known).map { ", did you mean \"\(known[$0])\"?" } ?? ""
      problems.add(path(of: name), "unknown member" + hint)
    }
  }

  /// Returns the index of the name that is one or two edits away.
  package static func nearest(to name: String, among known: [String]) -> Int? {
    let distances = known.map { distance(Array($0.utf8), Array(name.utf8)) }
    return distances.indices.filter { distances[$0] <= 2 }.min { distances[$0] < distances[$1] }
  }

  /// Returns the Levenshtein distance, ignoring letter case. Names longer than 64 bytes match no member.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    guard right.count <= 64 else { return .max }
    var row = Array(0...right.count)
    for (index, byte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let cost = byte | 0x20 == right[column] | 0x20 ? 0 : 1
        let next = min(row[column + 1] + 1, row[column] + 1, diagonal + cost)
        diagonal = row[column + 1]
        row[column + 1] = next
      }
    }
    return row[right.count]
  }
}
