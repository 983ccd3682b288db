/// Where the bytes of answers come from: a socket, or a script in a test.
protocol ByteSource: ~Copyable {
  /// Waits for bytes and puts them into `buffer` at `offset` and after; 0 at the end of the stream.
  mutating func receive(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int
}

/// Reads answers off a connection, head first, through one buffer that lives as long as the client.
struct ResponseReader {
  /// Bytes, at most, from the status line to the empty line, and of the lines around chunks: ours. Lambda's own heads are
  /// under 1 KiB, and a client context, the one field that callers write, is at most 3,583 bytes
  /// (https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html).
  static let headByteLimit = 32 * 1024
  /// Interim (1xx) answers before the final one: ours. The Runtime API sends none.
  static let interimAnswerLimit = 8

  private var buffer: [UInt8]
  private var start = 0
  private var end = 0

  init() { buffer = [UInt8](repeating: 0, count: 2 * Self.headByteLimit) }

  /// Whether every byte that came has been used.
  var isEmpty: Bool { start == end }

  /// Forgets what came over a connection that is no more.
  mutating func reset() { (start, end) = (0, 0) }

  /// The head of the next final answer.
  mutating func readHead(
    from source: inout some ByteSource & ~Copyable
  ) throws(TransportFailure) -> ResponseHead {
    for _ in 0...Self.interimAnswerLimit {
      let length = try waitForHead(from: &source)
      let head: ResponseHead
      do {
        head = try ResponseHead(parsing: buffer, from: start, to: start + length)
      } catch { throw .malformedAnswer(error) }
      start += length
      guard head.isInterim else { return head }
    }
    throw .malformedAnswer(.interimAnswers)
  }

  /// Appends the body that `framing` announces to `body`.
  ///
  /// - Throws: `.answerTooLarge` when it has more than `limit` bytes, before they are read where the length is known.
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
  /// The length of the head at `start` with its empty line.
  private mutating func waitForHead(
    from source: inout some ByteSource & ~Copyable
  ) throws(TransportFailure) -> Int {
    var searched = 0
    while true {
      if let length = headLength(searchingFrom: searched) {
        guard length <= Self.headByteLimit else { throw .headTooLarge(byteLimit: Self.headByteLimit) }
        return length
      }
      // The last three bytes may be the beginning of the empty line.
      searched = max(0, end - start - 3)
      guard end - start < Self.headByteLimit else { throw .headTooLarge(byteLimit: Self.headByteLimit) }
      try fillOrFail(from: &source)
    }
  }

  /// Looks for CR LF CR LF by its last byte, so that most bytes are never looked at.
  private func headLength(searchingFrom searched: Int) -> Int? {
    var last = start + searched + 3
    while last < end {
      switch buffer[last] {
      case .lineFeed:
        if buffer[last - 1] == .carriageReturn, buffer[last - 2] == .lineFeed,
          buffer[last - 3] == .carriageReturn
        {
          return last + 1 - start
        }
        last += 2
      case .carriageReturn:
        last += 1
      default:
        last += 4
      }
    }
    return nil
  }

  /// RFC 9112 §7.1. Extensions and trailers mean nothing here; they are checked for length and skipped.
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

  /// The hexadecimal number before an extension; nil for none, and for one that no `Int` holds.
  private static func chunkSize(_ line: ArraySlice<UInt8>) -> Int? {
    var size = 0
    var digits = 0
    for byte in line {
      guard let value = byte.hexadecimalValue else {
        guard byte == UInt8(ascii: ";") || byte == .space || byte == .tab else { return nil }
        break
      }
      guard size <= Int.max >> 4 else { return nil }
      size = size << 4 | value
      digits += 1
    }
    return digits > 0 ? size : nil
  }

  /// The place in the buffer of the next line without its CRLF; it is valid until the next read.
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
    body.append(contentsOf: buffer[start..<(start + count)])
    start += count
  }

  private mutating func fillOrFail(from source: inout some ByteSource & ~Copyable) throws(TransportFailure) {
    if try fill(from: &source) == 0 { throw .connectionLost(errorNumber: 0) }
  }

  /// Makes room and waits for bytes. The buffer is twice as long as anything that must lie in it whole.
  private mutating func fill(from source: inout some ByteSource & ~Copyable) throws(TransportFailure) -> Int {
    if start == end {
      reset()
    } else if end == buffer.count {
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
