internal import Foundation

/// Where words go, and in which colour.
enum Terminal {
  /// A line of the answer.
  static func answer(_ line: String) {
    write(line + "\n", to: .standardOutput)
  }

  /// The answer as bytes, with a line feed behind.
  static func answer(_ bytes: [UInt8]) {
    try? FileHandle.standardOutput.write(contentsOf: Data(bytes + [0x0A]))
  }

  /// A line about the work.
  static func note(_ line: String) {
    write(line + "\n", to: .standardError)
  }

  /// How far the work is, on one line that goes away; only on a terminal.
  static func progress(_ done: Int, of all: Int) {
    guard isatty(FileHandle.standardError.fileDescriptor) == 1 else { return }
    write(done < all ? "\r\(done)/\(all)" : "\r\u{1B}[K", to: .standardError)
  }

  /// What went wrong and what to do about it.
  static func error(_ message: some StringProtocol, hint: String?) {
    note(styled("error:", .red, on: .standardError) + " " + message)
    if let hint { note("hint: " + hint) }
  }

  /// Colours with a meaning.
  enum Style: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case dim = "2"
  }

  /// The text in a colour where standard output is a terminal (and `NO_COLOR`, no-color.org, is not set).
  static func styled(_ text: String, _ style: Style) -> String {
    styled(text, style, on: .standardOutput)
  }

  private static func styled(_ text: String, _ style: Style, on handle: FileHandle) -> String {
    guard isatty(handle.fileDescriptor) == 1, (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  /// A reader that went away is no error of ours.
  private static func write(_ text: String, to handle: FileHandle) {
    try? handle.write(contentsOf: Data(text.utf8))
  }
}
