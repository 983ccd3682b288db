import JSON

/// Where the token of a REQUEST event stands. A TOKEN event brings its one header.
public enum TokenSource: Equatable, Sendable {
  /// A header, its name in lower case; carries `Bearer` and the token.
  case header(String)
  /// A cookie; carries the bare token.
  case cookie(String)
  /// A query parameter, its name case-sensitive as in API Gateway; carries the bare token.
  case query(String)

  /// `header:Authorization`, `cookie:session` or `query:token`; `nil` for anything else.
  init?(parsing text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, parts[1].utf8.allSatisfy(Self.isTokenCharacter) else {
      return nil
    }
    let name = String(parts[1])
    switch parts[0] {
    case "header": self = .header(name.lowercased())
    case "cookie": self = .cookie(name)
    case "query": self = .query(name)
    default: return nil
    }
  }

  /// RFC 9110 section 5.6.2.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// The credentials under this source in an event, as they came; `nil` for one that is no string, since "present but
  /// of the wrong type" must never look like "absent". More than one is ambiguous.
  func credentials(in event: JSONValue) -> [[UInt8]?] {
    switch self {
    case .header(let name): Self.headerValues(name, in: event)
    case .cookie(let name): Self.cookies(name, in: event)
    case .query(let name): Self.queryValues(name, in: event)
    }
  }

  /// REST hands over the client's case, HTTP APIs lower-case, WebSocket APIs mix: one case-insensitive view for all.
  ///
  /// `multiValueHeaders` shows repetitions that `headers` hides, so it comes first where the event has it.
  private static func headerValues(_ name: String, in event: JSONValue) -> [[UInt8]?] {
    for member in ["multiValueHeaders", "headers"] {
      guard let headers = event[member] else { continue }
      var values: [[UInt8]?] = []
      for (header, value) in headers.members where isEqual(header, name) {
        values += texts(value, isList: member == "multiValueHeaders")
      }
      if !values.isEmpty { return values }
    }
    return []
  }

  /// A value, or each of a list of values; `null` is none.
  private static func texts(_ value: JSONValue, isList: Bool) -> [[UInt8]?] {
    let values = isList && value.kind == .array ? Array(value.elements) : [value]
    return values.filter { $0.kind != .null }.map { $0.utf8 }
  }

  private static func isEqual(_ header: JSONValue, _ lowerCaseName: String) -> Bool {
    guard let bytes = header.utf8, bytes.count == lowerCaseName.utf8.count else { return false }
    return zip(bytes, lowerCaseName.utf8).allSatisfy { (0x41...0x5A ~= $0 ? $0 | 0x20 : $0) == $1 }
  }

  /// Payload 2.0 has a list of cookies, the other kinds have the header (RFC 6265 section 4.2.1).
  private static func cookies(_ name: String, in event: JSONValue) -> [[UInt8]?] {
    let lines = event["cookies"].map { texts($0, isList: true) } ?? headerValues("cookie", in: event)
    var values: [[UInt8]?] = []
    for pair in lines.compactMap({ $0 }).flatMap({ $0.split(separator: 0x3B) }) {
      let pair = pair.drop { $0 == 0x20 }
      guard let equals = pair.firstIndex(of: 0x3D), pair[..<equals].elementsEqual(name.utf8) else { continue }
      values.append(Array(pair[(equals + 1)...]))
    }
    return values
  }

  /// `multiValueQueryStringParameters` shows repetitions as `multiValueHeaders` does.
  private static func queryValues(_ name: String, in event: JSONValue) -> [[UInt8]?] {
    let values = event["multiValueQueryStringParameters"]?[name].map { texts($0, isList: true) } ?? []
    guard values.isEmpty, let value = event["queryStringParameters"]?[name] else { return values }
    return texts(value, isList: false)
  }
}
