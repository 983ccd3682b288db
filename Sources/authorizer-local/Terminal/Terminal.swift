internal import Foundation

/// Writes to standard output and standard error, with colors. All output goes through this type, which escapes
/// everything that a terminal could interpret as a command (`Printable`).
struct Terminal: Sendable {
  /// The answer.
  let output: Stream
  /// Everything else.
  let errors: Stream

  /// One of the two outputs.
  struct Stream: Sendable {
    var isTerminal = false
    var hasColor = false
    /// Writes all of the bytes, or throws the system's error.
    let write: @Sendable (_ bytes: [UInt8]) throws -> Void
  }

  /// Prints one or more lines of the answer.
  func answer(_ line: String) {
    answer(StyledText(line))
  }

  /// Prints the line with colors if standard output is a terminal.
  func answer(_ line: StyledText) {
    Self.write(line.rendered(inColor: output.hasColor) + "\n", to: output)
  }

  /// Prints the answer as a JSON document or as lines.
  func answer(
    json document: @autoclosure () -> [UInt8], if isJSON: Bool, else lines: @autoclosure () -> [StyledText]
  ) {
    if isJSON { answer(json: document()) } else { lines().forEach { answer($0) } }
  }

  func answer(
    json document: @autoclosure () -> [UInt8], if isJSON: Bool, else lines: @autoclosure () -> [String]
  ) {
    answer(json: document(), if: isJSON, else: lines().map { StyledText($0) })
  }

  /// Prints the answer as a JSON document, followed by a line feed.
  func answer(json bytes: [UInt8]) {
    try? answer(redirectedJSON: bytes + [0x0A])
  }

  /// Prints a document that is often redirected to a file, so an incomplete write is an error.
  ///
  /// - Throws: the system's error if the document cannot be written completely.
  func answer(redirectedJSON bytes: [UInt8]) throws {
    try output.write(Printable.json(bytes))
  }

  /// Prints text unchanged to a pipe, such as a token, and escaped to a terminal.
  func answer(exact text: String) {
    if output.isTerminal { return answer(text) }
    Self.write(text + "\n", to: output)
  }

  /// Prints a line to standard error.
  func note(_ line: String) {
    note(StyledText(line))
  }

  /// Prints the line with colors if standard error is a terminal.
  func note(_ line: StyledText) {
    Self.write(line.rendered(inColor: errors.hasColor) + "\n", to: errors)
  }

  /// Prints the progress on one line that disappears at the end; only on a terminal.
  func progress(_ done: Int, of all: Int) {
    guard errors.isTerminal else { return }
    Self.write(done < all ? "\r\(done)/\(all)" : "\r\u{1B}[K", to: errors)
  }

  /// Prints an error and what to do about it.
  func error(_ message: some StringProtocol, hint: String?) {
    let line: StyledText = "\("error:", .red) \(String(message))"
    Self.write(line.rendered(inColor: errors.hasColor) + "\n", to: errors)
    if let hint { note("hint: " + hint) }
  }

  /// The colors of outcomes and severities.
  enum Style: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case dim = "2"
  }

  // A closed pipe is not an error of this program.
  private static func write(_ text: String, to stream: Stream) {
    try? stream.write(Array(text.utf8))
  }
}

extension Terminal {
  /// The outputs of this process. They have colors if they are a terminal and `NO_COLOR` (no-color.org) is not set.
  init(environment: [String: String]) {
    let isColorful = (environment["NO_COLOR"] ?? "").isEmpty
    func stream(_ handle: FileHandle) -> Stream {
      let isTerminal = isatty(handle.fileDescriptor) == 1
      return Stream(isTerminal: isTerminal, hasColor: isTerminal && isColorful) {
        try handle.write(contentsOf: Data($0))
      }
    }
    self.init(output: stream(.standardOutput), errors: stream(.standardError))
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
