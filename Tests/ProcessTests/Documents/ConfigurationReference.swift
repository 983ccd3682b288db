import JSON
import TestSupport

/// Creates the tables of `docs/reference/configuration.md` from the JSON Schemas of `config schema`.
struct ConfigurationReference {
  /// An object of a file: a heading and a table.
  private struct Section {
    let file: String
    /// The path of the object; empty for the file itself.
    let path: String
    var rows: [Row] = []

    var anchor: String { ConfigurationReference.anchor(file: file, path: path) }

    var text: String {
      """
      \(path.isEmpty ? "## \(file)" : "### \(file): `\(path)`")

      | field | value | meaning |
      |---|---|---|
      \(rows.map(\.text).joined(separator: "\n"))

      """
    }
  }

  /// A field of an object.
  private struct Row: Equatable {
    let name: String
    let value: String
    let meaning: String

    var text: String { "| `\(name)` | \(value) | \(meaning) |" }
  }

  /// An object with at most so many fields has no section: its fields follow it in the table.
  private static let inlineFields = 2

  private var file = ""
  private var root = JSONTree.null
  private var sections: [Section] = []
  /// The objects whose sections are being written; an object within itself links to its section.
  private var open: [(schema: JSONTree, index: Int)] = []

  /// Returns the sections of the files `authorizer.json` and `identity.json`.
  static func text(_ files: [(name: String, schema: JSONTree)]) -> String {
    var reference = ConfigurationReference()
    for (name, schema) in files {
      reference.file = name
      reference.root = schema
      reference.sections.append(Section(file: name, path: ""))
      let index = reference.sections.count - 1
      let rows = reference.rows(schema, path: "", prefix: "")
      reference.sections[index].rows = rows
    }
    return reference.sections.map(\.text).joined(separator: "\n")
  }

  /// Returns the fields of an object. The names begin with the prefix.
  private mutating func rows(_ schema: JSONTree, path: String, prefix: String) -> [Row] {
    let required = (schema["required"]?.elements ?? []).compactMap(\.text)
    var fields: [Row] = []
    for (name, member) in members(schema["properties"]) {
      let field = resolve(member)
      let place = path.isEmpty ? name : "\(path).\(name)"
      let isInline = 1...Self.inlineFields ~= members(field["properties"]).count
      var value = (isInline ? "object" : typeCell(field, place)) + limits(field)
      var notes: [String] = []
      if required.contains(name) { notes.append("required") }
      if let initial = field["default"] { notes.append("default \(literal(initial))") }
      if !notes.isEmpty { value += " (\(notes.joined(separator: ", ")))" }
      fields.append(
        Row(
          name: prefix + name, value: value,
          meaning: cell((member["description"] ?? field["description"])?.text ?? "")))
      if isInline { fields += rows(field, path: place, prefix: prefix + name + ".") }
    }
    return fields
  }

  // MARK: Cells

  /// Returns the type of a value. An object with several fields gets its own section and a link to it.
  private mutating func typeCell(_ schema: JSONTree, _ place: String) -> String {
    if schema["properties"] != nil { return link("object", schema, place) }
    if let items = schema["items"].map(resolve) {
      if items["properties"] != nil { return "list of " + link("objects", items, place + "[]") }
      return "list of \(plural(kind(items)))"
    }
    if case .array(let choices)? = schema["oneOf"] {
      // An object with a description of its own has its own section too.
      guard let object = choices.first(where: { $0["properties"] != nil && $0["description"] != nil }) else {
        return kind(schema)
      }
      return kind(choices[0]) + "; or " + link("object", object, place)
    }
    return kind(schema)
  }

  /// Adds the section of an object and returns a link to it. If an earlier section has all of its fields, the link is
  /// to that section.
  private mutating func link(_ word: String, _ schema: JSONTree, _ place: String) -> String {
    if let same = open.first(where: { $0.schema == schema }) {
      return "\(word) as [`\(sections[same.index].path)`](#\(sections[same.index].anchor))"
    }
    let index = sections.count
    open.append((schema, index))
    defer { open.removeLast() }
    sections.append(Section(file: file, path: place))
    let fields = rows(schema, path: place, prefix: "")
    let earlier = sections[..<index].first { section in
      fields.count > 1 && fields.allSatisfy { section.rows.contains($0) }
    }
    guard let same = earlier else {
      sections[index].rows = fields
      return "[\(word)](#\(sections[index].anchor))"
    }
    sections.removeSubrange(index...)
    let missing = same.rows.filter { !fields.contains($0) }.map { "`\($0.name)`" }
    return "\(word) as [`\(same.path)` of \(same.file)](#\(same.anchor))"
      + (missing.isEmpty ? "" : " without " + missing.joined(separator: ", "))
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
    switch schema["type"]?.text ?? "" {
    case "array": return "list of \(plural(kind(resolve(schema["items"] ?? .null))))"
    case "object": return "object by name"
    case let type: return type
    }
  }

  private func plural(_ kind: String) -> String { kind == "string" ? "strings" : kind }

  /// Returns the limits of a value, as they follow its type. Only the schema has the patterns of texts.
  private func limits(_ schema: JSONTree) -> String {
    let numbers = ["minimum", "maximum"].map { schema[$0].map(plain) }
    if let least = numbers[0], let most = numbers[1] { return " \(least) to \(most)" }
    if let most = schema["maxProperties"], schema["minProperties"] == nil {
      return ", at most \(plain(most))"
    }
    return schema["maxLength"].map { ", at most \(plain($0)) characters" } ?? ""
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

  /// Returns the anchor of a heading on a web page.
  private static func anchor(file: String, path: String) -> String {
    "\(file): \(path)".lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
      .replacing(" ", with: "-")
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
}
