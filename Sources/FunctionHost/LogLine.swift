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
  private(set) var text = ByteBuffer(capacity: 1024)
  private var timestamp = Timestamp()

  package init(_ format: LogFormat) {
    self.format = format
  }

  /// A copy of the line so far, without a line feed.
  package var bytes: [UInt8] { text.bytes }

  /// Begins a new line.
  ///
  /// - Parameter requestID: Lambda's request ID, if the line is about an invocation.
  package mutating func begin(
    _ level: LogLevel, _ message: String, requestID: ArraySlice<UInt8>?, unixMilliseconds: Int64
  ) {
    text.removeAll()
    timestamp.set(unixMilliseconds: unixMilliseconds)
    switch format {
    case .json:
      text.append("{\"timestamp\":\"")
      text.append(timestamp.text)
      text.append("\",\"level\":\"")
      text.append(level.name)
      text.append(.quote)
      member("message", message)
      if let requestID { member("requestId", utf8: requestID.span) }
    case .text:
      text.append(timestamp.text)
      text.append(.tab)
      let request = requestID ?? [.hyphen]
      value(request.span)
      text.append(.tab)
      text.append(level.name)
      text.append(.tab)
      value(message)
    }
  }

  package mutating func member(_ name: StaticString, _ value: String) {
    label(name)
    self.value(value)
  }

  package mutating func member(_ name: StaticString, utf8 value: Span<UInt8>) {
    label(name)
    self.value(value)
  }

  package mutating func member(_ name: StaticString, _ value: Int64) {
    label(name)
    text.append(decimal: value)
  }

  package mutating func member(_ name: StaticString, _ value: Bool) {
    label(name)
    text.append(value ? "true" : "false")
  }

  package mutating func end() {
    if format == .json { text.append(.closingBrace) }
  }

  /// Writes the name of a member. Names are constants and need no escaping.
  private mutating func label(_ name: StaticString) {
    switch format {
    case .json:
      text.append(name: name, afterComma: true)
    case .text:
      text.append(.tab)
      text.append(name)
      text.append(.equalsSign)
    }
  }

  private mutating func value(_ value: String) {
    value.withBytes { self.value($0) }
  }

  private mutating func value(_ value: Span<UInt8>) {
    guard PlainText.end(in: value, from: 0) < value.count else {
      return format == .json ? text.append(quoted: value) : text.append(value)
    }
    if format == .json { text.append(.quote) }
    let start = text.count
    text.append(value)
    replaceSpecialBytes(from: start)
    if format == .json { text.append(.quote) }
  }

  /// Replaces what must not occur in a value of this format; the value is at the end of the line.
  private mutating func replaceSpecialBytes(from start: Int) {
    let value = text.cut(from: start)
    switch format {
    case .json:
      var writer = JSONWriter(capacity: value.count + 16)
      writer.string(utf8: value)
      // Without the writer's quotes.
      text.append(writer.takeBytes().span.extracting(droppingFirst: 1).extracting(droppingLast: 1))
    case .text:
      for byte in value { text.append(byte == .lineFeed ? 0x0D : byte == .tab ? 0x20 : byte) }
    }
  }
}
