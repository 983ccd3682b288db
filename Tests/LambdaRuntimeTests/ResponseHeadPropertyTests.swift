import TestSupport
import Testing

@testable import LambdaRuntime

/// The parser reads a head in one pass, eight bytes at a time. A reference that reads lines finds the same in each head.
@Suite("Random heads of an answer")
struct ResponseHeadPropertyTests {
  @Test("a changed head is read as the reference reads it", arguments: [1, 2, 3, 4] as [UInt64])
  func changedHeads(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (accepted, differences) = (0, [String]())
    var defects: Set<HTTPDefect> = []
    for _ in 0..<2_500 {
      var bytes = Self.head(&random)
      for _ in 0..<Int.random(in: 0...2, using: &random) { Self.change(&bytes, &random) }
      let expected = ReferenceHead.read(bytes)
      if Self.parsed(bytes) != expected { differences.append(String(decoding: bytes, as: UTF8.self)) }
      switch expected {
      case .success: accepted += 1
      case .failure(let defect): defects.insert(defect)
      }
    }
    #expect(differences.isEmpty)
    #expect(accepted > 500)
    #expect(defects == [.statusLine, .fieldLine, .contentLength, .transferEncoding, .repeatedField])
  }

  private static let statusLines = [
    "HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/1.0 200 OK", "HTTP/1.1 204 No Content", "HTTP/1.1 100 Continue",
    "HTTP/1.1 404 ", "HTTP/1.1 099 Low", "HTTP/2 200 OK",
  ]

  private static let fields = [
    "Content-Length: 5", "content-length:\t12 ", "CONTENT-LENGTH: 5, 5", "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip", "Connection: keep-alive", "Connection: x, Close ,y", "Date: Mon, 23 Nov 2026",
    "Lambda-Runtime-Aws-Request-Id: 8476a536-e9f4-11e8-9739-2dfe598c3fcd", "Lambda-Runtime-Aws-Request-Id:",
    "lambda-runtime-aws-request-id: other", "Lambda-Runtime-Invocation-Id: 77",
    "Lambda-Runtime-Deadline-Ms: 1542409706888", "Lambda-Runtime-Deadline-Ms: soon",
    "Lambda-Runtime-Trace-Id: Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=1",
    "Lambda-Runtime-Invoked-Function-Arn: arn:aws:lambda:us-east-1:123456789012:function:a",
    "Lambda-Runtime-Client-Context: {\"ü\":1}", "Lambda-Runtime-Cognito-Identity: {}",
    "Lambda-Runtime-Aws-Tenant-Id: t", "Lambda-Runtime-Aws-Tenant-Ix: t", "!#$%&'*+-.^_`|~: token", "X:",
  ]

  private static func head(_ random: inout SeededGenerator) -> [UInt8] {
    let isUsual = Int.random(in: 0..<4, using: &random) > 0
    var lines = [isUsual ? "HTTP/1.1 200 OK" : statusLines.randomElement(using: &random) ?? ""]
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      lines.append(fields.randomElement(using: &random) ?? "")
    }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\nbody").utf8)
  }

  private static func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let place = Int.random(in: bytes.indices, using: &random)
    let special: [UInt8] = [
      0x00, 0x09, 0x0A, 0x0D, 0x1F, 0x20, 0x2C, 0x2F, 0x3A, 0x40, 0x5B, 0x7F, 0x80, 0xFF,
    ]
    let byte = special.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[place] = byte
    case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
    case 2: bytes.insert(byte, at: place)
    case 3: bytes.remove(at: place)
    case 4: bytes[place] ^= 0x20
    default: bytes.removeLast(min(bytes.count - 1, Int.random(in: 0..<12, using: &random)))
    }
  }

  private static func parsed(_ bytes: [UInt8]) -> Result<ReferenceHead, HTTPDefect> {
    do {
      let head = try ResponseHead(parsing: bytes, from: 0, to: bytes.count)
      return .success(
        ReferenceHead(
          status: head.status, framing: head.framing, keepsAlive: head.keepsAlive,
          invocation: head.invocation,
          byteCount: head.byteCount))
    } catch {
      return .failure(error)
    }
  }
}

/// What a head says, read line by line and byte by byte.
private struct ReferenceHead: Equatable {
  var status = 0
  var framing = BodyFraming.untilClose
  var keepsAlive = false
  var invocation = InvocationFields()
  var byteCount = 0
  private var fields = ReferenceFields()

  static func read(_ bytes: [UInt8]) -> Result<ReferenceHead, HTTPDefect> {
    do { return .success(try ReferenceHead(bytes)) } catch { return .failure(error) }
  }

  init(
    status: Int, framing: BodyFraming, keepsAlive: Bool, invocation: InvocationFields, byteCount: Int
  ) {
    (self.status, self.framing, self.keepsAlive) = (status, framing, keepsAlive)
    (self.invocation, self.byteCount) = (invocation, byteCount)
  }

