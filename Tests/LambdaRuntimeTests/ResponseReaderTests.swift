import Testing

@testable import LambdaRuntime

@Suite("Reading an answer")
struct ResponseReaderTests {
  static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  /// The body of the only answer in `pieces`.
  static func read(_ pieces: [[UInt8]], limit: Int = 1_000) throws(TransportFailure) -> String {
    var source = PreparedBytes(pieces)
    var reader = ResponseReader()
    var body: [UInt8] = []
    let head = try reader.readHead(from: &source)
    try reader.readBody(head.framing, into: &body, limit: limit, from: &source)
    return String(decoding: body, as: UTF8.self)
  }

  static func read(_ text: String, limit: Int = 1_000) throws(TransportFailure) -> String {
    try read([Array(text.utf8)], limit: limit)
  }

  static let chunked =
    head
    + "5;name=\"value\"\r\nhello\r\n1 \r\n,\r\n00A\r\n wide\r\nwor\r\n2\r\nld\r\n0;last\r\nTrailer: x\r\nOther: y\r\n\r\n"

  @Test("a chunked body can be split at any byte")
  func chunksCutAnywhere() throws {
    let bytes = Array(Self.chunked.utf8)
    for cut in 0...bytes.count {
      #expect(
        try Self.read([Array(bytes[..<cut]), Array(bytes[cut...])].filter { !$0.isEmpty })
          == "hello, wide\r\nworld", "cut at \(cut)")
    }
    #expect(try Self.read(bytes.map { [$0] }) == "hello, wide\r\nworld")
  }

  @Test("a body of known length can be split at any byte")
  func lengthCutAnywhere() throws {
    let bytes = Answers.event("{\"a\":1}")
    for cut in 1..<bytes.count {
      #expect(try Self.read([Array(bytes[..<cut]), Array(bytes[cut...])]) == "{\"a\":1}", "cut at \(cut)")
    }
  }

  @Test("a body without a length ends with the connection")
  func untilClose() throws {
    #expect(try Self.read([Array("HTTP/1.0 200 OK\r\n\r\nab".utf8), Array("cd".utf8)]) == "abcd")
  }

  @Test("interim answers are skipped, up to the limit")
  func interim() throws {
    let interim = "HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n"
    let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    let most = String(repeating: interim, count: ResponseReader.interimAnswerLimit)
    #expect(try Self.read(most + final) == "{}")
    #expect(throws: TransportFailure.malformedAnswer(.interimAnswers)) {
      try Self.read(most + interim + final)
    }
  }

  @Test("a chunked body without its last chunk is incomplete")
  func truncatedChunks() throws {
    let bytes = Array(Self.chunked.utf8)
    for length in 0..<bytes.count {
      #expect(throws: TransportFailure.connectionLost(errorNumber: 0), "first \(length) bytes") {
        try Self.read([Array(bytes[..<length])])
      }
    }
  }

  static let chunkDefects: [(body: String, defect: HTTPDefect)] = [
    ("\r\n", .chunkSize), ("x\r\n", .chunkSize), ("-1\r\n", .chunkSize),
    ("0x5\r\nhello\r\n0\r\n\r\n", .chunkSize),
    ("5\nhello\r\n", .chunkSize), (";a\r\n", .chunkSize), ("8000000000000000\r\n", .chunkSize),
    ("5\r\nhello!\r\n", .chunkEnd), ("5\r\nhello\n", .chunkEnd), ("5\r\nhello\rx", .chunkEnd),
    ("0\r\nTrailer\u{1}: x\r\n\r\n", .trailer), ("0\r\n\n", .trailer),
  ]

  @Test("chunks that violate RFC 9112 are refused with their defect", arguments: chunkDefects)
  func chunkDefect(_ body: String, _ defect: HTTPDefect) {
    #expect(throws: TransportFailure.malformedAnswer(defect)) { try Self.read(Self.head + body) }
  }

  @Test("a body is accepted up to the limit")
  func bodyLimit() throws {
    let limit = TransportFailure.answerTooLarge(byteLimit: 5)
    #expect(try Self.read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", limit: 5) == "hello")
    #expect(throws: limit) { try Self.read("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n", limit: 5) }
    #expect(try Self.read(Self.head + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", limit: 5) == "hello")
    #expect(throws: limit) { try Self.read(Self.head + "2\r\nhe\r\n4\r\n", limit: 5) }
    #expect(throws: limit) { try Self.read(Self.head + "7fffffffffffffff\r\n", limit: 5) }
    #expect(try Self.read("HTTP/1.1 200 OK\r\n\r\nhello", limit: 5) == "hello")
    #expect(throws: limit) { try Self.read("HTTP/1.1 200 OK\r\n\r\nhello!", limit: 5) }
  }

  @Test("a head is accepted up to the limit")
  func headLimit() throws {
    func head(of count: Int) -> String {
      let frame = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: \r\n\r\n"
      return frame.replacing("X: ", with: "X: " + String(repeating: "x", count: count - frame.utf8.count))
    }
    let limit = ResponseReader.headByteLimit
    #expect(try Self.read(head(of: limit) + "{}") == "{}")
    for pieces in [[head(of: limit + 1)], [String(repeating: "x", count: limit), "\r\n\r\n"]] {
      #expect(throws: TransportFailure.headTooLarge(byteLimit: limit)) {
        try Self.read(pieces.map { Array($0.utf8) })
      }
    }
  }

  @Test(
    "lines around chunks have a limit",
    arguments: [
      "5;" + String(repeating: "x", count: ResponseReader.headByteLimit),
      "0\r\n" + String(repeating: "T: " + String(repeating: "x", count: 1_000) + "\r\n", count: 40),
    ])
  func chunkLineLimit(_ body: String) {
    #expect(throws: TransportFailure.headTooLarge(byteLimit: ResponseReader.headByteLimit)) {
      try Self.read(Self.head + body)
    }
  }

  @Test("a body longer than the buffer is read completely")
  func longBody() throws {
    let text = String((0..<100_000).map { Character(UnicodeScalar(UInt8($0 % 26) + 97)) })
    let chunks = "1\r\n{\r\n186A0\r\n\(text)\r\n0\r\n\r\n"
    #expect(try Self.read(Self.head + chunks, limit: 200_000) == "{" + text)
    #expect(
      try Self.read("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + text, limit: 200_000) == text)
  }

  /// The buffer begins with 16 KiB and grows: heads around its half, its whole and the limit, in pieces of several
  /// lengths, behind another answer and before a body.
  @Test(
    "a head of any length is read with its body",
    arguments: [8_191, 8_192, 8_193, 16_383, 16_384, 16_385, 24_000, 32_767, 32_768],
    [1_000, 8_192, 16_384, 70_000])
  func growingBuffer(headBytes: Int, pieceBytes: Int) throws {
    let body = String(repeating: "0123456789", count: 4_000)
    let start = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nX: "
    let head = start + String(repeating: "x", count: headBytes - start.utf8.count - 4) + "\r\n\r\n"
    let bytes = Answers.accepted + Array((head + body).utf8)
    let pieces = stride(from: 0, to: bytes.count, by: pieceBytes).map {
      Array(bytes[$0..<min($0 + pieceBytes, bytes.count)])
    }
    var source = PreparedBytes(pieces)
    var reader = ResponseReader()
    for expected in [#"{"status":"OK"}"#, body] {
      var read: [UInt8] = []
      let head = try reader.readHead(from: &source)
      try reader.readBody(head.framing, into: &read, limit: body.utf8.count, from: &source)
      #expect(read == Array(expected.utf8))
    }
    #expect(reader.isEmpty)
  }

  @Test(
    "a line between chunks is read across the end of the buffer", arguments: [0, 1, 8_000, 16_300, 30_000])
  func growingBufferForLines(extensionBytes: Int) throws {
    let body = "3;" + String(repeating: "e", count: extensionBytes) + "\r\nabc\r\n0\r\n\r\n"
    let bytes = Array((Self.head + body).utf8)
    #expect(try Self.read(bytes.map { [$0] }) == "abc")
    #expect(try Self.read([bytes]) == "abc")
  }

  @Test("answers that arrive together are read one by one, and remaining bytes are detected")
  func pipelined() throws {
    var source = PreparedBytes([Answers.event("{}") + Answers.accepted])
    var reader = ResponseReader()
    for (body, isLast) in [("{}", false), (#"{"status":"OK"}"#, true)] {
      var bytes: [UInt8] = []
      let head = try reader.readHead(from: &source)
      try reader.readBody(head.framing, into: &bytes, limit: 100, from: &source)
      #expect(String(decoding: bytes, as: UTF8.self) == body)
      #expect(reader.isEmpty == isLast)
    }
  }
}
