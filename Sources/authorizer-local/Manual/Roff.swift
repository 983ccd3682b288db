internal import Text

/// Writes the macros and escapes of man(7) that groff and mandoc understand alike.
enum Roff {
  /// A part of a section.
  enum Block {
    case paragraph(String)
    /// A paragraph whose text is escaped already.
    case marked(String)
    /// Lines that are shown as they are.
    case verbatim([String])
    /// A tag, whose text is escaped already, with its description.
    case entry(String, String)
  }

  /// Returns the lines of a section, without its heading.
  static func lines(_ blocks: [Block]) -> [String] {
    blocks.enumerated().flatMap { index, block -> [String] in
      switch block {
      case .paragraph(let words): (index == 0 ? [] : [".PP"]) + [text(words)]
      case .marked(let words): (index == 0 ? [] : [".PP"]) + [words]
      case .verbatim(let lines):
        // `.sp` directly after a heading has no effect, and mandoc warns about it.
        (index == 0 ? [] : [".sp"]) + [".RS 4", ".nf"] + lines.map(text) + [".fi", ".RE"]
      case .entry(let tag, let words): [".TP", tag, words.isEmpty ? "\\&" : text(words)]
      }
    }
  }

  static func bold(_ words: String) -> String { "\\fB" + text(words) + "\\fP" }

  static func italic(_ words: String) -> String { "\\fI" + text(words) + "\\fP" }

  /// Returns an argument of a macro.
  static func quoted(_ words: String) -> String {
    "\"" + text(words).replacingBytes(of: "\"", with: "\\(dq") + "\""
  }

  /// Returns a text line. ASCII characters stay ASCII characters, so that an example can be pasted from the terminal:
  /// groff prints a plain `-`, `'` and `^` as typographic characters.
  static func text(_ words: String) -> String {
    var escaped = ""
    for scalar in words.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
      default:
        let code = String(scalar.value, radix: 16, uppercase: true)
        escaped += "\\[u" + String(repeating: "0", count: max(0, 4 - code.utf8.count)) + code + "]"
      }
    }
    // A line that begins with a period is a request.
    return escaped.hasBytePrefix(".") ? "\\&" + escaped : escaped
  }
}
