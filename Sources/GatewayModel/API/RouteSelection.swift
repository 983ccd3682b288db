internal import Text
internal import Bytes
internal import JSON

/// The expression that selects the route of a WebSocket message, such as `$request.body.action` or
/// `${request.body.version}-beta` ("WebSocket selection expressions in API Gateway").
package struct RouteSelection: Equatable, Sendable {
  private let parts: [Part]

  private enum Part: Equatable, Sendable {
    case text(String)
    /// The names of members, outermost first.
    case member([String])
  }

  /// Returns `nil` for an expression with anything but members of the message and text.
  package init?(_ expression: String) {
    var (parts, text, rest) = ([Part](), "", Substring(expression))
    while let first = rest.unicodeScalars.first {
      if rest.hasBytePrefix(#"\$"#) {
        text += "$"
        rest = rest.dropFirst(bytes: 2)
      } else if first == "$" {
        guard let (path, after) = Self.variable(at: rest) else { return nil }
        if !text.isEmpty { parts.append(.text(text)) }
        parts.append(.member(path))
        (text, rest) = ("", after)
      } else {
        text.unicodeScalars.append(first)
        rest = Substring(rest.unicodeScalars.dropFirst())
      }
    }
    if !text.isEmpty { parts.append(.text(text)) }
    guard !parts.isEmpty else { return nil }
    self.parts = parts
  }

  /// Returns the route key of a message, or `nil` if it has none: the message is not JSON, a member is absent or is not
  /// a string, or the key begins with `$` as only the predefined routes do.
  package func key(in message: [UInt8]) -> String? {
    let tree = try? JSONTree(parsing: message)
    var key = ""
    for part in parts {
      switch part {
      case .text(let text): key += text
      case .member(let path):
        var value = tree
        for name in path { value = value?[name] }
        guard case .string(let text)? = value else { return nil }
        key += text
      }
    }
    return key.isEmpty || key.hasBytePrefix("$") ? nil : key
  }

  // MARK: Syntax

  private static func variable(at text: Substring) -> (path: [String], after: Substring)? {
    let isBraced = text.hasBytePrefix("${")
    let prefix = isBraced ? "${request.body." : "$request.body."
    guard text.hasBytePrefix(prefix) else { return nil }
    var rest = text.dropFirst(bytes: prefix.utf8.count)
    let names = Substring(rest.utf8.prefix { $0 == .dot || isNameByte($0) })
    rest = rest[names.endIndex...]
    if isBraced {
      guard let after = rest.rest(after: "}") else { return nil }
      rest = after
    }
    let path = names.splitBytes(at: ".", omittingEmptySubsequences: false).map(String.init)
    return path.containsText("") ? nil : (path, rest)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == .underscore || byte == .hyphen
  }
}
