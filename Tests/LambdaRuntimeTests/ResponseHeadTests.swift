import Testing

@testable import LambdaRuntime

@Suite("The head of an answer")
struct ResponseHeadTests {
  static func parse(_ text: String) throws(HTTPDefect) -> ResponseHead {
    let bytes = Array(text.utf8)
    return try ResponseHead(parsing: bytes, from: 0, to: bytes.count)
  }

  static let framings: [(head: String, framing: BodyFraming, keepsAlive: Bool)] = [
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .length(5), true),
    ("HTTP/1.1 200 OK\r\nContent-Length:5\r\nContent-Length:\t 5 \t\r\n\r\n", .length(5), true),
    ("HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", .length(0), true),
    ("HTTP/1.1 200 \r\nTRANSFER-ENCODING: Chunked\r\n\r\n", .chunked, true),
    ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n", .length(1), false),
    ("HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 1\r\n\r\n", .length(1), false),
    (
      "HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n",
      .length(1), false
    ),
    ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", .length(1), false),
    ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\n", .length(1), true),
    ("HTTP/1.1 200 OK\r\n\r\n", .untilClose, false),
    ("HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n", .none, true),
    ("HTTP/1.1 304 Not Modified\r\n\r\n", .none, true),
    ("HTTP/1.1 100 Continue\r\n\r\n", .none, true),
  ]

  @Test("body length and connection persistence follow RFC 9112", arguments: framings)
  func framing(_ text: String, _ framing: BodyFraming, _ keepsAlive: Bool) throws {
    let head = try Self.parse(text)
    #expect(head.framing == framing)
    #expect(head.keepsAlive == keepsAlive)
  }

  @Test(
    "field names are compared without case",
    arguments: [
      { (name: String) in name }, { $0.lowercased() }, { $0.uppercased() },
    ] as [@Sendable (String) -> String])
  func fieldNames(_ spelled: @Sendable (String) -> String) throws {
    let fields = [
      ("Lambda-Runtime-Aws-Request-Id", "r"), ("Lambda-Runtime-Invocation-Id", "i"),
      ("Lambda-Runtime-Deadline-Ms", "1700000000000"), ("Lambda-Runtime-Invoked-Function-Arn", "arn:x"),
      ("Lambda-Runtime-Trace-Id", "Root=1"), ("Lambda-Runtime-Client-Context", "{\"ü\":1}"),
      ("Lambda-Runtime-Cognito-Identity", "c"), ("Lambda-Runtime-Aws-Tenant-Id", "t"),
    ]
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    let lines = fields.map { spelled($0.0) + ": " + $0.1 + "\r\n" }.joined()
    #expect(
      try Self.parse("HTTP/1.1 200 OK\r\n" + lines + "\r\n").invocation
        == InvocationFields(
          requestID: bytes("r"), invocationID: bytes("i"), deadlineMilliseconds: 1_700_000_000_000,
          functionARN: bytes("arn:x"), traceID: bytes("Root=1"), clientContext: bytes("{\"ü\":1}"),
          cognitoIdentity: bytes("c"), tenantID: bytes("t")))
  }

  @Test("missing and unknown fields are ignored")
  func missingFields() throws {
    let lines = "Lambda-Runtime-Aws-Request-Ix: r\r\nX:\r\nDate: now\r\n"
    #expect(try Self.parse("HTTP/1.1 200 OK\r\n" + lines + "\r\n").invocation == InvocationFields())
  }

  /// Eight bytes are checked at once: each byte at each place of a value, at values of every length up to five words.
  @Test("a value may have any byte but control characters", arguments: [0, 1, 7, 8, 9, 15, 16, 17, 40])
  func valueBytes(count: Int) throws {
    let start = Array("HTTP/1.1 200 OK\r\nX: ".utf8)
    var wrong: [String] = []
    for place in 0..<count {
      for byte in UInt8.min...UInt8.max {
        var value = [UInt8](repeating: 0x61, count: count)
        value[place] = byte
        let bytes = start + value + Array("\r\n\r\n".utf8)
        let isAllowed = byte == 0x09 || (0x20...0xFF ~= byte && byte != 0x7F)
        let head = try? ResponseHead(parsing: bytes, from: 0, to: bytes.count)
        if (head != nil) != isAllowed { wrong.append("\(byte) at \(place)") }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test("a name has token characters alone", arguments: [1, 7, 8, 9, 16, 29])
  func nameBytes(count: Int) throws {
    let allowed = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    var wrong: [String] = []
    for place in 0..<count {
      for byte in UInt8.min...UInt8.max {
        var name = [UInt8](repeating: 0x61, count: count)
        name[place] = byte
        let bytes = Array("HTTP/1.1 200 OK\r\n".utf8) + name + Array(": v\r\n\r\n".utf8)
        // A colon ends the name earlier.
        let isAllowed = allowed.contains(byte) || (byte == 0x3A && place > 0)
        let head = try? ResponseHead(parsing: bytes, from: 0, to: bytes.count)
        if (head != nil) != isAllowed { wrong.append("\(byte) at \(place)") }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test(
    "a deadline that is not a number is ignored",
    arguments: ["", "-5", "soon", "1.5", "99999999999999999999"])
  func deadline(_ value: String) throws {
    let head = try Self.parse("HTTP/1.1 200 OK\r\nLambda-Runtime-Deadline-Ms: \(value)\r\n\r\n")
    #expect(head.invocation.deadlineMilliseconds == nil)
  }

  static let defects: [(head: String, defect: HTTPDefect)] = [
    ("HTTP/2 200 OK\r\n\r\n", .statusLine),
    ("HTTP/1.1  200 OK\r\n\r\n", .statusLine),
    ("HTTP/1.1 20 OK\r\n\r\n", .statusLine),
    ("HTTP/1.1 2000 OK\r\n\r\n", .statusLine),
    ("HTTP/1.1 099 OK\r\n\r\n", .statusLine),
    ("\r\n\r\n", .statusLine),
    ("HTTP/1.1 200 O\u{0}K\r\n\r\n", .fieldLine),
    ("HTTP/1.1 200 OK\r\nName\r\n\r\n", .fieldLine),
    ("HTTP/1.1 200 OK\r\n: value\r\n\r\n", .fieldLine),
    ("HTTP/1.1 200 OK\r\nName : value\r\n\r\n", .fieldLine),
    ("HTTP/1.1 200 OK\r\nName: a\r\n b\r\n\r\n", .fieldLine),
    ("HTTP/1.1 200 OK\r\nName: a\nb: c\r\n\r\n", .fieldLine),
    ("HTTP/1.1 200 OK\r\nName: a\rb\r\n\r\n", .fieldLine),
    ("HTTP/1.1 200 OK\r\nName: a\u{7F}\r\n\r\n", .fieldLine),
    ("HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n", .contentLength),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .contentLength),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n", .contentLength),
    ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", .contentLength),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n", .contentLength),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", .contentLength),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferEncoding),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n", .transferEncoding),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncoding
    ),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", .transferEncoding),
    ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncoding),
    (
      "HTTP/1.1 200 OK\r\nLambda-Runtime-Aws-Request-Id: a\r\nLambda-Runtime-Aws-Request-Id: b\r\n\r\n",
      .repeatedField
    ),
    (
      "HTTP/1.1 200 OK\r\nLambda-Runtime-Invocation-Id: a\r\nLambda-Runtime-Invocation-Id: b\r\n\r\n",
      .repeatedField
    ),
  ]

  @Test("a head that violates RFC 9112 is refused with its defect", arguments: defects)
  func defect(_ text: String, _ defect: HTTPDefect) {
    #expect(throws: defect) { try Self.parse(text) }
  }
}
