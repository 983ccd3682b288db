internal import Bytes

/// A text with placeholders `{{DIRECTIVE ARGUMENT}}`, split into its parts.
struct PlaceholderText: Equatable {
  enum Part: Equatable {
    case literal(String)
    case placeholder(directive: String, arguments: [String])
  }

  let parts: [Part]

  init() { parts = [] }

  /// The reason why a text cannot be split.
  struct Malformed: Error, Equatable {
    let text: String
    let hint: String
  }

  /// A word that placeholders may begin with.
  struct Directive: Equatable {
    let name: String
    /// The placeholder as the user writes it.
    let form: String
    let arguments: Int

    static let time = Directive(name: "time", form: "{{time …}}", arguments: 1)
    static let token = Directive(name: "token", form: "{{token …}}", arguments: 1)
    static let proof = Directive(name: "proof", form: "{{proof NAME METHOD URL}}", arguments: 3)
  }

  /// Splits a text that may contain only these directives.
  init(_ text: String, _ directives: [Directive]) throws(Malformed) {
    var parts: [Part] = []
    var rest = text[...]
    let hint = "write " + directives.map(\.form).joined(separator: " or ")
    while let opening = rest.utf8.firstRange(of: "{{".utf8) {
      if opening.lowerBound > rest.startIndex {
        parts.append(.literal(String(rest[..<opening.lowerBound])))
      }
      rest = rest[opening.upperBound...]
      guard let closing = rest.utf8.firstRange(of: "}}".utf8) else {
        throw Malformed(text: "{{ is not closed by }}", hint: hint)
      }
      let words = rest[..<closing.lowerBound].utf8.split(separator: .space).map { Substring($0) }
      guard let directive = directives.first(where: { $0.name == words.first.map(String.init) }) else {
        throw Malformed(text: "{{\(rest[..<closing.lowerBound])}} is not a placeholder", hint: hint)
      }
      guard words.count == 1 + directive.arguments else {
        let number = directive.arguments == 1 ? "one argument" : "\(directive.arguments) arguments"
        throw Malformed(text: "{{\(directive.name)}} takes exactly \(number)", hint: hint)
      }
      parts.append(.placeholder(directive: directive.name, arguments: words.dropFirst().map(String.init)))
      rest = rest[closing.upperBound...]
    }
    if !rest.isEmpty { parts.append(.literal(String(rest))) }
    self.parts = parts
  }

  /// The first argument of each placeholder.
  var arguments: [String] {
    parts.compactMap { part in
      guard case .placeholder(_, let arguments) = part else { return nil }
      return arguments.first
    }
  }

  /// Returns the text with each placeholder replaced.
  ///
  /// - Parameter value: gets the directive and its arguments.
  func filled<Failure: Error>(
    _ value: (String, [String]) throws(Failure) -> String
  ) throws(Failure) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .literal(let literal): text += literal
      case .placeholder(let directive, let arguments): text += try value(directive, arguments)
      }
    }
    return text
  }
}
