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
      bytes.append(0x22)
      member("message", message)
      if let requestID { member("requestId", requestID) }
    case .text:
      bytes += timestamp.text
      bytes.append(0x09)
      value((requestID ?? "-").utf8)
      bytes.append(0x09)
      bytes += level.name.utf8
      bytes.append(0x09)
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
    if format == .json { bytes.append(0x7D) }
  }

  /// Writes the name of a member. Names are constants and need no escaping.
  private mutating func label(_ name: String) {
    switch format {
    case .json:
      bytes += ",\"".utf8
      bytes += name.utf8
      bytes += "\":".utf8
    case .text:
      bytes.append(0x09)
      bytes += name.utf8
      bytes.append(0x3D)
    }
  }

  private mutating func value(_ utf8: some Collection<UInt8>) {
    let isPlain = utf8.allSatisfy { 0x20..<0x7F ~= $0 && $0 != 0x22 && $0 != 0x5C }
    switch format {
    case .json where isPlain:
      bytes.append(0x22)
      bytes += utf8
      bytes.append(0x22)
    case .json:
      var writer = JSONWriter(capacity: utf8.count + 16)
      writer.string(utf8: utf8)
      bytes += writer.bytes
    case .text where isPlain:
      bytes += utf8
    case .text:
      for byte in utf8 { bytes.append(byte == 0x0A ? 0x0D : byte == 0x09 ? 0x20 : byte) }
    }
  }
}
