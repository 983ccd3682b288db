import JSON

/// Who may send which MCP request, by section 3.
enum TableTools {
  @Sendable static func answer(_ one: ToolCase) -> ToolAnswer {
    let onPath = Rule.list(one.rules, at: one.path)
    let onVerb = onPath.filter { $0.has(verb: one.verb) }
    guard onPath.contains(where: \.isNaming) else {
      return answered(reason: refusal(by: onVerb, ifNone: "noRule", one), tools: nil)
    }
    // Nothing grants OPTIONS on a tool route.
    let usable = TableRequirements.isSame(one.verb, "OPTIONS") ? [] : onVerb
    let tools = callableTools(usable, one)
    guard let request = HeaderLines(one.headers).request else {
      return answered(reason: "mcpHeaders", tools: tools)
    }
    guard case .naming(let method, let name) = request, isClosed(method, onPath) else {
      let others = usable.filter { !$0.isNaming }
      return answered(reason: refusal(by: others, ifNone: "noRule", one), tools: tools)
    }
    let rules = isUnsafe(name, method, usable) ? [] : usable.filter { $0.names(name, method) }
    return answered(reason: refusal(by: rules, ifNone: "toolNotAllowed", one), tools: tools)
  }

  private static func answered(reason: String?, tools: [String]?) -> ToolAnswer {
    ToolAnswer(isAllowed: reason == nil, reason: reason, callableTools: tools)
  }

  /// Why none of these rules grants the request; nil if one does.
  private static func refusal(by rules: [Rule], ifNone: String, _ one: ToolCase) -> String? {
    guard !rules.contains(where: \.isDenying) else { return ifNone }
    var first: String?
    for rule in rules where rule.isGranting {
      guard let reason = rule.unmetReason(one) else { return nil }
      first = first ?? reason
    }
    return first ?? ifNone
  }

  /// Whether only rules that name the call's subject grant this method here.
  private static func isClosed(_ method: NamingMethod, _ onPath: [Rule]) -> Bool {
    method == .callTool || onPath.contains { $0.patterns[method] != nil }
  }

  /// Whether a pattern with `*` matches a resource that such a pattern must not reach.
  private static func isUnsafe(_ name: [UInt8], _ method: NamingMethod, _ rules: [Rule]) -> Bool {
    guard method == .readResource, !ResourceURI.isPlain(name) else { return false }
    let patterns = rules.flatMap { $0.patterns[method] ?? [] }
    return patterns.contains { Pattern($0).hasStar && Pattern($0).matches(name) }
  }

  /// The patterns of tools of all rules that the caller meets; nil if they are too long for the context.
  private static func callableTools(_ rules: [Rule], _ one: ToolCase) -> [String]? {
    var tools: [String] = []
    for rule in rules where rule.isGranting {
      guard let patterns = rule.patterns[.callTool], rule.unmetReason(one) == nil else { continue }
      for pattern in patterns where !tools.contains(where: { TableRequirements.isSame($0, pattern) }) {
        tools.append(pattern)
      }
    }
    let size = JSONTree.array(tools.map { .string($0) }).bytes().count
    return size > 2048 ? nil : tools
  }
}

// MARK: - Rules

/// The methods whose requests name something.
private enum NamingMethod: String, CaseIterable {
  case callTool = "tools/call"
  case readResource = "resources/read"
  case getPrompt = "prompts/get"

  /// The member of a rule that lists what it grants.
  var member: String {
    switch self {
    case .callTool: "tools"
    case .readResource: "resources"
    case .getPrompt: "prompts"
    }
  }
}

/// One rule, as it stands for one path.
private struct Rule {
  /// The verbs of its routes with this path.
  let verbs: [String]
  let allow: JSONTree?
  let require: JSONTree?
  /// The patterns, for each of the three that the rule names.
  let patterns: [NamingMethod: [String]]

  /// The rules that have a route with this path.
  static func list(_ rules: JSONTree, at path: String) -> [Rule] {
    guard case .array(let elements) = rules else { return [] }
    return elements.map { Rule($0, at: path) }.filter { !$0.verbs.isEmpty }
  }

