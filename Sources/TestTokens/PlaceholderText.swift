/// A text with placeholders `{{DIRECTIVE ARGUMENT}}`, split into its parts.
struct PlaceholderText: Equatable {
  enum Part: Equatable {
    case literal(String)
    case placeholder(argument: String)
  }

  let parts: [Part]

  /// Creates an empty text.
  init() { parts = [] }

  /// The reason why a text cannot be split.
  struct Malformed: Error, Equatable {
    let text: String
    let hint: String
  }

  /// Splits a text that may contain only this directive, with exactly one argument.
  init(_ text: String, directive: String) throws(Malformed) {
    var parts: [Part] = []
    var rest = text[...]
    let hint = "write {{\(directive) …}}"
    while let opening = rest.firstRange(of: "{{") {
      if opening.lowerBound > rest.startIndex {
        parts.append(.literal(String(rest[..<opening.lowerBound])))
      }
      rest = rest[opening.upperBound...]
      guard let closing = rest.firstRange(of: "}}") else {
        throw Malformed(text: "{{ is not closed by }}", hint: hint)
      }
      let words = rest[..<closing.lowerBound].split(separator: " ")
      guard let first = words.first, first == directive else {
        throw Malformed(text: "{{\(rest[..<closing.lowerBound])}} is not a placeholder", hint: hint)
      }
      guard words.count == 2 else {
        throw Malformed(text: "{{\(directive)}} takes exactly one argument", hint: hint)
      }
      parts.append(.placeholder(argument: String(words[1])))
      rest = rest[closing.upperBound...]
    }
    if !rest.isEmpty { parts.append(.literal(String(rest))) }
    self.parts = parts
  }

  var arguments: [String] {
    parts.compactMap { part in
      guard case .placeholder(let argument) = part else { return nil }
      return argument
    }
  }

  /// Returns the text with each placeholder replaced.
  func filled<Failure: Error>(_ value: (String) throws(Failure) -> String) throws(Failure) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .literal(let literal): text += literal
      case .placeholder(let argument): text += try value(argument)
      }
    }
    return text
  }
}
