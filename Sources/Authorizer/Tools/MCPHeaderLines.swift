import Bytes
import JSON

/// The header lines of one event, from which each header of MCP is read strictly: a backend could read any line.
struct MCPHeaderLines {
  private let headers: JSONValue
  /// `nil` in payload format 2.0, which joins the values of a header.
  private let lists: JSONValue?

  init(of request: AuthorizationRequest) throws(MCPHeaderFlaw) {
    guard request.kind.hasClientHeaders else { throw .noHeaders }
    guard let headers = request.event["headers"], headers.kind == .object else { throw .unreadable }
    self.headers = headers
    try Self.checkSpelling(in: headers)
    let lists = request.event["multiValueHeaders"]
    guard let lists, lists.kind != .null else {
      guard request.kind == .http2 else { throw .noMultiValueHeaders }
      self.lists = nil
      return
    }
    guard lists.kind == .object else { throw .unreadable }
    self.lists = lists
    try Self.checkSpelling(in: lists)
  }

  /// The one value of a header: printable ASCII without a comma, and without blanks at its ends.
  func value(of header: MCPHeader) throws(MCPHeaderFlaw) -> [UInt8] {
    var single: [UInt8]?
    if let value = Self.member(header, of: headers) { single = try Self.text(value, of: header) }
    if let lists {
      var listed: [UInt8]?
      if let list = Self.member(header, of: lists) {
        var elements = list.elements
        guard let element = elements.next() else { throw .malformed(header) }
        guard elements.next() == nil else { throw .repeated(header) }
        listed = try Self.text(element, of: header)
      }
      guard listed == single else { throw .different(header) }
    }
    guard let value = single else { throw .missing(header) }
    guard !value.contains(.comma) else { throw .comma(header) }
    guard value.allSatisfy({ $0.isPrintable }), let first = value.first, first != .space, value.last != .space
    else { throw .malformed(header) }
    return value
  }

  private static func text(_ value: JSONValue, of header: MCPHeader) throws(MCPHeaderFlaw) -> [UInt8] {
    guard let text = value.utf8 else { throw .malformed(header) }
    return text
  }

  /// The value of the member with the header's name, of which there is at most one.
  private static func member(_ header: MCPHeader, of map: JSONValue) -> JSONValue? {
    for (name, value) in map.members {
      if let name = name.utf8Slice, isSpelling(name, of: header) { return value }
    }
    return nil
  }

  /// Refuses a header that is there in two letter cases, or with `_` for `-`, also one that is not read.
  private static func checkSpelling(in map: JSONValue) throws(MCPHeaderFlaw) {
    for header in MCPHeader.allCases {
      var isFound = false
      for (name, _) in map.members {
        guard let name = name.utf8Slice, isSpelling(name, of: header) else { continue }
        guard !name.contains(.underscore) else { throw .underscore(header) }
        guard !isFound else { throw .repeated(header) }
        isFound = true
      }
    }
  }

  /// Whether some server takes this name for that of the header: in any letter case, and with `_` for `-`.
  private static func isSpelling(_ name: ArraySlice<UInt8>, of header: MCPHeader) -> Bool {
    let wanted = header.rawValue.utf8
    return name.count == wanted.count
      && zip(name, wanted).allSatisfy { ($0 == .underscore ? .hyphen : $0.lowercase) == $1.lowercase }
  }
}
