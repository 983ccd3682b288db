/// Text from outside on its way to a terminal, which must not take it for commands: control characters, invisible formats,
/// and everything that turns the direction of the text (Unicode Standard Annex #9, "Bidirectional Character Types").
enum Printable {
  /// The text with `\u{…}` in the place of each such character. Line feeds and tabs stay.
  static func lines(_ text: String) -> String {
    escaped(text, keeping: ["\n", "\t"]) { "\\u{" + String($0.value, radix: 16) + "}" }
  }

  /// The same on one line: line feeds and tabs are escaped too.
  static func text(_ text: String) -> String {
    escaped(text, keeping: []) { "\\u{" + String($0.value, radix: 16) + "}" }
  }

  /// A JSON document that says the same: outside of strings JSON has no such characters, inside they become `\uXXXX`
  /// (RFC 8259 section 7).
  static func json(_ bytes: [UInt8]) -> [UInt8] {
    let text = escaped(String(decoding: bytes, as: UTF8.self), keeping: ["\n", "\t", "\r"]) { scalar in
      String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }
    return Array(text.utf8)
  }

  /// Whether a terminal may take the character for something else than itself.
  static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: true
    default: false
    }
  }

  private static func escaped(
    _ text: String, keeping kept: [Unicode.Scalar], _ escape: (Unicode.Scalar) -> String
  ) -> String {
    var printable = ""
    for scalar in text.unicodeScalars {
      if isHidden(scalar), !kept.contains(scalar) {
        printable += escape(scalar)
      } else {
        printable.unicodeScalars.append(scalar)
      }
    }
    return printable
  }
}
