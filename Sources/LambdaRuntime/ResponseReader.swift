import Bytes

/// The source of an answer's bytes: a socket, or a script in a test.
protocol ByteSource: ~Copyable {
  /// Waits for bytes and writes them to `buffer` from `offset` on; returns their count, 0 at the end of the stream.
  mutating func receive(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int
}

/// Reads answers from a connection through one buffer that exists as long as the client.
struct ResponseReader {
  /// The maximum bytes from the status line to the empty line, and of lines around chunks (this project's limit).
  /// Lambda's own heads are below 1 KiB. The client context, the only field that callers control, has at most 3,583
  /// bytes (https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html).
  static let headByteLimit = 32 * 1024
  /// The maximum number of interim (1xx) answers before the final one (this project's limit). The Runtime API sends
  /// none.
  static let interimAnswerLimit = 8

  private var buffer: [UInt8]
  private var start = 0
  private var end = 0

  /// The length of the buffer at first (this project's choice): most heads and events fit in it, and memory that is not
  /// used is not touched.
  private static let firstBufferBytes = 16 * 1024

  init() { buffer = [UInt8](repeating: 0, count: Self.firstBufferBytes) }

  /// Whether all received bytes have been used.
  var isEmpty: Bool { start == end }

  /// Discards the bytes of a closed connection.
  mutating func reset() { (start, end) = (0, 0) }

  /// Reads the head of the next final answer.
  mutating func readHead(
    from source: inout some ByteSource & ~Copyable
  ) throws(TransportFailure) -> ResponseHead {
    for _ in 0...Self.interimAnswerLimit {
      if isEmpty { try fillOrFail(from: &source) }
      let head = if let head = receivedHead() { head } else { try awaitedHead(from: &source) }
      start += head.byteCount
      guard head.isInterim else { return head }
    }
    throw .malformedAnswer(.interimAnswers)
  }

  /// Reads the body with this framing and appends it to `body`.
  ///
  /// - Throws: `.answerTooLarge` if it has more than `limit` bytes; before reading if the length is known.
  mutating func readBody(
    _ framing: BodyFraming, into body: inout [UInt8], limit: Int,
    from source: inout some ByteSource & ~Copyable
  ) throws(TransportFailure) {
    switch framing {
    case .none:
      return
    case .length(let length):
      guard length <= limit else { throw .answerTooLarge(byteLimit: limit) }
      body.reserveCapacity(length)
      try copy(length, into: &body, from: &source)
    case .chunked:
      try readChunks(into: &body, limit: limit, from: &source)
    case .untilClose:
      repeat {
        guard end - start <= limit - body.count else { throw .answerTooLarge(byteLimit: limit) }
        take(end - start, into: &body)
      } while try fill(from: &source) > 0
    }
  }
}

extension ResponseReader {
  /// The head, if the bytes that have been received begin with a valid one, as they nearly always do.
  private func receivedHead() -> ResponseHead? {
    guard let head = try? ResponseHead(parsing: buffer, from: start, to: end) else { return nil }
    return head.byteCount <= Self.headByteLimit ? head : nil
  }

  private mutating func awaitedHead(
    from source: inout some ByteSource & ~Copyable
  ) throws(TransportFailure) -> ResponseHead {
    let length = try waitForHead(from: &source)
    do {
      return try ResponseHead(parsing: buffer, from: start, to: start + length)
    } catch { throw .malformedAnswer(error) }
  }

  /// Waits for a complete head and returns its length, including the empty line.
  private mutating func waitForHead(
    from source: inout some ByteSource & ~Copyable
  ) throws(TransportFailure) -> Int {
    var searched = 0
    while true {
      if let length = headLength(searchingFrom: searched) {
        guard length <= Self.headByteLimit else { throw .headTooLarge(byteLimit: Self.headByteLimit) }
        return length
      }
      // The last three bytes may belong to the empty line.
      searched = max(0, end - start - 3)
      guard end - start < Self.headByteLimit else { throw .headTooLarge(byteLimit: Self.headByteLimit) }
      try fillOrFail(from: &source)
    }
  }

