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
      bytes += "{\"timestamp\":\"".utf8
      bytes += timestamp.text
      bytes += "\",\"level\":\"".utf8
      bytes += level.name.utf8
      bytes.append(.quote)
      member("message", message)
      if let requestID { member("requestId", requestID) }
    case .text:
      bytes += timestamp.text
      bytes.append(.tab)
      value((requestID ?? "-").utf8)
      bytes.append(.tab)
      bytes += level.name.utf8
      bytes.append(.tab)
      value(message.utf8)
    }
  }

  package mutating func member(_ name: String, _ value: String) {
    label(name)
    self.value(value.utf8)
  }

  package mutating func member(_ name: String, utf8 value: some Collection<UInt8>) {
    label(name)
    self.value(value)
  }

  package mutating func member(_ name: String, _ value: Int64) {
    label(name)
    bytes += value.description.utf8
  }

  package mutating func member(_ name: String, _ value: Bool) {
    label(name)
    bytes += (value ? "true" : "false").utf8
  }

  package mutating func end() {
    if format == .json { bytes.append(.closingBrace) }
  }

  /// Writes the name of a member. Names are constants and need no escaping.
  private mutating func label(_ name: String) {
    switch format {
    case .json:
      bytes += ",\"".utf8
      bytes += name.utf8
      bytes += "\":".utf8
    case .text:
      bytes.append(.tab)
      bytes += name.utf8
      bytes.append(.equalsSign)
    }
  }

  private mutating func value(_ utf8: some Collection<UInt8>) {
    let isPlain = utf8.allSatisfy { 0x20..<0x7F ~= $0 && $0 != .quote && $0 != .backslash }
    switch format {
    case .json where isPlain:
      bytes.append(.quote)
      bytes += utf8
      bytes.append(.quote)
    case .json:
      var writer = JSONWriter(capacity: utf8.count + 16)
      writer.string(utf8: utf8)
      bytes += writer.bytes
    case .text where isPlain:
      bytes += utf8
    case .text:
      for byte in utf8 { bytes.append(byte == .lineFeed ? 0x0D : byte == .tab ? 0x20 : byte) }
    }
  }
}
