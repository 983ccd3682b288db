import Bytes
import JSON

/// The part of a REQUEST event that carries the token. A TOKEN event has one fixed header.
package enum TokenSource: Equatable, Sendable {
  /// A header, its name in lower case; carries `Bearer` and the token.
  case header(String)
  /// A cookie; carries the bare token.
  case cookie(String)
  /// A query parameter, its name case-sensitive as in API Gateway; carries the bare token.
  case query(String)

  /// Parses `header:Authorization`, `cookie:session` or `query:token`; `nil` for anything else.
  init?(parsing text: String) {
    let parts = text.utf8.split(separator: .colon, maxSplits: 1, omittingEmptySubsequences: false).map {
      Substring($0)
    }
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

  /// Whether the byte is a tchar of RFC 9110 section 5.6.2.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// Returns the credentials of this source in an event, unchanged; `nil` for one that is not a string, since a value
  /// of the wrong type must never count as absent. More than one is ambiguous.
  func credentials(in event: JSONValue) -> [[UInt8]?] {
    switch self {
    case .header(let name): Self.headerValues(name, in: event)
    case .cookie(let name): Self.cookies(name, in: event)
    case .query(let name): Self.queryValues(name, in: event)
    }
  }

  private static func headerValues(_ name: String, in event: JSONValue) -> [[UInt8]?] {
    merged(headerTexts(name, in: event, .multiValueHeaders), headerTexts(name, in: event, .headers))
  }

  /// REST APIs pass the client's letter case, HTTP APIs pass lower case, WebSocket APIs mix: names are compared
  /// without case.
  private static func headerTexts(_ name: String, in event: JSONValue, _ view: View) -> [[UInt8]?] {
    guard let headers = view == .headers ? event["headers"] : event["multiValueHeaders"] else { return [] }
    var values: [[UInt8]?] = []
    for (header, value) in headers.members where header.equals(ignoringASCIICase: name) {
      values += texts(value, isList: view == .multiValueHeaders)
    }
    return values
  }

  /// The two members of an event that contain its headers.
  private enum View { case multiValueHeaders, headers }

  /// Merges the values of both members. `multiValueHeaders` shows repetitions that `headers` hides, so it has
  /// priority. If `headers` has a different value, a backend may read that one: both are returned, which is
  /// ambiguous. Two values in either member are ambiguous too. At most one value is compared with one, since the
  /// client chooses how many there are.
  private static func merged(_ all: [[UInt8]?], _ single: [[UInt8]?]) -> [[UInt8]?] {
    if all.isEmpty { return single }
    let isRepeated = all.count == 1 && single.count == 1 && areEqual(all[0], single[0])
    return isRepeated ? all : all + single
  }

  /// Compares several bytes at a time; `==` of arrays compares single bytes in Embedded Swift 6.3.
  private static func areEqual(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.span.equals(right.span)
  }

  /// Returns the value, or each value of a list; `null` counts as absent.
  private static func texts(_ value: JSONValue, isList: Bool) -> [[UInt8]?] {
    let values = isList && value.kind == .array ? Array(value.elements) : [value]
    return values.filter { $0.kind != .null }.map { $0.utf8 }
  }

  /// Returns cookie values. Payload 2.0 has a list of cookies; the other kinds have the header (RFC 6265 section
  /// 4.2.1).
  private static func cookies(_ name: String, in event: JSONValue) -> [[UInt8]?] {
    let listed = event["cookies"].map { texts($0, isList: true) } ?? []
    let repeated = headerTexts("cookie", in: event, .multiValueHeaders)
    let single = headerTexts("cookie", in: event, .headers)
    return merged(
      CookieLine.values(name, in: listed),
      merged(CookieLine.values(name, in: repeated), CookieLine.values(name, in: single)))
  }

  /// Returns every line of cookies, from all members that may have one.
  static func cookieLines(_ event: JSONValue) -> [[UInt8]?] {
    (event["cookies"].map { texts($0, isList: true) } ?? [])
      + headerTexts("cookie", in: event, .multiValueHeaders) + headerTexts("cookie", in: event, .headers)
  }

  /// Returns query values. `multiValueQueryStringParameters` shows repetitions as `multiValueHeaders` does.
  private static func queryValues(_ name: String, in event: JSONValue) -> [[UInt8]?] {
    let all = event["multiValueQueryStringParameters"]?[name].map { texts($0, isList: true) } ?? []
    let single = event["queryStringParameters"]?[name].map { texts($0, isList: false) } ?? []
    return merged(all, single)
  }
}
