internal import Foundation

/// Where words go, and in which color. The only way to standard output and standard error: whatever a text holds, a terminal
/// gets no command of it (`Printable`).
enum Terminal {
  /// A line of the answer, or several.
  static func answer(_ line: String) {
    answer(StyledText(line))
  }

  /// The same with colors, where standard output is a terminal.
  static func answer(_ line: StyledText) {
    write(line.rendered(inColor: hasColor(.standardOutput)) + "\n", to: .standardOutput)
  }

  /// The answer as a JSON document, with a line feed behind.
  static func answer(json bytes: [UInt8]) {
    try? answer(keptJSON: bytes + [0x0A])
  }

  /// The same as a document that is often kept, so that half of it is a failure.
  ///
  /// - Throws: what the system says where not all of it can be written.
  static func answer(keptJSON bytes: [UInt8]) throws {
    try FileHandle.standardOutput.write(contentsOf: Data(Printable.json(bytes)))
  }

  /// Text that a pipe gets as it is, a token; a terminal gets it escaped.
  static func answer(exact text: String) {
    if isTerminal(.standardOutput) { return answer(text) }
    write(text + "\n", to: .standardOutput)
  }

  /// A line about the work.
  static func note(_ line: String) {
    write(StyledText(line).rendered(inColor: false) + "\n", to: .standardError)
  }

  /// How far the work is, on one line that goes away; only on a terminal.
  static func progress(_ done: Int, of all: Int) {
    guard isTerminal(.standardError) else { return }
    write(done < all ? "\r\(done)/\(all)" : "\r\u{1B}[K", to: .standardError)
  }

  /// What went wrong and what to do about it.
  static func error(_ message: some StringProtocol, hint: String?) {
    let line: StyledText = "\("error:", .red) \(String(message))"
    write(line.rendered(inColor: hasColor(.standardError)) + "\n", to: .standardError)
    if let hint { note("hint: " + hint) }
  }

  /// Colors with a meaning.
  enum Style: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case dim = "2"
  }

  private static func isTerminal(_ handle: FileHandle) -> Bool { isatty(handle.fileDescriptor) == 1 }

  /// Whether it is a terminal, and `NO_COLOR` (no-color.org) is not set.
  private static func hasColor(_ handle: FileHandle) -> Bool {
    isTerminal(handle) && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }

  /// A reader that went away is no error of ours.
  private static func write(_ text: String, to handle: FileHandle) {
    try? handle.write(contentsOf: Data(text.utf8))
  }
}

/// Text with words in color. Its words may come from outside: they are escaped when the text is rendered, so that its colors
/// are the only commands in it.
struct StyledText: ExpressibleByStringInterpolation {
  private var parts: [(text: String, style: Terminal.Style?)]

  init(_ text: String) { parts = [(text, nil)] }

  init(stringLiteral text: String) { self.init(text) }

  init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// What is written: with the sequences of ECMA-48, section 8.3.117, "SGR", or without any.
  func rendered(inColor: Bool) -> String {
    parts.map { part in
      let text = Printable.lines(part.text)
      guard inColor, let style = part.style else { return text }
      return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }.joined()
  }

  /// `"\(word, .red): \(rest)"`.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [(text: String, style: Terminal.Style?)] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { parts.append((literal, nil)) }

    mutating func appendInterpolation(_ text: String, _ style: Terminal.Style? = nil) {
      parts.append((text, style))
    }
  }
}