  /// Searches for CR LF CR LF.
  private func headLength(searchingFrom searched: Int) -> Int? {
    let buffer = buffer.span.extracting(0..<end)
    var index = start + searched
    while true {
      index = buffer.firstIndex(of: .carriageReturn, from: index)
      guard end - index >= 4 else { return nil }
      if buffer[index + 1] == .lineFeed, buffer[index + 2] == .carriageReturn, buffer[index + 3] == .lineFeed
      {
        return index + 4 - start
      }
      index += 1
    }
  }

  /// Reads a chunked body (RFC 9112 §7.1). Extensions and trailers are ignored, except for a check of their length.
  private mutating func readChunks(
    into body: inout [UInt8], limit: Int, from source: inout some ByteSource & ~Copyable
  ) throws(TransportFailure) {
    while true {
      let line = try readLine(limit: Self.headByteLimit, defect: .chunkSize, from: &source)
      guard let size = Self.chunkSize(buffer[line]) else { throw .malformedAnswer(.chunkSize) }
      if size == 0 { break }
      guard size <= limit - body.count else { throw .answerTooLarge(byteLimit: limit) }
      try copy(size, into: &body, from: &source)
      let gap = try readLine(limit: Self.headByteLimit, defect: .chunkEnd, from: &source)
      guard gap.isEmpty else { throw .malformedAnswer(.chunkEnd) }
    }
    var trailerRoom = Self.headByteLimit
    while true {
      let line = try readLine(limit: trailerRoom, defect: .trailer, from: &source)
      if line.isEmpty { return }
      trailerRoom -= line.count + 2
    }
  }

  /// The hexadecimal number before an extension; nil if there is none, or if it does not fit in an `Int`.
  private static func chunkSize(_ line: ArraySlice<UInt8>) -> Int? {
    var size = 0
    var digits = 0
    for byte in line {
      guard let value = byte.hexadecimalValue else {
        guard byte == .semicolon || byte == .space || byte == .tab else { return nil }
        break
      }
      guard size <= Int.max >> 4 else { return nil }
      size = size << 4 | Int(value)
      digits += 1
    }
    return digits > 0 ? size : nil
  }

  /// The range in the buffer of the next line without its CRLF, valid until the next read.
  private mutating func readLine(
    limit: Int, defect: HTTPDefect, from source: inout some ByteSource & ~Copyable
  ) throws(TransportFailure) -> Range<Int> {
    var length = 0
    while true {
      while start + length < end, buffer[start + length].isFieldCharacter { length += 1 }
      guard length <= limit else { throw .headTooLarge(byteLimit: Self.headByteLimit) }
      if start + length < end, buffer[start + length] != .carriageReturn { throw .malformedAnswer(defect) }
      if start + length + 1 < end { break }
      try fillOrFail(from: &source)
    }
    guard buffer[start + length + 1] == .lineFeed else { throw .malformedAnswer(defect) }
    let line = start..<(start + length)
    start += length + 2
    return line
  }

  private mutating func copy(
    _ count: Int, into body: inout [UInt8], from source: inout some ByteSource & ~Copyable
  ) throws(TransportFailure) {
    var missing = count
    while true {
      let part = min(missing, end - start)
      take(part, into: &body)
      missing -= part
      if missing == 0 { return }
      try fillOrFail(from: &source)
    }
  }

  private mutating func take(_ count: Int, into body: inout [UInt8]) {
    body.append(copying: buffer.span.extracting(start..<(start + count)))
    start += count
  }

  private mutating func fillOrFail(from source: inout some ByteSource & ~Copyable) throws(TransportFailure) {
    if try fill(from: &source) == 0 { throw .connectionLost(errorNumber: 0) }
  }

  /// Makes room in the buffer and waits for bytes. A part that must fit in the buffer may use half of it before the
  /// buffer grows, so it grows to twice the longest part.
  private mutating func fill(from source: inout some ByteSource & ~Copyable) throws(TransportFailure) -> Int {
    if start == end {
      reset()
    } else if end == buffer.count {
      if end - start > buffer.count / 2 { buffer += [UInt8](repeating: 0, count: buffer.count) }
      buffer.replaceSubrange(0..<(end - start), with: buffer[start..<end])
      (start, end) = (0, end - start)
    }
    do {
      let count = try source.receive(into: &buffer, at: end)
      end += count
      return count
    } catch { throw .connectionLost(errorNumber: error.number) }
  }
}