  private init(_ tree: JSONTree, at path: String) {
    verbs = Rule.texts(TableRequirements.member("routes", of: tree)).compactMap {
      Rule.verb(ofRoute: $0, at: path)
    }
    allow = TableRequirements.member("allow", of: tree)
    require = TableRequirements.member("require", of: tree)
    var patterns: [NamingMethod: [String]] = [:]
    for method in NamingMethod.allCases {
      guard let list = TableRequirements.member(method.member, of: tree) else { continue }
      patterns[method] = Rule.texts(list)
    }
    self.patterns = patterns
  }

  var isNaming: Bool { !patterns.isEmpty }
  var isGranting: Bool { allow == .boolean(true) }
  var isDenying: Bool { allow == .boolean(false) }

  func has(verb: String) -> Bool {
    verbs.contains { TableRequirements.isSame($0, "*") || TableRequirements.isSame($0, verb) }
  }

  func names(_ name: [UInt8], _ method: NamingMethod) -> Bool {
    (patterns[method] ?? []).contains { Pattern($0).matches(name) }
  }

  /// Why the caller does not meet the rule; nil if they do.
  func unmetReason(_ one: ToolCase) -> String? {
    guard let require else { return nil }
    let answer = one.requirement(require)
    return answer.truth == .met ? nil : answer.reason ?? "claimNotAllowed"
  }

  /// The verb of a route "VERB /path" with exactly this path.
  private static func verb(ofRoute route: String, at path: String) -> String? {
    let halves = route.utf8.split(
      separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, halves[1].elementsEqual(path.utf8) else { return nil }
    return String(decoding: halves[0], as: UTF8.self)
  }

  private static func texts(_ tree: JSONTree?) -> [String] {
    guard case .array(let elements)? = tree else { return [] }
    return elements.compactMap { element in
      if case .string(let text) = element { text } else { nil }
    }
  }
}

/// A pattern of bytes, where `*` is any run of bytes, also an empty one.
private struct Pattern {
  /// What stands between the stars, from first to last.
  private let pieces: [[UInt8]]

  init(_ written: String) {
    let star = UInt8(ascii: "*")
    pieces = written.utf8.split(separator: star, omittingEmptySubsequences: false).map { Array($0) }
  }

  var hasStar: Bool { pieces.count > 1 }

  /// The first piece begins the name, the last one ends it, those between follow as early as they can.
  func matches(_ name: [UInt8]) -> Bool {
    guard let first = pieces.first, let last = pieces.last, hasStar else { return pieces.first == name }
    guard name.count >= first.count + last.count, name.starts(with: first) else { return false }
    guard name.suffix(last.count).elementsEqual(last) else { return false }
    var rest = name[first.count..<(name.count - last.count)]
    for piece in pieces.dropFirst().dropLast() {
      guard let end = Pattern.end(of: piece, in: rest) else { return false }
      rest = rest[end...]
    }
    return true
  }

  /// Where the first occurrence of the piece ends.
  private static func end(of piece: [UInt8], in rest: ArraySlice<UInt8>) -> Int? {
    guard rest.count >= piece.count else { return nil }
    let starts = rest.startIndex...(rest.endIndex - piece.count)
    return starts.first { rest[$0...].starts(with: piece) }.map { $0 + piece.count }
  }
}

// MARK: - Resources

private enum ResourceURI {
  /// Whether the URI is free of dot segments, `%25`, `%00` and backslashes.
  static func isPlain(_ uri: [UInt8]) -> Bool {
    guard !uri.contains(UInt8(ascii: "\\")) else { return false }
    guard !Pattern("*%25*").matches(uri), !Pattern("*%00*").matches(uri) else { return false }
    let separators = Array("/\\?#:;".utf8)
    let segments = decoded(uri).split { separators.contains($0) }
    return !segments.contains { isDots($0) }
  }

  /// One or two dots, whatever spaces stand around them.
  private static func isDots(_ segment: ArraySlice<UInt8>) -> Bool {
    let space = UInt8(ascii: " ")
    let start = segment.drop { $0 == space }
    let dots = start.reversed().drop { $0 == space }
    return (1...2).contains(dots.count) && dots.allSatisfy { $0 == UInt8(ascii: ".") }
  }

