import JSON

extension TokenSource {
  /// Whether an event has anything in this place: a value of any kind, an empty one too, or a list or map in the wrong
  /// format, which could contain one.
  func isPresent(in event: JSONValue) -> Bool {
    switch self {
    case .header(let name):
      return Self.has(event["headers"]) { $0.equals(ignoringASCIICase: name) }
        || Self.has(event["multiValueHeaders"]) { $0.equals(ignoringASCIICase: name) }
    case .query(let name):
      return Self.has(event["queryStringParameters"]) { $0.equals(utf8: Array(name.utf8)) }
        || Self.has(event["multiValueQueryStringParameters"]) { $0.equals(utf8: Array(name.utf8)) }
    case .cookie(let name):
      return !credentials(in: event).isEmpty || CookieLine.hasBare(name, in: Self.cookieLines(event))
        || Self.hasUnreadableCookies(event)
    }
  }

  /// Whether a map of an event has a member with such a name. `null` is an empty map.
  private static func has(_ map: JSONValue?, named isName: (JSONValue) -> Bool) -> Bool {
    guard let map, map.kind != .null else { return false }
    guard map.kind == .object else { return true }
    for (name, _) in map.members where isName(name) { return true }
    return false
  }

  /// Whether cookies are in another format than API Gateway's, so that their names cannot be read.
  private static func hasUnreadableCookies(_ event: JSONValue) -> Bool {
    if let list = event["cookies"], list.kind != .null {
      guard list.kind == .array, list.elements.allSatisfy({ $0.kind == .string }) else { return true }
    }
    for (map, hasLists) in [(event["headers"], false), (event["multiValueHeaders"], true)] {
      guard let map, map.kind != .null else { continue }
      guard map.kind == .object else { return true }
      for (name, value) in map.members where name.equals(ignoringASCIICase: "cookie") {
        let isList = hasLists && value.kind == .array && value.elements.allSatisfy { $0.kind == .string }
        guard isList || value.kind == .string || value.kind == .null else { return true }
      }
    }
    return false
  }
}
