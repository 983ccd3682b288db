/// One request of a function to the benchmark's Runtime API.
struct BenchRequest: Equatable {
  /// A call of the Runtime API.
  enum Call: Equatable {
    case next
    /// The answer to the invocation with this ID.
    case response(id: [UInt8])
    /// An error instead of an answer.
    case error(id: [UInt8])
    case initializationError
  }

  let call: Call
  let body: [UInt8]
}

/// Reads requests from the bytes of one connection, however they are split.
///
/// Separate from the reader of the emulated Runtime API, so that almost no code runs between the last byte of an
/// answer and the time measurement.
struct BenchRequestReader {
  private var buffer: [UInt8] = []
  private var head: Head?

  /// The maximum bytes of a head: our choice; runtimes send a few hundred.
  static let headByteLimit = 64 << 10
  /// The maximum bytes of a body: Lambda's 6 MiB and its 100 bytes of tolerance.
  static let bodyByteLimit = 6 * 1024 * 1024 + 100

  static let noRequestLine = BenchFault.protocolViolation("no HTTP/1.1 request line")
  private static let coding = BenchFault.protocolViolation("a Transfer-Encoding other than chunked")
  private static let largeBody = BenchFault.protocolViolation("a body of more than \(bodyByteLimit) bytes")

  private struct Head {
    let call: BenchRequest.Call
    let bodyStart: Int
    /// `nil` for a chunked body.
    let contentLength: Int?
    let expectsContinue: Bool
  }

  /// Whether no bytes follow the last complete request.
  var isEmpty: Bool { buffer.isEmpty }

  mutating func append(_ bytes: some Sequence<UInt8>) { buffer += bytes }

  /// Returns the next complete request; `nil` while bytes are missing.
  ///
  /// - Parameter onExpectation: called once for a request that waits for `100 Continue` (RFC 9110 section 10.1.1).
  mutating func next(onExpectation: () -> Void = {}) throws(BenchFault) -> BenchRequest? {
    if head == nil {
      guard let end = headEnd() else {
        guard buffer.count <= Self.headByteLimit else {
          throw .protocolViolation("a request head of more than \(Self.headByteLimit) bytes")
        }
        return nil
      }
      head = try Self.head(buffer[..<end], bodyStart: end)
      if head?.expectsContinue == true { onExpectation() }
    }
    guard let head, let (body, end) = try body(of: head) else { return nil }
    buffer.removeFirst(end)
    self.head = nil
    return BenchRequest(call: head.call, body: body)
  }

  /// Returns the index after the empty line.
  private func headEnd() -> Int? {
    let bytes = buffer.span
    var last = 3
    while last < bytes.count {
      switch bytes[last] {
      case 0x0A where bytes[last - 1] == 0x0D && bytes[last - 2] == 0x0A && bytes[last - 3] == 0x0D:
        return last + 1
      case 0x0A: last += 2
      case 0x0D: last += 1
      default: last += 4
      }
    }
    return nil
  }

  private func body(of head: Head) throws(BenchFault) -> (bytes: [UInt8], end: Int)? {
    guard let length = head.contentLength else { return try chunks(from: head.bodyStart) }
    guard length <= Self.bodyByteLimit else { throw Self.largeBody }
    let end = head.bodyStart + length
    return end <= buffer.count ? (Array(buffer[head.bodyStart..<end]), end) : nil
  }

  /// Reads a chunked body (RFC 9112 section 7.1). Ignores extensions and trailers.
  private func chunks(from start: Int) throws(BenchFault) -> (bytes: [UInt8], end: Int)? {
    var body: [UInt8] = []
    var position = start
    while let line = line(from: position) {
      guard let size = Int(Self.text(line.prefix { $0 != 0x3B && $0 != 0x20 }), radix: 16), size >= 0 else {
        throw Self.coding
      }
      position = line.endIndex + 2
      if size == 0 { return trailerEnd(from: position).map { (body, $0) } }
      guard body.count + size <= Self.bodyByteLimit else { throw Self.largeBody }
      guard position + size + 2 <= buffer.count else { return nil }
      body += buffer[position..<position + size]
      position += size + 2
    }
    return nil
  }

  private func trailerEnd(from start: Int) -> Int? {
    var position = start
    while let line = line(from: position) {
      position = line.endIndex + 2
      if line.isEmpty { return position }
    }
    return nil
  }

  /// Returns the bytes up to the next CRLF.
  private func line(from start: Int) -> ArraySlice<UInt8>? {
    guard let end = buffer[start...].firstIndex(of: 0x0D), end + 1 < buffer.count else { return nil }
    return buffer[start..<end]
  }

  private static func head(_ bytes: ArraySlice<UInt8>, bodyStart: Int) throws(BenchFault) -> Head {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
      $0.last == 0x0D ? $0.dropLast() : $0
    }
    let words = lines[0].split(separator: 0x20)
    guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8) else { throw noRequestLine }
    let call = try call(method: words[0], path: words[1])
    var (length, isChunked, expectsContinue): (Int?, Bool, Bool) = (nil, false, false)
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: 0x3A) else { continue }
      let value = text(line[(colon + 1)...]).filter { $0 != " " }.lowercased()
      switch text(line[..<colon]).lowercased() {
      case "content-length":
        guard let number = Int(value), number >= 0, length == nil || length == number else {
          throw .protocolViolation("a Content-Length that is not a number")
        }
        length = number
      case "transfer-encoding":
        guard value == "chunked" else { throw coding }
        isChunked = true
      case "expect": expectsContinue = value == "100-continue"
      default: break
      }
    }
    return Head(
      call: call, bodyStart: bodyStart, contentLength: isChunked ? nil : length ?? 0,
      expectsContinue: expectsContinue)
  }

  private static let prefix = "/2018-06-01/runtime/"

  private static func call(
    method: ArraySlice<UInt8>, path: ArraySlice<UInt8>
  ) throws(BenchFault) -> BenchRequest.Call {
    let segments = path.dropFirst(prefix.utf8.count).split(separator: 0x2F)
    if path.starts(with: prefix.utf8) {
      switch (text(method), segments.map(text)) {
      case ("GET", ["invocation", "next"]): return .next
      case ("POST", ["init", "error"]): return .initializationError
      case ("POST", let names) where names.count == 3 && names[0] == "invocation":
        if names[2] == "response" { return .response(id: Array(segments[1])) }
        if names[2] == "error" { return .error(id: Array(segments[1])) }
      default: break
      }
    }
    throw .protocolViolation("\(text(method)) \(text(path)) is not a call of the Runtime API")
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
