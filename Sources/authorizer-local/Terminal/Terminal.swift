internal import Foundation

/// Writes to standard output and standard error, with colors. All output goes through this type, which escapes
/// everything that a terminal could interpret as a command (`Printable`).
enum Terminal {
  /// Prints one or more lines of the answer.
  static func answer(_ line: String) {
    answer(StyledText(line))
  }

  /// Prints the line with colors if standard output is a terminal.
  static func answer(_ line: StyledText) {
    write(line.rendered(inColor: hasColor(.standardOutput)) + "\n", to: .standardOutput)
  }

  /// Prints the answer as a JSON document, followed by a line feed.
  static func answer(json bytes: [UInt8]) {
    try? answer(redirectedJSON: bytes + [0x0A])
  }

  /// Prints a document that is often redirected to a file, so an incomplete write is an error.
  ///
  /// - Throws: the system's error if the document cannot be written completely.
  static func answer(redirectedJSON bytes: [UInt8]) throws {
    try FileHandle.standardOutput.write(contentsOf: Data(Printable.json(bytes)))
  }

  /// Prints text unchanged to a pipe, such as a token, and escaped to a terminal.
  static func answer(exact text: String) {
    if isTerminal(.standardOutput) { return answer(text) }
    write(text + "\n", to: .standardOutput)
  }

  /// Prints a line to standard error.
  static func note(_ line: String) {
    write(StyledText(line).rendered(inColor: false) + "\n", to: .standardError)
  }

  /// Prints the progress on one line that disappears at the end; only on a terminal.
  static func progress(_ done: Int, of all: Int) {
    guard isTerminal(.standardError) else { return }
    write(done < all ? "\r\(done)/\(all)" : "\r\u{1B}[K", to: .standardError)
  }

  /// Prints an error and what to do about it.
  static func error(_ message: some StringProtocol, hint: String?) {
    let line: StyledText = "\("error:", .red) \(String(message))"
    write(line.rendered(inColor: hasColor(.standardError)) + "\n", to: .standardError)
    if let hint { note("hint: " + hint) }
  }

  /// The colors of outcomes and severities.
  enum Style: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case dim = "2"
  }

  private static func isTerminal(_ handle: FileHandle) -> Bool { isatty(handle.fileDescriptor) == 1 }

  /// Whether the handle is a terminal and `NO_COLOR` (no-color.org) is not set.
  private static func hasColor(_ handle: FileHandle) -> Bool {
    isTerminal(handle) && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }

  // A closed pipe is not an error of this program.
  private static func write(_ text: String, to handle: FileHandle) {
    try? handle.write(contentsOf: Data(text.utf8))
  }
}

/// Text with colored parts. The parts may come from outside: they are escaped when the text is rendered, so that the
/// colors are the only commands in it.
struct StyledText: ExpressibleByStringInterpolation {
  private var parts: [(text: String, style: Terminal.Style?)]

  init(_ text: String) { parts = [(text, nil)] }

  init(stringLiteral text: String) { self.init(text) }

  init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// Returns the text with color sequences (ECMA-48, section 8.3.117, "SGR"), or without any.
  func rendered(inColor: Bool) -> String {
    parts.map { part in
      let text = Printable.lines(part.text)
      guard inColor, let style = part.style else { return text }
      return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }.joined()
  }

  /// Interpolates styled parts: `"\(word, .red): \(rest)"`.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [(text: String, style: Terminal.Style?)] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { parts.append((literal, nil)) }

    mutating func appendInterpolation(_ text: String, _ style: Terminal.Style? = nil) {
      parts.append((text, style))
    }
  }
}
