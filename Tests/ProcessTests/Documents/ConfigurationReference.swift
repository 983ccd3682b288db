import JSON

/// Creates the tables of `docs/reference/configuration.md` from the JSON Schema of `config schema`.
struct ConfigurationReference {
  private let file: String
  private let root: JSONTree
  private var sections: [String] = []

  /// Returns the sections of one file, `authorizer.json` or `identity.json`.
  static func text(file: String, schema: JSONTree) -> String {
    var reference = ConfigurationReference(file: file, root: schema)
    reference.addObject(schema, path: "")
    return reference.sections.joined(separator: "\n")
  }

  private init(file: String, root: JSONTree) {
    self.file = file
    self.root = root
  }

  private mutating func addObject(_ schema: JSONTree, path: String) {
    let heading = path.isEmpty ? "## \(file)" : "### \(file): `\(path)`"
    let index = sections.count
    sections.append("")
    let required = texts(schema["required"])
    var rows: [String] = []
    for (name, member) in members(schema["properties"]) {
      let resolved = resolve(member)
      let place = path.isEmpty ? name : "\(path).\(name)"
      let type = typeCell(resolved, place)
      let presence = required.contains(name) ? "required" : defaultCell(resolved)
      rows.append(
        "| `\(name)` | \(type) | \(presence) | \(limits(resolved)) | \(cell(text(resolved["description"]))) |"
      )
    }
    sections[index] = """
      \(heading)

      \(cell(text(schema["description"])).isEmpty ? "One entry." : cell(text(schema["description"])))

      | member | type | default | limits | meaning |
      |---|---|---|---|---|
      \(rows.joined(separator: "\n"))

      """
  }

  // MARK: Cells

  /// Returns the type of a value. An object with members gets its own section and a link to it.
  private mutating func typeCell(_ schema: JSONTree, _ place: String) -> String {
    if schema["properties"] != nil {
      addObject(schema, path: place)
      return link("object", place)
    }
    if let items = schema["items"].map(resolve) {
      if items["properties"] != nil {
        addObject(items, path: place + "[]")
        return "list of " + link("objects", place + "[]")
      }
      return "list of \(plural(kind(items)))"
    }
    if case .array(let choices)? = schema["oneOf"] {
      // An object with a description of its own has its own section too.
      guard let object = choices.first(where: { $0["properties"] != nil && $0["description"] != nil }) else {
        return kind(schema)
      }
      addObject(object, path: place)
      return kind(choices[0]) + "; or " + link("object", place)
    }
    return kind(schema)
  }

  private func kind(_ schema: JSONTree) -> String {
    if case .array(let choices)? = schema["enum"] { return choices.map(literal).joined(separator: ", ") }
    if let constant = schema["const"] { return literal(constant) }
    if case .array(let choices)? = schema["oneOf"] {
      var kinds: [String] = []
      for kind in choices.map({ self.kind(resolve($0)) }) where !kinds.contains(kind) { kinds.append(kind) }
      return kinds.joined(separator: "; or ")
    }
    if schema["properties"] != nil {
      let named = members(schema["properties"]).map { "`\($0.name)`" }.joined(separator: ", ")
      return "object with " + named
    }
    switch text(schema["type"]) {
    case "array": return "list of \(plural(kind(resolve(schema["items"] ?? .null))))"
    case "object": return "object by name"
    case "integer": return "whole number"
    case let type: return type
    }
  }

  private func plural(_ kind: String) -> String { kind == "string" ? "strings" : kind }

  private func defaultCell(_ schema: JSONTree) -> String {
    guard let value = schema["default"] else { return "–" }
    return literal(value)
  }

  private func limits(_ schema: JSONTree) -> String {
    let numbers = ["minimum", "maximum"].map { schema[$0].map(plain) }
    if let least = numbers[0], let most = numbers[1] { return "\(least) to \(most)" }
    if let most = schema["maxProperties"], schema["minProperties"] == nil {
      return "at most \(plain(most)) members"
    }
    if let most = schema["maxLength"] { return "at most \(plain(most)) characters" }
    if let pattern = schema["pattern"] { return "`\(cell(text(pattern)))`" }
    guard let items = schema["items"].map(resolve), let pattern = items["pattern"] else {
      return schema["minItems"] == nil ? "–" : "not empty"
    }
    return "not empty; each `\(cell(text(pattern)))`"
  }

  private func literal(_ value: JSONTree) -> String { "`\(plain(value))`" }

  private func plain(_ value: JSONTree) -> String {
    if case .string(let text) = value { return text }
    return String(decoding: value.bytes(), as: UTF8.self)
  }

  /// Escapes the vertical bar, which would end the cell.
  private func cell(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("\n", with: " ")
  }

  private func link(_ word: String, _ place: String) -> String {
    let anchor = "\(file): \(place)".lowercased().filter {
      $0.isLetter || $0.isNumber || "-_ ".contains($0)
    }
    return "[\(word)](#\(anchor.replacing(" ", with: "-")))"
  }

  // MARK: The schema

  private func resolve(_ schema: JSONTree) -> JSONTree {
    guard case .string(let path)? = schema["$ref"] else { return schema }
    return path.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
  }

  private func members(_ tree: JSONTree?) -> [(name: String, value: JSONTree)] {
    guard case .object(let members)? = tree else { return [] }
    return members.map { ($0.name, $0.value) }
  }

  private func text(_ tree: JSONTree?) -> String {
    if case .string(let text)? = tree { return text }
    return ""
  }

  private func texts(_ tree: JSONTree?) -> [String] {
    guard case .array(let elements)? = tree else { return [] }
    return elements.map { text($0) }
  }
}
