import Bytes

/// The body length of an answer (RFC 9112 §6.3).
enum BodyFraming: Equatable, Sendable {
  case none
  case length(Int)
  case chunked
  case untilClose
}

/// The status line of an answer, and the fields that a client of the Runtime API needs.
struct ResponseHead: Equatable, Sendable {
  let status: Int
  private(set) var framing: BodyFraming
  /// Whether the server keeps the connection open after the body.
  private(set) var keepsAlive: Bool
  private(set) var invocation = InvocationFields()
  /// The bytes of the head, the empty line included.
  private(set) var byteCount: Int

  /// Whether this is an interim answer, which is followed by the final one (RFC 9110 §15.2).
  var isInterim: Bool { status < 200 }

  /// Parses the head that begins at `start` in `bytes`, which are valid up to `end`.
  ///
  /// - Throws: also if there is no empty line before `end`.
  init(parsing bytes: [UInt8], from start: Int, to end: Int) throws(HTTPDefect) {
    let text = bytes.span.extracting(start..<end)
    let statusEnd = try FieldLine.end(in: text, from: 0)
    let (status, minorVersion) = try Self.statusLine(text.extracting(0..<statusEnd))
    self.status = status
    var seen = FramingFields(minorVersion: minorVersion)
    framing = .none
    keepsAlive = false
    byteCount = 0

    var position = statusEnd + 2
    while true {
      guard text.count - position >= 2 else { throw .fieldLine }
      if text[position] == .carriageReturn, text[position + 1] == .lineFeed { break }
      let line = try FieldLine(in: text, from: position)
      // A name ends at the next colon, which may be in a later line. A known name has no line end; others are checked.
      if let field = ResponseField(named: text.extracting(line.name)) {
        try take(field, line.value, of: text, &seen)
      } else if !FieldLine.isName(text.extracting(line.name)) {
        throw .fieldLine
      }
      position = line.next
    }
    byteCount = position + 2
    invocation.keepTexts(of: text.extracting(0..<byteCount))
    try settleFraming(seen, minorVersion: minorVersion)
  }

  /// `HTTP/1.1 200 OK`; the reason phrase, and the space before it, may be missing.
  private static func statusLine(
    _ line: Span<UInt8>
  ) throws(HTTPDefect) -> (status: Int, minorVersion: UInt8) {
    let version: StaticString = "HTTP/1."
    guard line.count >= 12, version.equals(line.extracting(0..<7)), line[7].isDecimalDigit,
      line[8] == .space,
      line.count == 12 || line[12] == .space
    else { throw .statusLine }
    var status = 0
    for place in 9..<12 {
      guard line[place].isDecimalDigit else { throw .statusLine }
      status = status * 10 + Int(line[place] &- UInt8.digitZero)
    }
    guard status >= 100 else { throw .statusLine }
    return (status, line[7] &- UInt8.digitZero)
  }

  private mutating func take(
    _ field: ResponseField, _ range: Range<Int>, of head: Span<UInt8>, _ seen: inout FramingFields
  ) throws(HTTPDefect) {
    let value = head.extracting(range)
    switch field {
    case .connection:
      seen.takeConnection(value)
    case .contentLength:
      guard let length = Decimal.value(of: value) else { throw .contentLength }
      guard seen.length == nil || seen.length == length else { throw .contentLength }
      seen.length = length
    case .transferEncoding:
      let chunked: StaticString = "chunked"
      guard !seen.chunked, chunked.equals(ignoringASCIICase: value) else { throw .transferEncoding }
      seen.chunked = true
    case .requestID:
      try Self.set(&invocation.requestIDRange, to: range, of: head)
    case .invocationID:
      try Self.set(&invocation.invocationIDRange, to: range, of: head)
    case .deadline:
      // A deadline that is not a number is ignored.
      invocation.deadlineMilliseconds = Decimal.value(of: value).map(Int64.init)
    case .functionARN:
      invocation.functionARNRange = Self.textRange(range)
    case .traceID:
      invocation.traceIDRange = Self.textRange(range)
    case .clientContext:
      invocation.clientContextRange = Self.textRange(range)
    case .cognitoIdentity:
      invocation.cognitoIdentityRange = Self.textRange(range)
    case .tenantID:
      invocation.tenantIDRange = Self.textRange(range)
    }
  }

  /// Sets an ID. Two different IDs in one answer are refused: an answer to the wrong invocation would reach another
  /// caller.
  private static func set(
    _ id: inout InvocationFields.TextRange?, to range: Range<Int>, of head: Span<UInt8>
  ) throws(HTTPDefect) {
    if let id {
      let known = head.extracting(Int(id.lowerBound)..<Int(id.upperBound))
      guard known.equals(head.extracting(range)) else { throw .repeatedField }
    }
    if !range.isEmpty { id = textRange(range) }
  }

  /// The range of a value; a buffer is shorter than 4 GiB.
  private static func textRange(_ range: Range<Int>) -> InvocationFields.TextRange {
    UInt32(range.lowerBound)..<UInt32(range.upperBound)
  }

  private mutating func settleFraming(_ seen: FramingFields, minorVersion: UInt8) throws(HTTPDefect) {
    keepsAlive = seen.isPersistent
    if status < 200 || status == 204 || status == 304 { return }
    if seen.chunked {
      // RFC 9112 §6.1 and §6.3: both framings together, or chunks from an HTTP/1.0 server, are an attack or an error.
      guard seen.length == nil, minorVersion > 0 else { throw .transferEncoding }
      framing = .chunked
    } else if let length = seen.length {
      framing = .length(length)
    } else {
      framing = .untilClose
      keepsAlive = false
    }
  }
}

