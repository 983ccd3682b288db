import Bytes

package struct FunctionLogLine: Equatable, Sendable {
  package enum Stream: Sendable {
    case standardOutput, standardError
    /// A line that Lambda itself adds, such as `START` or `REPORT`.
    case platform
  }

  package let stream: Stream
  /// The line without its line end, decoded as UTF-8, with U+FFFD for invalid bytes.
  package let text: String
}

extension Array {
  /// Drops the oldest lines above the limits of a process.
  mutating func dropOldestLines(_ text: (Element) -> String) {
    var first = endIndex
    var bytes = 0
    while first > startIndex, endIndex - first < FunctionProcess.keptLines {
      bytes += text(self[first - 1]).utf8.count
      guard bytes <= FunctionProcess.keptBytes else { break }
      first -= 1
    }
    removeFirst(first)
  }
}

struct LineSplitter {
  /// A longer line is split: 256 KiB is the maximum of one event in CloudWatch Logs.
  static let lineBytes = 256 << 10

  private let stream: FunctionLogLine.Stream
  private var rest: [UInt8] = []

  init(_ stream: FunctionLogLine.Stream) {
    self.stream = stream
  }

  mutating func lines(appending bytes: some Sequence<UInt8>) -> [FunctionLogLine] {
    var lines: [FunctionLogLine] = []
    for byte in bytes {
      if byte == .lineFeed {
        lines.append(takeLine())
      } else {
        rest.append(byte)
        if rest.count == Self.lineBytes { lines.append(takeLine()) }
      }
    }
    return lines
  }

  /// Returns the last line of a stream if it does not end in a line feed.
  mutating func last() -> FunctionLogLine? {
    rest.isEmpty ? nil : takeLine()
  }

  private mutating func takeLine() -> FunctionLogLine {
    if rest.last == .carriageReturn { rest.removeLast() }
    defer { rest.removeAll(keepingCapacity: true) }
    return FunctionLogLine(stream: stream, text: String(decoding: rest, as: UTF8.self))
  }
}