  private init(_ bytes: [UInt8]) throws(HTTPDefect) {
    var rest = bytes[...]
    let first = try Self.takeLine(&rest).map { Character(Unicode.Scalar($0)) }
    let digits = first.dropFirst(9).prefix(3)
    guard first.starts(with: "HTTP/1."), first.count >= 12, Self.isNumber(first[7...7]), first[8] == " ",
      Self.isNumber(digits), let status = Int(String(digits)), status >= 100,
      first.count == 12 || first[12] == " "
    else { throw .statusLine }
    self.status = status
    let isOld = first[7] == "0"
    var lengths: [Int] = []
    var (isChunked, options) = (false, Set<String>())
    while true {
      let line = try Self.takeLine(&rest)
      if line.isEmpty { break }
      guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(Self.isToken) else {
        throw .fieldLine
      }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      let value = Self.trimmed(line[(colon + 1)...])
      let text = String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) })).lowercased()
      switch name {
      case "connection":
        for option in text.split(separator: ",") { options.insert(option.trimmed) }
      case "content-length":
        guard Self.isNumber(text), let length = Int(text), lengths.allSatisfy({ $0 == length }) else {
          throw .contentLength
        }
        lengths.append(length)
      case "transfer-encoding":
        guard text == "chunked", !isChunked else { throw .transferEncoding }
        isChunked = true
      default: try take(name, value, text)
      }
    }
    byteCount = bytes.count - rest.count
    invocation = fields.invocation
    fields = ReferenceFields()
    keepsAlive = (!isOld || options.contains("keep-alive")) && !options.contains("close")
    if status < 200 || status == 204 || status == 304 {
      framing = .none
    } else if isChunked {
      guard lengths.isEmpty, !isOld else { throw .transferEncoding }
      framing = .chunked
    } else if let length = lengths.first {
      framing = .length(length)
    } else {
      keepsAlive = false
    }
  }

  private mutating func take(_ name: String, _ value: [UInt8], _ text: String) throws(HTTPDefect) {
    switch name {
    case "lambda-runtime-aws-request-id": fields.requestID = try Self.id(fields.requestID, value)
    case "lambda-runtime-invocation-id": fields.invocationID = try Self.id(fields.invocationID, value)
    case "lambda-runtime-deadline-ms":
      fields.deadlineMilliseconds = Self.isNumber(text) ? Int64(text) : nil
    case "lambda-runtime-trace-id": fields.traceID = value
    case "lambda-runtime-invoked-function-arn": fields.functionARN = value
    case "lambda-runtime-client-context": fields.clientContext = value
    case "lambda-runtime-cognito-identity": fields.cognitoIdentity = value
    case "lambda-runtime-aws-tenant-id": fields.tenantID = value
    default: break
    }
  }

  private static func id(_ known: [UInt8]?, _ value: [UInt8]) throws(HTTPDefect) -> [UInt8]? {
    guard known == nil || known == value else { throw .repeatedField }
    return value.isEmpty ? known : value
  }

  /// Takes a line, which ends with CRLF and has no control character but the tab.
  private static func takeLine(_ rest: inout ArraySlice<UInt8>) throws(HTTPDefect) -> [UInt8] {
    let line = Array(rest.prefix { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
    guard rest.dropFirst(line.count).starts(with: [0x0D, 0x0A]) else { throw .fieldLine }
    rest = rest.dropFirst(line.count + 2)
    return line
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8.contains(byte)
  }

  private static func isNumber(_ text: some Collection<Character>) -> Bool {
    !text.isEmpty && text.allSatisfy { ("0"..."9").contains($0) }
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> [UInt8] {
    var value = value
    while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
    while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
    return Array(value)
  }
}

extension Substring {
  /// Without spaces and tabs at both ends.
  fileprivate var trimmed: String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    return String(String(drop(while: isSpace)).reversed().drop(while: isSpace).reversed())
  }
}

/// The texts of the fields about an invocation, each of its own.
private struct ReferenceFields: Equatable {
  var requestID: [UInt8]?
  var invocationID: [UInt8]?
  var deadlineMilliseconds: Int64?
  var functionARN: [UInt8]?
  var traceID: [UInt8]?
  var clientContext: [UInt8]?
  var cognitoIdentity: [UInt8]?
  var tenantID: [UInt8]?

  var invocation: InvocationFields {
    InvocationFields(
      requestID: requestID, invocationID: invocationID, deadlineMilliseconds: deadlineMilliseconds,
      functionARN: functionARN, traceID: traceID, clientContext: clientContext,
      cognitoIdentity: cognitoIdentity, tenantID: tenantID)
  }
}
