/// The type names of one Swift file: those that it declares, extends and mentions.
struct SwiftNames: Sendable {
  /// The types that other files of the module can mention by this name alone.
  private(set) var shared: Set<String> = []
  /// Every type, generic parameter and associated type, at any depth.
  private(set) var declared: Set<String> = []
  /// The types that each outermost type contains in this file.
  private(set) var nested: [String: Set<String>] = [:]
  /// The outermost types that have a body here: declarations and extensions.
  private(set) var opened: Set<String> = []
  /// Each name of an extended type: `A` and `B` for `extension A.B`.
  private(set) var extended: Set<String> = []
  private(set) var mentioned: Set<Mention> = []

  /// An upper-case name in code.
  struct Mention: Hashable, Sendable {
    let name: String
    /// `A` in `A.B`; empty in `.B`; `nil` without a period.
    let qualifier: String?
  }

  private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
  private static let aliases: Set<Substring> = ["typealias", "associatedtype"]
  private static let modifiers: Set<Substring> = ["private", "fileprivate", "final", "indirect"]

  init(_ code: SwiftCode) {
    // `import struct Module.Type` declares nothing.
    let tokens = code.lines.filter { !$0.holdsWord("import") }.flatMap(Self.tokens)
    var braces: [String?] = []
    var pending: String?
    var isPrivate = false
    for (index, token) in tokens.enumerated() {
      let before = index > 0 ? tokens[index - 1] : ""
      let rest = tokens[(index + 1)...]
      if !Self.modifiers.contains(before) { isPrivate = false }
      switch token {
      case "{":
        braces.append(pending)
        pending = nil
      case "}": _ = braces.popLast()
      case "private", "fileprivate": isPrivate = true
      case "func": addParameters(of: rest.dropFirst())
      case "init", "subscript": addParameters(of: rest)
      case "extension" where before != ".":
        let names = rest.prefix { !["{", ":", "where"].contains($0) }.filter(\.isTypeName).map(String.init)
        extended.formUnion(names)
        pending = names.first
        if let outermost = names.first, braces.isEmpty { opened.insert(outermost) }
      case _ where before != "." && (Self.kinds.contains(token) || Self.aliases.contains(token)):
        guard let name = rest.first.map(String.init), rest.first?.isTypeName == true else { continue }
        declare(name, in: braces, isShared: !isPrivate)
        if Self.kinds.contains(token) { pending = name }
        addParameters(of: rest.dropFirst())
      case _ where token.isTypeName:
        let qualifier = before == "." ? (index > 1 ? String(tokens[index - 2]) : "") : nil
        mentioned.insert(Mention(name: String(token), qualifier: qualifier))
      default: break
      }
    }
  }

  private mutating func declare(_ name: String, in braces: [String?], isShared: Bool) {
    declared.insert(name)
    if let outermost = braces.lazy.compactMap(\.self).first {
      nested[outermost, default: []].insert(name)
    } else if braces.isEmpty {
      opened.insert(name)
      if isShared { shared.insert(name) }
    }
  }

  /// Adds the generic parameters of a declaration whose name precedes these tokens.
  private mutating func addParameters(of tokens: ArraySlice<Substring>) {
    guard tokens.first == "<" else { return }
    var depth = 0
    var before: Substring = ""
    for token in tokens {
      if token == "<" { depth += 1 }
      if token == ">" { depth -= 1 }
      if depth == 1, before == "<" || before == ",", token.isTypeName { declared.insert(String(token)) }
      if depth == 0 { return }
      before = token
    }
  }

  /// Returns names, numbers and single signs.
  private static func tokens(_ line: Substring) -> [Substring] {
    var tokens: [Substring] = []
    var rest = line.utf8
    while let byte = rest.first {
      let word = rest.prefix { $0.isOfName }
      if !word.isEmpty {
        tokens.append(Substring(word))
      } else if byte > 0x20, byte < 0x80 {
        tokens.append(Substring(rest.prefix(1)))
      }
      rest = rest.dropFirst(max(word.count, 1))
    }
    return tokens
  }
}

extension UInt8 {
  fileprivate var isOfName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension Substring {
  fileprivate var isTypeName: Bool {
    utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } == true
  }
}
