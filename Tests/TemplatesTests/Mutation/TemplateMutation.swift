import Foundation

/// One change of a template in block style: a property removed, renamed or with another type of value.
struct TemplateMutation: CustomStringConvertible {
  enum Kind: CaseIterable {
    case removed, renamed, null, text, list, map
  }

  let kind: Kind
  /// The number of the line, starting at 0.
  let line: Int
  /// The names from the root to the property.
  let path: [String]
  /// The line before the change, without blanks around it.
  let original: String
  let text: String

  var description: String { "\(kind) line \(line + 1): \(path.joined(separator: "."))" }

  /// The lines of a template, read once for all of its changes.
  struct Lines {
    fileprivate let texts: [String]
    fileprivate let entries: [Entry?]

    init(_ text: String) {
      texts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      entries = texts.map { Entry($0) }
    }

    var indices: Range<Int> { texts.indices }
  }

  /// Returns all changes of one line; none of a line without a property or an element.
  static func all(of template: Lines, at line: Int) -> [TemplateMutation] {
    let lines = template.texts
    guard let entry = template.entries[line] else { return [] }
    let path = path(of: line, in: template.entries)
    // The lines below that belong to it. The elements of a list may be as far left as its name.
    var end = line + 1
    while end < lines.count {
      let next = lines[end]
      let indent = next.prefix { $0 == " " }.count
      let isBlank = next.allSatisfy { $0 == " " } || next.dropFirst(indent).hasPrefix("#")
      let isElement =
        indent == entry.indent && next.dropFirst(indent).hasPrefix("- ") && entry.name != nil
        && !entry.isElement
      guard isBlank || indent > entry.indent || isElement else { break }
      end += 1
    }
    return Kind.allCases.compactMap { kind in
      var changed = lines
      switch (kind, entry.name) {
      case (.removed, _): changed.removeSubrange(line..<end)
      case (.renamed, let name?):
        changed[line] = changed[line].replacing(name + ":", with: name + "X:", maxReplacements: 1)
      case (_, let name?):
        let value =
          switch kind {
          case .text: " other"
          case .list: " []"
          case .map: " {}"
          case .null, .removed, .renamed: ""
          }
        let head = String(lines[line].prefix(entry.start)) + name + ":" + value
        changed.replaceSubrange(line..<end, with: [head])
      case (_, nil): return nil
      }
      return TemplateMutation(
        kind: kind, line: line, path: path, original: lines[line].trimmingCharacters(in: .whitespaces),
        text: changed.joined(separator: "\n"))
    }
  }

  /// The names of the lines above that contain a line.
  private static func path(of line: Int, in entries: [Entry?]) -> [String] {
    guard let entry = entries[line] else { return [] }
    var path = [entry.name ?? "-"]
    var start = entry.start
    for index in stride(from: line - 1, through: 0, by: -1) {
      guard let above = entries[index], above.start < start, above.name != nil else { continue }
      path.insert(above.name ?? "", at: 0)
      start = above.start
    }
    return path
  }

  /// A line `NAME: …`, `- NAME: …` or `- …`.
  fileprivate struct Entry {
    let indent: Int
    let isElement: Bool
    /// Where the name begins.
    let start: Int
    let name: String?

    init?(_ line: String) {
      indent = line.prefix { $0 == " " }.count
      var rest = line.dropFirst(indent)
      isElement = rest.hasPrefix("- ")
      if isElement { rest = rest.dropFirst(2).drop { $0 == " " } }
      start = line.count - rest.count
      let word = rest.prefix { $0.isLetter || $0.isNumber || "_:-$/{}+.'\"".contains($0) }
      if rest.hasPrefix("#") || rest.isEmpty { return nil }
      if word.hasSuffix(":"), word.count > 1 {
        name = String(word.dropLast())
      } else if isElement {
        name = nil
      } else {
        return nil
      }
    }
  }
}
