internal import Text
internal import Bytes
package import JSON

/// Removes credentials from texts: by their place, by their value, and by the shape of a JWT.
package struct Redactor {
  private let names: Set<String>
  /// The values in every spelling, the longest first.
  private let spellings: [[UInt8]]
  /// Whether every text is replaced, because there are too many values to search for.
  private let hidesAll: Bool

  /// What stands where a credential was.
  package static let mark = "redacted"

  package init(_ credentials: RequestCredentials) {
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
    let base64 = Base64Text.encoded(Array(value.utf8))
    // Such a value is the same in JSON and percent-encoded.
    if value.utf8.allSatisfy(PercentText.isUnreserved) { return [value, base64] }
    let quoted = String(decoding: JSONTree.string(value).bytes().dropFirst().dropLast(), as: UTF8.self)
    let encoded = PercentText.encoded(value, keeping: "")
    return [
      value, quoted, encoded, encoded.replacingBytes(of: "%20", with: "+"), withLowerCaseDigits(encoded),
      base64,
    ]
  }

  /// Changes only the digits of `%XX`: the other characters keep their case.
  private static func withLowerCaseDigits(_ encoded: String) -> String {
    var digits = 0
    let bytes = encoded.utf8.map { byte in
      let isDigit = digits > 0
      digits = byte == .percent ? 2 : max(0, digits - 1)
      return isDigit ? byte.lowercase : byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Texts

  /// Returns the text without the values of credentials and without JWTs.
  package func text(_ text: String) -> String {
    if hidesAll { return Self.mark }
    var bytes = Array(text.utf8)
    for spelling in spellings { bytes = bytes.bytes(replacing: spelling, by: Array(Self.mark.utf8)) }
    return String(decoding: TokenShape.replaced(in: bytes, with: Self.mark), as: UTF8.self)
  }

  /// Returns a text of no particular request without JWTs.
  package static func withoutTokens(in text: String) -> String {
    String(decoding: TokenShape.replaced(in: Array(text.utf8), with: mark), as: UTF8.self)
  }

  // MARK: JSON

  /// What the names of a value's members mean.
  package enum Place {
    /// An event, a request, or an answer of an authorizer.
    case request
    /// A body of a response.
    case answer
    case claims
    case parameters
  }

  /// Returns the value without credentials.
  ///
  /// - Parameter byName: whether values are removed because of the names of their members, as in events and answers.
  ///   Of claims, only those that are credentials for other services are removed.
  package func tree(_ tree: JSONTree, byName: Bool = true) -> JSONTree {
    self.tree(tree, in: byName ? .request : .claims)
  }

  /// Returns the value of this place without credentials.
  package func tree(_ tree: JSONTree, in place: Place) -> JSONTree {
    hidesAll ? .null : self.tree(tree, place, depth: 0)
  }

  /// The levels of JSON within strings of JSON that are read.
  private static let maximumDepth = 4

  private func tree(_ tree: JSONTree, _ place: Place, depth: Int) -> JSONTree {
    switch tree {
    case .string(let text): return .string(string(text, place, depth: depth))
    case .number(let text): return .number(self.text(text) == text ? text : "0")
    case .array(let elements):
      if elements.count >= 3, case .string(let first) = elements[0], TokenShape.isPart(first) {
        return .array(elements.map(Self.redacted))
      }
      return .array(elements.map { self.tree($0, place, depth: depth) })
    case .object(let members):
      let hasCode = place == .request && tree["grant_type"] != nil
      let isEncoded = place != .claims && tree["isBase64Encoded"] == .boolean(true)
      return .object(
        members.map { member in
          let isHidden =
            isEncoded && member.name == "body" || hasCode && member.name == "code"
            || isName(member.name, place)
          return .init(
            name: text(member.name),
            value: isHidden ? Self.redacted(member.value) : value(of: member, place, depth: depth))
        })
    case .boolean, .null: return tree
    }
  }

  private func value(of member: JSONTree.Member, _ place: Place, depth: Int) -> JSONTree {
    guard place == .request else { return tree(member.value, place, depth: depth) }
    switch (member.name, member.value) {
    case ("rawQueryString", .string(let query)), ("queryString", .string(let query)):
      return .string(self.query(query))
    case ("queryStringParameters", let parameters), ("multiValueQueryStringParameters", let parameters):
      return tree(parameters, .parameters, depth: depth)
    default: return tree(member.value, place, depth: depth)
    }
  }

  private func isName(_ name: String, _ place: Place) -> Bool {
    switch place {
    case .claims: CredentialNames.isCredentialClaim(name)
    case .answer: names.contains(name.lowercased()) || CredentialNames.isCredential(name)
    case .request: names.contains(name.lowercased()) || CredentialNames.isCredentialOfRequest(name)
    case .parameters: names.contains(name.lowercased()) || CredentialNames.isCredentialParameter(name)
    }
  }

  /// Texts may be JSON themselves, such as the body within an event.
  private func string(_ text: String, _ place: Place, depth: Int) -> String {
    guard place != .claims else { return address(text) }
    let first = text.utf8.first
    if depth < Self.maximumDepth, first == .openingBrace || first == UInt8(ascii: "["),
      let inner = try? JSONTree(parsing: Array(text.utf8))
    {
      return String(decoding: tree(inner, place, depth: depth + 1).bytes(), as: UTF8.self)
    }
    return address(text)
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

  /// Returns a query or a form in which the values of credentials are replaced.
  package func query(_ query: String) -> String {
    if hidesAll { return "" }
    if let parts = MultipartText(query) {
      return text(parts.replacing(Self.mark) { isName($0, .parameters) })
    }
    return pairs(query, separator: "&") { isName(PercentText.decoded($0, plusIsBlank: true), .parameters) }
  }

  /// Returns a text. Of an address, the values of credentials in query and fragment are replaced by their names.
  package func address(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "=")), !text.utf8.contains(0x20),
      text.containsBytes(of: "://") || text.utf8.first == UInt8(ascii: "/"),
      let start = text.utf8.firstIndex(where: { $0 == .questionMark || $0 == .numberSign })
    else { return self.text(text) }
    let rest = text[start...]
    let parts = rest.dropFirst(bytes: 1).splitBytes(at: "#", maxSplits: 1, omittingEmptySubsequences: false)
    return self.text(String(text[..<start])) + (rest.hasBytePrefix("?") ? "?" : "#")
      + parts.map { query(String($0)) }.joined(separator: "#")
  }

  /// Returns the cookies of a header without their values, except for placeholders.
  package func cookies(_ header: String) -> String { pairs(header, separator: ";") { _ in true } }

  /// Replaces the values of some names in `a=b&c=d`. A placeholder of an event file stays.
  private func pairs(
    _ text: String, separator: Unicode.Scalar, _ isCredential: (String) -> Bool
  ) -> String {
    text.splitBytes(at: separator, omittingEmptySubsequences: false).map { item in
      guard let sign = item.unicodeScalars.firstIndex(of: "="), !item[sign...].containsBytes(of: "{{"),
        isCredential(String(item[..<sign]))
      else { return self.text(String(item)) }
      return self.text(String(item[..<sign])) + "=" + Self.mark
    }.joined(separator: String(separator))
  }
}
