internal import Text

/// Escapes the hidden characters of external text for a terminal.
enum Printable {
  /// Returns the text with `\u{…}` instead of each such character. Line feeds and tabs stay.
  static func lines(_ text: String) -> String {
    escaped(text, keeping: ["\n", "\t"]) { "\\u{" + String($0.value, radix: 16) + "}" }
  }

  /// Returns the text on one line: line feeds and tabs are escaped too.
  static func text(_ text: String) -> String {
    escaped(text, keeping: []) { "\\u{" + String($0.value, radix: 16) + "}" }
  }

  /// Returns an equivalent JSON document. JSON has such characters only in strings, where they become `\uXXXX` (RFC
  /// 8259 section 7).
  static func json(_ bytes: [UInt8]) -> [UInt8] {
    let text = escaped(String(decoding: bytes, as: UTF8.self), keeping: ["\n", "\t", "\r"]) { scalar in
      String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
    return Array(text.utf8)
  }

  /// Returns the words in a sentence: `a, b or c`.
  static func list(_ words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
  }

  private static func escaped(
    _ text: String, keeping kept: [Unicode.Scalar], _ escape: (Unicode.Scalar) -> String
  ) -> String {
    var printable = ""
    for scalar in text.unicodeScalars {
      if scalar.isHidden, !kept.contains(scalar) {
        printable += escape(scalar)
      } else {
        printable.unicodeScalars.append(scalar)
      }
    }
    return printable
  }
}
