internal import Foundation

/// A word of a shell's command line.
enum ShellWord {
  /// Returns a text as one word; text that no shell interprets stays as it is.
  static func quoted(_ text: String) -> String {
    if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
    return "'" + text.replacing("'", with: #"'\''"#) + "'"
  }

  /// Whether no shell interprets the byte inside a word.
  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "%+,-./:=@_".utf8.contains(byte)
    }
  }
}
