internal import Bytes
internal import JSON

/// Removes credentials from texts: by their place, by their value, and by the shape of a JWT.
struct Redactor {
  private let names: Set<String>
  /// The values in every spelling, the longest first.
  private let spellings: [[UInt8]]
  /// Whether every text is replaced, because there are too many values to search for.
  private let hidesAll: Bool

  /// What stands where a credential was.
  static let mark = "redacted"

  init(_ credentials: RequestCredentials) {
    names = credentials.names
    hidesAll = credentials.isExcessive
    guard !hidesAll else {
      spellings = []
      return
    }
    spellings = Set(credentials.values.flatMap(Self.spellings)).map { Array($0.utf8) }
      .sorted { $0.count > $1.count }
  }

  private static func spellings(of value: String) -> [String] {
    let quoted = String(decoding: JSONTree.string(value).bytes().dropFirst().dropLast(), as: UTF8.self)
    return [
      value, quoted, encoded(value), encoded(value, plusIsBlank: true), Base64Text.encoded(Array(value.utf8)),
    ]
    .filter { $0.utf8.count >= RequestCredentials.minimumBytes }
  }

  /// Percent-encodes all but unreserved characters (RFC 3986 section 2.3).
  private static func encoded(_ text: String, plusIsBlank: Bool = false) -> String {
    var output = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        output.unicodeScalars.append(Unicode.Scalar(byte))
      case 0x20 where plusIsBlank: output += "+"
      default: output += "%" + String(decoding: [byte].hexadecimal, as: UTF8.self).uppercased()
      }
    }
    return output
  }

  // MARK: Texts

  /// Returns the text without the values of credentials and without JWTs.
  func text(_ text: String) -> String {
    if hidesAll { return Self.mark }
    var bytes = Array(text.utf8)
    for spelling in spellings where bytes.count >= spelling.count { replace(spelling, in: &bytes) }
    return String(decoding: Self.withoutTokens(bytes), as: UTF8.self)
  }

  private func replace(_ spelling: [UInt8], in bytes: inout [UInt8]) {
    var start = 0
    while let found = bytes[start...].firstRange(of: spelling) {
      bytes.replaceSubrange(found, with: Self.mark.utf8)
      start = found.lowerBound + Self.mark.utf8.count
    }
  }

  /// Returns a text of no particular request without JWTs.
  static func withoutTokens(in text: String) -> String {
    String(decoding: withoutTokens(Array(text.utf8)), as: UTF8.self)
  }

  /// The beginning of every JWT: `{"` in base64url.
  private static let tokenStart = Array("eyJ".utf8)
  /// The shortest text of base64url and dots from there on that counts as a token: our choice.
  private static let tokenBytes = 16

  private static func withoutTokens(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= tokenBytes else { return bytes }
    var output: [UInt8] = []
    var start = 0
    while let found = bytes[start...].firstRange(of: tokenStart) {
      let end = bytes[found.lowerBound...].firstIndex { !isOfToken($0) } ?? bytes.count
      output += bytes[start..<found.lowerBound]
      let isToken = end - found.lowerBound >= tokenBytes && bytes[found.lowerBound..<end].contains(.dot)
      output += isToken ? Array(mark.utf8) : Array(bytes[found.lowerBound..<end])
      start = end
    }
    return start == 0 ? bytes : output + bytes[start...]
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "="):
      true
    default: false
    }
  }

  // MARK: JSON

  /// Returns the value without credentials.
  ///
  /// - Parameter byName: whether values are removed because of the names of their members, as in events and answers.
  ///   Claims say what they are by other names.
  func tree(_ tree: JSONTree, byName: Bool = true) -> JSONTree {
    hidesAll ? .null : self.tree(tree, byName: byName, depth: 0)
  }

  /// The levels of JSON within strings of JSON that are read.
  private static let maximumDepth = 4

  private func tree(_ tree: JSONTree, byName: Bool, depth: Int) -> JSONTree {
    switch tree {
    case .string(let text): return .string(string(text, byName: byName, depth: depth))
    case .number(let text): return .number(self.text(text) == text ? text : "0")
    case .array(let elements):
      return .array(elements.map { self.tree($0, byName: byName, depth: depth) })
    case .object(let members):
      let isEncoded = tree["isBase64Encoded"] == .boolean(true)
      return .object(
        members.map { member in
          let value: JSONTree
          if byName, isEncoded && member.name == "body" || isName(member.name) {
            value = Self.redacted(member.value)
          } else if byName, ["rawQueryString", "queryString"].contains(member.name),
            case .string(let query) = member.value
          {
            value = .string(self.query(query))
          } else {
            value = self.tree(member.value, byName: byName, depth: depth)
          }
          return .init(name: text(member.name), value: value)
        })
    case .boolean, .null: return tree
    }
  }

  private func isName(_ name: String) -> Bool {
    names.contains(name.lowercased()) || CredentialNames.isCredential(name)
  }

  /// Texts may be JSON themselves, such as the body within an event.
  private func string(_ text: String, byName: Bool, depth: Int) -> String {
    let first = text.utf8.first
    if byName, depth < Self.maximumDepth, first == .openingBrace || first == UInt8(ascii: "["),
      let inner = try? JSONTree(parsing: Array(text.utf8))
    {
      return String(
        decoding: tree(inner, byName: true, depth: depth + 1).bytes(), as: UTF8.self)
    }
    return self.text(text)
  }

  /// Returns a value of the same shape without any text of it.
  private static func redacted(_ tree: JSONTree) -> JSONTree {
    switch tree {
    case .string, .number: .string(mark)
    case .array(let elements): .array(elements.map(redacted))
    case .object(let members): .object(members.map { .init(name: $0.name, value: redacted($0.value)) })
    case .boolean, .null: tree
    }
  }

  /// Returns a query in which the values of credentials are replaced.
  func query(_ query: String) -> String {
    if hidesAll { return "" }
    return pairs(query, separator: "&") { isName(PercentText.decoded($0, plusIsBlank: true)) }
  }

  /// Returns the cookies of a header without their values, except for placeholders.
  func cookies(_ header: String) -> String { pairs(header, separator: ";") { _ in true } }

  /// Replaces the values of some names in `a=b&c=d`. A placeholder of an event file stays.
  private func pairs(
    _ text: String, separator: Character, _ isCredential: (String) -> Bool
  ) -> String {
    text.split(separator: separator, omittingEmptySubsequences: false).map { item in
      guard let sign = item.firstIndex(of: "="), !item[sign...].contains("{{"),
        isCredential(String(item[..<sign]))
      else { return self.text(String(item)) }
      return self.text(String(item[..<sign])) + "=" + Self.mark
    }.joined(separator: String(separator))
  }
}
