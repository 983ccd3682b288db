import Bytes
import JSON

/// A log line in progress, in either format. Its buffer is reused for the next line.
///
/// JSON: an object. Text: time, request ID, level and message as Lambda's own runtimes write them, then `name=value`,
/// separated by tabs. A line never contains a line feed: JSON escapes it, and text replaces it by a carriage return,
/// which Lambda shows as one event.
package struct LogLine {
  package let format: LogFormat
  /// The line so far, without a line feed.
  package private(set) var bytes: [UInt8] = []
  private var timestamp = Timestamp()

  package init(_ format: LogFormat) {
    self.format = format
    bytes.reserveCapacity(512)
  }

  /// Begins a new line.
  ///
  /// - Parameter requestID: Lambda's request ID, if the line is about an invocation.
  package mutating func begin(
    _ level: LogLevel, _ message: String, requestID: String?, unixMilliseconds: Int64
  ) {
    bytes.removeAll(keepingCapacity: true)
    timestamp.set(unixMilliseconds: unixMilliseconds)
    switch format {
    case .json:
      bytes.append("{\"timestamp\":\"")
      bytes.append(copying: timestamp.text)
      bytes.append("\",\"level\":\"")
      bytes += level.name.utf8
      bytes.append(.quote)
      member("message", message)
      if let requestID { member("requestId", requestID) }
    case .text:
      bytes.append(copying: timestamp.text)
      bytes.append(.tab)
      value { $0 += (requestID ?? "-").utf8 }
      bytes.append(.tab)
      bytes += level.name.utf8
      bytes.append(.tab)
      value { $0 += message.utf8 }
    }
  }

  package mutating func member(_ name: StaticString, _ value: String) {
    label(name)
    self.value { $0 += value.utf8 }
  }

  package mutating func member(_ name: StaticString, utf8 value: [UInt8]) {
    label(name)
    self.value { $0.append(copying: value) }
  }

  package mutating func member(_ name: StaticString, _ value: Int64) {
    label(name)
    bytes += value.description.utf8
  }

  package mutating func member(_ name: StaticString, _ value: Bool) {
    label(name)
    bytes.append(value ? "true" : "false")
  }

  package mutating func end() {
    if format == .json { bytes.append(.closingBrace) }
  }

  /// Writes the name of a member. Names are constants and need no escaping.
  private mutating func label(_ name: StaticString) {
    switch format {
    case .json:
      bytes.append(",\"")
      bytes.append(name)
      bytes.append("\":")
    case .text:
      bytes.append(.tab)
      bytes.append(name)
      bytes.append(.equalsSign)
    }
  }

  private mutating func value(_ appendText: (inout [UInt8]) -> Void) {
    if format == .json { bytes.append(.quote) }
    let start = bytes.count
    appendText(&bytes)
    if PlainText.end(in: bytes.span, from: start) < bytes.count { replaceSpecialBytes(from: start) }
    if format == .json { bytes.append(.quote) }
  }

  /// Replaces what must not occur in a value of this format; the value is at the end of the line.
  private mutating func replaceSpecialBytes(from start: Int) {
    let text = Array(bytes[start...])
    bytes.removeSubrange(start...)
    switch format {
    case .json:
      var writer = JSONWriter(capacity: text.count + 16)
      writer.string(utf8: text)
      // Without the writer's quotes.
      bytes += writer.bytes.dropFirst().dropLast()
    case .text:
      for byte in text { bytes.append(byte == .lineFeed ? 0x0D : byte == .tab ? 0x20 : byte) }
    }
  }
}
