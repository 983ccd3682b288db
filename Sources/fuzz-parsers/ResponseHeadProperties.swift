internal import Bytes
@testable internal import LambdaRuntime

/// Properties of the heads of the Runtime API's answers.
enum ResponseHeadProperties {
  /// Checks the bytes as a head, and as field lines below the status line of an invocation.
  static func check(_ bytes: [UInt8]) throws(Finding) {
    try checkHead(bytes)
    try checkHead(Array("HTTP/1.1 200 OK\r\n".utf8) + bytes + Array("\r\n\r\n".utf8))
  }

  private static func checkHead(_ bytes: [UInt8]) throws(Finding) {
    let surrounded = Array("\r\n\r\n".utf8) + bytes + Array("\r\n\r\n".utf8)
    let inside = parsed(surrounded, from: 4, to: 4 + bytes.count)
    let head: ResponseHead
    do throws(HTTPDefect) {
      head = try ResponseHead(parsing: bytes, from: 0, to: bytes.count)
    } catch {
      return try Finding.unless(inside == .failure(error), "the bytes around a head do not change it")
    }
    try Finding.unless(inside == .success(head), "the bytes around a head do not change it")
    try checkEnd(of: head, bytes)
    try checkLines(of: head, bytes.prefix(head.byteCount))
    try checkCase(of: head, bytes)
  }

  private static func parsed(
    _ bytes: [UInt8], from start: Int, to end: Int
  ) -> Result<ResponseHead, HTTPDefect> {
    do throws(HTTPDefect) {
      return .success(try ResponseHead(parsing: bytes, from: start, to: end))
    } catch {
      return .failure(error)
    }
  }

  /// A head ends with its first empty line, and no shorter text is a head.
  private static func checkEnd(of head: ResponseHead, _ bytes: [UInt8]) throws(Finding) {
    let firstEnd = bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) }
    try Finding.unless(firstEnd == head.byteCount - 4, "a head ends with its first empty line")
    for missing in 1...4 {
      let shorter = parsed(bytes, from: 0, to: head.byteCount - missing)
      try Finding.unless(shorter == .failure(.fieldLine), "a head without its end is refused")
    }
  }

  /// Each line has a name without spaces and no control characters, and each text is the value of its field.
  private static func checkLines(of head: ResponseHead, _ text: ArraySlice<UInt8>) throws(Finding) {
    let lines = text.dropLast(4).split(separator: .lineFeed, omittingEmptySubsequences: false)
    var values: [String: [[UInt8]]] = [:]
    for (number, line) in lines.enumerated() {
      let line = number == lines.count - 1 ? line : line.dropLast()
      try Finding.unless(
        line.allSatisfy { $0 == .tab || $0 >= 0x20 && $0 != 0x7F }, "a line has no control character")
      guard number > 0 else { continue }
      guard let colon = line.firstIndex(of: .colon), colon > line.startIndex,
        line[..<colon].allSatisfy({ $0.isVisible && $0 < 0x80 })
      else { throw Finding(property: "a line has a name") }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      values[name, default: []].append(trimmed(line[(colon + 1)...]))
    }
    try checkInvocation(head.invocation, values)
    try checkFraming(of: head, values)
  }

  private static func checkFraming(
    of head: ResponseHead, _ values: [String: [[UInt8]]]
  ) throws(Finding) {
    let lengths = values["content-length"] ?? []
    let isChunked = values["transfer-encoding"] != nil
    switch head.framing {
    case .length(let length):
      try Finding.unless(
        !isChunked && lengths.allSatisfy { Decimal.value(of: $0.span) == length } && !lengths.isEmpty,
        "a body has one length")
    case .chunked: try Finding.unless(isChunked && lengths.isEmpty, "chunks have no length")
    case .untilClose:
      try Finding.unless(
        !head.keepsAlive && lengths.isEmpty && !isChunked, "a body without a length ends the connection")
    case .none:
      try Finding.unless(
        head.isInterim || head.status == 204 || head.status == 304, "only some statuses have no body")
    }
  }

  private static func checkInvocation(
    _ fields: InvocationFields, _ values: [String: [[UInt8]]]
  ) throws(Finding) {
    let identifiers = [
      ("lambda-runtime-aws-request-id", fields.requestID),
      ("lambda-runtime-invocation-id", fields.invocationID),
    ]
    for (name, found) in identifiers {
      let sent = (values[name] ?? []).filter { !$0.isEmpty }
      try Finding.unless(
        sent.allSatisfy { $0 == found.map(Array.init) }, "an ID is the only one sent: \(name)")
      try Finding.unless(!sent.isEmpty || found == nil, "an ID that was not sent is missing: \(name)")
    }
    let texts = [
      ("lambda-runtime-invoked-function-arn", fields.functionARN),
      ("lambda-runtime-trace-id", fields.traceID),
      ("lambda-runtime-client-context", fields.clientContext),
      ("lambda-runtime-aws-tenant-id", fields.tenantID),
      ("lambda-runtime-cognito-identity", fields.cognitoIdentity),
    ]
    for (name, found) in texts {
      try Finding.unless(values[name]?.last == found.map(Array.init), "a text is the last one sent: \(name)")
    }
  }

  /// The case of names has no meaning.
  private static func checkCase(of head: ResponseHead, _ bytes: [UInt8]) throws(Finding) {
    var (changed, isName) = (bytes, false)
    for position in bytes.indices.prefix(head.byteCount) {
      if bytes[position] == .colon { isName = false }
      if isName, bytes[position].isLetter { changed[position] ^= 0x20 }
      if bytes[position] == .lineFeed { isName = true }
    }
    try Finding.unless(
      parsed(changed, from: 0, to: bytes.count) == .success(head), "names are read without their case")
  }

  private static func trimmed(_ value: ArraySlice<UInt8>) -> [UInt8] {
    let isSpace = { (byte: UInt8) in byte == .space || byte == .tab }
    return value.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
  }
}
