/// One line that a function wrote.
public struct FunctionLogLine: Equatable, Sendable {
  /// Where it was written.
  public enum Stream: Sendable {
    case standardOutput, standardError
    /// By nobody: a line that Lambda itself adds, such as `START` or `REPORT`.
    case platform
  }

  /// Where it was written.
  public let stream: Stream
  /// The line without its end, decoded as UTF-8 with U+FFFD for what is not.
  public let text: String

  /// A line.
  public init(stream: Stream, text: String) {
    self.stream = stream
    self.text = text
  }
}

/// Cuts a stream of bytes into lines.
struct LineSplitter {
  /// A line longer than this is cut in two: 256 KiB is what CloudWatch Logs takes as one event.
  static let lineBytes = 256 << 10

  private let stream: FunctionLogLine.Stream
  private var rest: [UInt8] = []

  init(_ stream: FunctionLogLine.Stream) {
    self.stream = stream
  }

  /// The lines that these bytes complete.
  mutating func lines(appending bytes: some Sequence<UInt8>) -> [FunctionLogLine] {
    var lines: [FunctionLogLine] = []
    for byte in bytes {
      if byte == 0x0A {
        lines.append(takeLine())
      } else {
        rest.append(byte)
        if rest.count == Self.lineBytes { lines.append(takeLine()) }
      }
    }
    return lines
  }

  /// The last line of a stream that does not end in a line feed.
  mutating func last() -> FunctionLogLine? {
    rest.isEmpty ? nil : takeLine()
  }

  private mutating func takeLine() -> FunctionLogLine {
    if rest.last == 0x0D { rest.removeLast() }
    defer { rest.removeAll(keepingCapacity: true) }
    return FunctionLogLine(stream: stream, text: String(decoding: rest, as: UTF8.self))
  }
}