  /// The bytes with each `%XX` decoded once.
  private static func decoded(_ uri: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = 0
    while index < uri.count {
      let isEscape = uri[index] == UInt8(ascii: "%") && index + 2 < uri.count
      if isEscape, let high = digit(uri[index + 1]), let low = digit(uri[index + 2]) {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(uri[index])
        index += 1
      }
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    let digits = Array("0123456789abcdef".utf8)
    return digits.firstIndex(of: HeaderLines.lowercased(byte)).map { UInt8($0) }
  }
}

// MARK: - Headers

/// What the headers of a request ask for.
private enum MCPRequest {
  case naming(NamingMethod, [UInt8])
  case other
}

/// The header lines of a request on a tool route.
private struct HeaderLines {
  private static let version = Array("mcp-protocol-version".utf8)
  private static let method = Array("mcp-method".utf8)
  private static let name = Array("mcp-name".utf8)
  private static let knownVersions = ["2026-07-28"]

  private let lines: [(name: [UInt8], value: [UInt8])]

  init(_ headers: [(name: String, value: String)]) {
    lines = headers.map { (Array($0.name.utf8), Array($0.value.utf8)) }
  }

  /// The call; nil if the headers are refused.
  var request: MCPRequest? {
    guard hasPlainSpellings, let version = single(HeaderLines.version) else { return nil }
    guard HeaderLines.knownVersions.contains(where: { version.elementsEqual($0.utf8) }) else { return nil }
    guard let written = single(HeaderLines.method), HeaderLines.isMethod(written) else { return nil }
    let lowercased = written.map { HeaderLines.lowercased($0) }
    guard let method = NamingMethod.allCases.first(where: { lowercased.elementsEqual($0.rawValue.utf8) })
    else { return .other }
    guard written == lowercased, let name = single(HeaderLines.name).flatMap(HeaderLines.decodedName) else {
      return nil
    }
    return .naming(method, name)
  }

  /// Whether none of the three is spelled with `_`, or in two letter cases.
  private var hasPlainSpellings: Bool {
    for header in [HeaderLines.version, HeaderLines.method, HeaderLines.name] {
      let spellings = lines.map(\.name).filter { HeaderLines.dashed($0) == header }
      guard !spellings.contains(where: { $0.contains(UInt8(ascii: "_")) }) else { return false }
      guard spellings.allSatisfy({ $0 == spellings.first }) else { return false }
    }
    return true
  }

  /// The value of a header that is there once, of printable ASCII without a comma or blanks around it.
  private func single(_ header: [UInt8]) -> [UInt8]? {
    let values = lines.filter { $0.name.map { HeaderLines.lowercased($0) } == header }.map(\.value)
    guard values.count == 1, let value = values.first, let first = value.first else { return nil }
    let space = UInt8(ascii: " ")
    guard first != space, value.last != space, !value.contains(UInt8(ascii: ",")) else { return nil }
    return value.allSatisfy { (0x20...0x7E).contains($0) } ? value : nil
  }

  private static func isMethod(_ value: [UInt8]) -> Bool {
    let others = Array("0123456789_/.-".utf8)
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return (1...64).contains(value.count)
      && value.allSatisfy { letters.contains(lowercased($0)) || others.contains($0) }
  }

  /// The name that a value stands for; nil if it begins as an encoded one and is none.
  private static func decodedName(_ value: [UInt8]) -> [UInt8]? {
    let start = Array("=?base64?".utf8)
    let end = Array("?=".utf8)
    guard value.starts(with: "=?".utf8) else { return value }
    guard value.starts(with: start), value.count > start.count + end.count else { return nil }
    guard value.suffix(end.count).elementsEqual(end) else { return nil }
    let name = CanonicalBase64.decoded(Array(value[start.count..<(value.count - end.count)]))
    guard let name, !name.isEmpty else { return nil }
    return isPlainText(name) ? name : nil
  }

  /// Whether the bytes are UTF-8 without control characters.
  private static func isPlainText(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else { return false }
    return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  /// The header's name in small letters, with `-` for `_`.
  private static func dashed(_ name: [UInt8]) -> [UInt8] {
    name.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : lowercased($0) }
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 0x20 : byte
  }
}

private enum CanonicalBase64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The bytes; nil if the text is not the one way to write them: padded, with no bits left over.
  static func decoded(_ text: [UInt8]) -> [UInt8]? {
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard text.count % 4 == 0, padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for character in text.dropLast(padding) {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      bits = bits << 6 | value
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(bits >> count))
      bits &= (1 << count) - 1
    }
    return bits == 0 ? bytes : nil
  }
}
