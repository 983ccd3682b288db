import Bytes

/// A `Cookie` header as the most lenient parser reads it, since we cannot know which of two cookies a backend reads.
enum CookieLine {
  /// Returns the values of all cookies with this name; `nil` for one that only some parsers see.
  static func values(_ name: String, in lines: [[UInt8]?]) -> [[UInt8]?] {
    var values: [[UInt8]?] = []
    for line in lines {
      guard let line else { continue }
      for pair in line.split(separator: .semicolon) {
        let value = value(of: name, in: pair)
        if let value { values.append(value) }
        // The first name follows RFC 6265, unless it is surrounded by characters that not every parser strips.
        let first = pair.firstIndex(of: .equalsSign)
        for equals in pair.indices where pair[equals] == .equalsSign && ends(pair[..<equals], with: name) {
          if value == nil || equals != first { values.append(nil) }
        }
      }
    }
    return values
  }

  /// Whether a line has this name without an equals sign: browsers send a cookie with a name and no value, or with a
  /// value and no name, as one word. No parser finds a credential in it, but the caller has sent something.
  static func hasBare(_ name: String, in lines: [[UInt8]?]) -> Bool {
    for line in lines {
      guard let line else { continue }
      for part in line.split(whereSeparator: { $0 == .semicolon || $0 == .comma }) {
        if part.contains(.equalsSign) { continue }
        if bare(part).elementsEqual(name.utf8) || ends(part, with: name) { return true }
      }
    }
    return false
  }

  /// Whether some parser would see this name, quoted or not, end here. RFC 2109 parsers end a cookie at a comma, and
  /// a proxy may join two headers with a comma. Python's `SimpleCookie` ends a value at a blank. JavaScript's `trim`
  /// strips Unicode blanks, whose UTF-8 bytes are all 0x80 or above.
  private static func ends(_ text: ArraySlice<UInt8>, with name: String) -> Bool {
    var rest = text
    while let byte = rest.last, isBetween(byte) { rest = rest.dropLast() }
    let isQuoted = rest.last == .quote
    if isQuoted { rest = rest.dropLast() }
    guard rest.suffix(name.utf8.count).elementsEqual(name.utf8) else { return false }
    rest = rest.dropLast(name.utf8.count)
    if isQuoted {
      guard rest.last == .quote else { return false }
      rest = rest.dropLast()
    }
    return rest.last.map(isBetween) ?? true
  }

  private static func isBetween(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == .comma || byte >= 0x7F }

  /// Returns the value if the name matches: strips blanks around both (RFC 6265 section 5.2), then quotes (section
  /// 4.1.1, which allows them around a value).
  private static func value(of name: String, in pair: ArraySlice<UInt8>) -> [UInt8]? {
    guard let equals = pair.firstIndex(of: .equalsSign), bare(pair[..<equals]).elementsEqual(name.utf8) else {
      return nil
    }
    return Array(bare(pair[(equals + 1)...]))
  }

  private static func bare(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let trimmed = trimmed(text)
    guard trimmed.count >= 2, trimmed.first == .quote, trimmed.last == .quote else { return trimmed }
    return Self.trimmed(trimmed.dropFirst().dropLast())
  }

  /// Returns the text without ASCII white space at either end.
  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text
    while let byte = text.first, isBlank(byte) { text = text.dropFirst() }
    while let byte = text.last, isBlank(byte) { text = text.dropLast() }
    return text
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == .space || 0x09...0x0D ~= byte }
}