/// The framing fields of an answer, collected before they are interpreted.
private struct FramingFields {
  var length: Int?
  var chunked = false
  private var saysKeepAlive: Bool
  private var saysClose = false

  init(minorVersion: UInt8) { saysKeepAlive = minorVersion > 0 }

  /// RFC 9112 §9.3: `close` takes precedence; HTTP/1.0 needs `keep-alive`.
  var isPersistent: Bool { saysKeepAlive && !saysClose }

  mutating func takeConnection(_ value: Span<UInt8>) {
    let (close, keepAlive): (StaticString, StaticString) = ("close", "keep-alive")
    var start = 0
    while start <= value.count {
      let end = value.firstIndex(of: .comma, from: start)
      let option = value.extracting(FieldLine.trimmed(value, start..<end))
      if close.equals(ignoringASCIICase: option) { saysClose = true }
      if keepAlive.equals(ignoringASCIICase: option) { saysKeepAlive = true }
      start = end + 1
    }
  }
}

/// The fields of an answer that a client of the Runtime API uses.
private enum ResponseField {
  case connection, contentLength, transferEncoding
  case requestID, invocationID, deadline, functionARN, traceID, clientContext, cognitoIdentity, tenantID

  /// The field with this name, ignoring case; nil for other names. Length and one letter select the only name to
  /// compare.
  init?(named name: Span<UInt8>) {
    let candidate: (ResponseField, StaticString)
    // The letter after `lambda-runtime-`.
    let isAWS = name.count > 15 && name[15].lowercase == UInt8(ascii: "a")
    switch name.count {
    case 10: candidate = (.connection, "connection")
    case 14: candidate = (.contentLength, "content-length")
    case 17: candidate = (.transferEncoding, "transfer-encoding")
    case 23: candidate = (.traceID, "lambda-runtime-trace-id")
    case 26: candidate = (.deadline, "lambda-runtime-deadline-ms")
    case 28 where isAWS: candidate = (.tenantID, "lambda-runtime-aws-tenant-id")
    case 28: candidate = (.invocationID, "lambda-runtime-invocation-id")
    case 29 where isAWS: candidate = (.requestID, "lambda-runtime-aws-request-id")
    case 29: candidate = (.clientContext, "lambda-runtime-client-context")
    case 31: candidate = (.cognitoIdentity, "lambda-runtime-cognito-identity")
    case 35: candidate = (.functionARN, "lambda-runtime-invoked-function-arn")
    default: return nil
    }
    guard candidate.1.equals(ignoringASCIICase: name) else { return nil }
    self = candidate.0
  }
}

/// One field line of RFC 9112 §5, as ranges in the head.
struct FieldLine {
  let name: Range<Int>
  let value: Range<Int>
  /// The index of the next line.
  let next: Int

  /// Parses the line of `text` at `start`. Refuses control characters in the value. The name is everything up to the
  /// colon: the caller knows it, or checks with `isName` that it is one.
  init(in text: Span<UInt8>, from start: Int) throws(HTTPDefect) {
    let colon = text.firstIndex(of: .colon, from: start)
    guard colon > start, colon < text.count else { throw .fieldLine }
    let lineEnd = try Self.end(in: text, from: colon + 1)
    name = start..<colon
    value = Self.trimmed(text, colon + 1..<lineEnd)
    next = lineEnd + 2
  }

  /// Whether these are token characters. Then the line has a colon without a space before it, and is not folded.
  /// Nearly all names consist of letters, digits and hyphens, which are checked several at a time.
  static func isName(_ text: Span<UInt8>) -> Bool {
    var position = 0
    while position < text.count {
      position = text.firstIndex(from: position) { $0.marksOfOtherThanLettersDigitsAndHyphens }
      guard position < text.count else { break }
      guard text[position].isTokenCharacter else { return false }
      position += 1
    }
    return true
  }

  /// The index of the CRLF that ends the line at `start`. A lone CR or LF, or another control character, is a defect.
  static func end(in text: Span<UInt8>, from start: Int) throws(HTTPDefect) -> Int {
    var position = text.firstIndex(from: start) { $0.marksOfUnprintable }
    // Tabs and bytes outside of ASCII belong to the value.
    while position < text.count, text[position].isFieldCharacter {
      position = text.firstIndex(from: position + 1) { $0.marksOfUnprintable }
    }
    guard position + 1 < text.count, text[position] == .carriageReturn, text[position + 1] == .lineFeed
    else { throw .fieldLine }
    return position
  }

  /// The part of `text` without optional whitespace (RFC 9110 §5.6.3) at both ends.
  static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (first, last) = (range.lowerBound, range.upperBound)
    while first < last, text[first] == .space || text[first] == .tab { first += 1 }
    while first < last, text[last - 1] == .space || text[last - 1] == .tab { last -= 1 }
    return first..<last
  }
}

/// Parses numbers that consist only of decimal digits.
enum Decimal {
  static func value(of digits: Span<UInt8>) -> Int? {
    guard !digits.isEmpty else { return nil }
    var value = 0
    for index in digits.indices {
      let digit = digits[index]
      guard digit.isDecimalDigit else { return nil }
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = shifted.addingReportingOverflow(Int(digit &- UInt8.digitZero))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }
}
