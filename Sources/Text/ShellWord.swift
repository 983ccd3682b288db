internal import Bytes

/// A word of a shell's command line, in commands that users copy from a terminal or a page.
///
/// A shell reads bytes: it ends a quotation at a `'` before a combining mark, although both are one `Character`.
package enum ShellWord {
  /// Returns a text as one word that sh, bash, zsh, ksh, dash, fish and tcsh read as this text; `nil` if there is none.
  ///
  /// Text that no shell interprets stays as it is. All other text is in single quotes, with three bytes outside of them,
  /// after a backslash: a quote; a backslash, which fish interprets within quotes; and an exclamation mark, which tcsh
  /// does.
  ///
  /// A text with a hidden character has no form. A terminal interprets it instead of showing it, or a paste ends at it and
  /// what follows is typed. `$'\n'` would show it, but is no syntax of dash, fish and tcsh: there the text would be
  /// another one. Within quotes, tcsh ends the command at a line feed.
  package static func quoted(_ text: String) -> String? {
    if text.utf8.allSatisfy(isPlain), let first = text.utf8.first, first != .equalsSign, first != .percent {
      return text
    }
    return text.unicodeScalars.contains(where: \.isHidden) ? nil : exact(text)
  }

  /// Returns a text as one word for a shell that this program starts. No terminal shows it, so every text has a form.
  package static func exact(_ text: String) -> String {
    var word: [UInt8] = [quote]
    for byte in text.utf8 {
      switch byte {
      case quote, .backslash, UInt8(ascii: "!"): word += [quote, .backslash, byte, quote]
      default: word.append(byte)
      }
    }
    return String(decoding: word + [quote], as: UTF8.self)
  }

  /// Returns the text as one word, or a placeholder such as `NAME`.
  package static func quoted(_ text: String, or placeholder: String) -> String {
    quoted(text) ?? placeholder
  }

  /// Returns a path as one word that no program takes for an option, for a number as `cd` does, or for a home folder; or a
  /// placeholder.
  package static func path(_ path: String, or placeholder: String) -> String {
    let isName = path.utf8.first.map { isPlain($0) && !"%+,-:=@".utf8.contains($0) } ?? false
    return quoted(isName ? path : "./" + path, or: placeholder)
  }

  /// Returns `NAME=VALUE` as one word. A name without a form is `NAME`; the value has one, such as `VALUE`.
  package static func assignment(_ name: String, _ value: String) -> String {
    quoted("\(name)=\(value)") ?? quoted("NAME=\(value)", or: "NAME=VALUE")
  }

  /// Whether no shell interprets the byte inside a word.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "%+,-./:=@_".utf8.contains(byte)
  }

  private static let quote = UInt8(ascii: "'")
}

extension Unicode.Scalar {
  /// Whether a terminal may interpret the character instead of printing it, or print it without a shape: control
  /// characters, invisible format characters, and characters that change the direction of the text (Unicode Standard Annex
  /// #9, "Bidirectional Character Types").
  package var isHidden: Bool {
    // The category of other characters takes a search in a table.
    if 0x20..<0x7F ~= value { return false }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: true
    default: false
    }
  }

  /// Whether it is one of Unicode's 65 control characters (category Cc).
  package var isControl: Bool { value < 0x20 || 0x7F...0x9F ~= value }
}

extension String {
  /// The text with a space in place of each control character.
  package var blankingControls: String {
    String(UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
  }
}
