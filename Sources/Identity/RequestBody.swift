import Bytes
import JSON

/// The body of a POST: one JSON object.
enum RequestBody {
  /// 64 KiB. Our own limit: a token has at most 16 KiB.
  static let maximumBytes = 64 << 10

  private static let limits = JSONLimits(bytes: maximumBytes, depth: 8, membersPerObject: 64)

  /// Reads a body of `application/json`, with or without `charset=utf-8`.
  static func object(of request: ProxyRequest) throws(Refusal) -> JSONValue {
    guard isType(request.contentTypes, "application/json") else { throw .unsupportedMediaType }
    let root = try value(parsing: try request.bytes(limit: maximumBytes))
    guard root.kind == .object else { throw .malformedBody(.notAnObject) }
    return root
  }

  /// Parses JSON with the limits of a body; also for JSON inside a string of a body.
  static func value(parsing bytes: [UInt8]) throws(Refusal) -> JSONValue {
    do {
      return try JSONDocument(parsing: bytes, limits: limits).root
    } catch {
      throw .malformedBody(.notJSON(error))
    }
  }

  /// Whether the only value is this media type in lower case, optionally with `charset=utf-8`, which is redundant (RFC
  /// 8259 section 8.1). Accepts any letter case, and quotes around the charset (RFC 9110 section 8.3.1).
  static func isType(_ values: [[UInt8]], _ type: String) -> Bool {
    guard values.count == 1 else { return false }
    let parts = values[0].lowercase.split(separator: .semicolon, omittingEmptySubsequences: false).map {
      trimmed($0)
    }
    guard parts[0].elementsEqual(type.utf8), parts.count <= 2 else { return false }
    guard parts.count == 2 else { return true }
    return parts[1].elementsEqual("charset=utf-8".utf8) || parts[1].elementsEqual("charset=\"utf-8\"".utf8)
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop { $0 == .space || $0 == .tab }
    while let last = text.last, last == .space || last == .tab { text.removeLast() }
    return text
  }
}

extension JSONValue {
  /// A member that is a non-empty string of at most `limit` bytes.
  ///
  /// - Throws: `malformedBody` if it is absent or anything else.
  func requiredText(_ name: String, limit: Int) throws(Refusal) -> [UInt8] {
    guard let text = try optionalText(name, limit: limit) else { throw .malformedBody(.missingMember) }
    guard !text.isEmpty else { throw .malformedBody(.malformedMember) }
    return text
  }

  /// A member that is a string of at most `limit` bytes; `nil` if it is absent or `null`, because some encoders write
  /// absent members as `null`.
  func optionalText(_ name: String, limit: Int) throws(Refusal) -> [UInt8]? {
    guard let value = self[name], value.kind != .null else { return nil }
    guard let text = value.utf8, text.count <= limit else { throw .malformedBody(.malformedMember) }
    return text
  }
}
