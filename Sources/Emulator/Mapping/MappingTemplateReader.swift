/// A parser of mapping templates that returns one piece at a time.
struct MappingTemplateReader {
  enum Piece {
    case text(String)
    case output(MappingTemplate.Expression)
    case set(String, MappingTemplate.Expression)
  }

  private let characters: [Character]
  private var place = 0
  private var line = 0

  init(_ text: String) { characters = Array(text) }

  /// Returns the next piece, or `nil` at the end.
  mutating func next(knownVariables: Set<String>) throws(MappingTemplate.Unknown) -> Piece? {
    guard place < characters.count else { return nil }
    if characters[place] == "#" {
      if starts(with: "##") {
        skipLine()
        return .text("")
      }
      if starts(with: "#set(") { return try set(knownVariables) }
      // A hash that does not begin a directive is text, such as a color.
      guard place + 1 < characters.count, characters[place + 1].isLetter else { return .text(take()) }
      let word = characters[place...].prefix { $0 == "#" || $0.isLetter }
      throw unknown("the directive \(String(word)) is not known")
    }
    if characters[place] == "$" {
      guard place + 1 < characters.count, characters[place + 1].isLetter || characters[place + 1] == "{"
      else {
        return .text(take())
      }
      return .output(try expression(knownVariables))
    }
    var text = ""
    while place < characters.count, characters[place] != "#", characters[place] != "$" { text += take() }
    return .text(text)
  }

  // MARK: Directives

  private mutating func set(_ known: Set<String>) throws(MappingTemplate.Unknown) -> Piece {
    place += "#set(".count
    skipBlanks()
    guard place < characters.count, characters[place] == "$" else { throw unknown("#set needs a variable") }
    place += 1
    let name = identifier()
    skipBlanks()
    guard !name.isEmpty, place < characters.count, characters[place] == "=" else {
      throw unknown("#set needs $NAME = VALUE")
    }
    place += 1
    skipBlanks()
    let value = try expression(known)
    skipBlanks()
    try expect(")")
    // Velocity removes the line break after a directive that is alone on its line.
    if place < characters.count, characters[place].isNewline { _ = take() }
    return .set(name, value)
  }

  // MARK: Expressions

  private mutating func expression(_ known: Set<String>) throws(MappingTemplate.Unknown)
    -> MappingTemplate.Expression
  {
    guard place < characters.count else { throw unknown("a value is missing") }
    if characters[place] == "'" || characters[place] == "\"" { return .literal(try string()) }
    guard characters[place] == "$" else { throw unknown("a value must begin with $ or a quotation mark") }
    place += 1
    let isBraced = place < characters.count && characters[place] == "{"
    if isBraced { place += 1 }
    var value = try reference(known)
    while starts(with: ".replaceAll(") {
      place += ".replaceAll(".count
      let old = try literalPattern(try string())
      skipBlanks()
      try expect(",")
      skipBlanks()
      let new = try string()
      guard !new.contains("\\"), !new.contains("$") else {
        throw unknown("a replacement with \\ or $ is not known")
      }
      try expect(")")
      value = .replace(value, of: old, by: new)
    }
    if starts(with: ".") && place + 1 < characters.count && characters[place + 1].isLetter {
      throw unknown("only .replaceAll(…) may follow a value")
    }
    if isBraced { try expect("}") }
    return value
  }

  private mutating func reference(_ known: Set<String>) throws(MappingTemplate.Unknown)
    -> MappingTemplate.Expression
  {
    let root = identifier()
    switch root {
    case "context", "stageVariables":
      var names: [String] = []
      while starts(with: "."), place + 1 < characters.count, characters[place + 1].isLetter,
        !starts(with: ".replaceAll(")
      {
        place += 1
        names.append(identifier())
      }
      let name = names.joined(separator: ".")
      if root == "stageVariables" { return .stageVariable(name) }
      guard ContextVariables.isKnown(name, withErrors: false) else {
        throw unknown("$context.\(name) is not known")
      }
      return .context(name)
    case "util":
      guard starts(with: ".escapeJavaScript(") else {
        throw unknown("$util supports escapeJavaScript(…) only")
      }
      place += ".escapeJavaScript(".count
      let inner = try expression(known)
      try expect(")")
      return .escapeJavaScript(inner)
    default:
      guard known.contains(root) else { throw unknown("$\(root) is not known") }
      return .variable(root)
    }
  }

  private mutating func string() throws(MappingTemplate.Unknown) -> String {
    guard place < characters.count, characters[place] == "'" || characters[place] == "\"" else {
      throw unknown("a quoted string is missing")
    }
    let mark = take()
    var text = ""
    while place < characters.count, String(characters[place]) != mark { text += take() }
    try expect(Character(mark))
    if mark == "\"", text.contains("$") { throw unknown("variables within \"…\" are not known") }
    return text
  }

  /// Returns the text that a regular expression of `replaceAll` matches; only literal expressions are supported.
  private func literalPattern(_ pattern: String) throws(MappingTemplate.Unknown) -> String {
    var text = ""
    var isEscaped = false
    for character in pattern {
      if isEscaped {
        guard !character.isLetter, !character.isNumber else {
          throw unknown("\\\(character) in a pattern is not known")
        }
        text.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        guard !".*+?()[]{}|^$".contains(character) else {
          throw unknown("\(character) in a pattern is not known")
        }
        text.append(character)
      }
    }
    guard !isEscaped, !text.isEmpty else { throw unknown("a pattern is empty or ends with \\") }
    return text
  }

  // MARK: Characters

  private mutating func take() -> String {
    defer { place += 1 }
    if characters[place].isNewline { line += 1 }
    return String(characters[place])
  }

  private mutating func identifier() -> String {
    var name = ""
    while place < characters.count, characters[place].isASCII,
      characters[place].isLetter || characters[place].isNumber || "_-".contains(characters[place])
    {
      name += take()
    }
    return name
  }

  private mutating func skipBlanks() {
    while place < characters.count, characters[place] == " " { place += 1 }
  }

  private mutating func skipLine() {
    while place < characters.count, !characters[place].isNewline { place += 1 }
    if place < characters.count { _ = take() }
  }

  private func starts(with text: String) -> Bool { characters[place...].starts(with: text) }

  private mutating func expect(_ character: Character) throws(MappingTemplate.Unknown) {
    guard place < characters.count, characters[place] == character else {
      throw unknown("\(character) is missing")
    }
    place += 1
  }

  private func unknown(_ problem: String) -> MappingTemplate.Unknown {
    MappingTemplate.Unknown(lineOffset: line, problem: problem)
  }
}
