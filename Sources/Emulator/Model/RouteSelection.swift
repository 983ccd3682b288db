internal import JSON

/// The expression that selects the route of a WebSocket message, such as `$request.body.action` or
/// `${request.body.version}-beta` ("WebSocket selection expressions in API Gateway").
public struct RouteSelection: Equatable, Sendable {
  private let parts: [Part]

  private enum Part: Equatable, Sendable {
    case text(String)
    /// The names of members, outermost first.
    case member([String])
  }

  /// Returns `nil` for an expression with anything but members of the message and text.
  init?(_ expression: String) {
    var (parts, text, rest) = ([Part](), "", Substring(expression))
    while let first = rest.first {
      if rest.hasPrefix(#"\$"#) {
        text += "$"
        rest = rest.dropFirst(2)
      } else if first == "$" {
        guard let (path, after) = Self.variable(at: rest) else { return nil }
        if !text.isEmpty { parts.append(.text(text)) }
        parts.append(.member(path))
        (text, rest) = ("", after)
      } else {
        text.append(rest.removeFirst())
      }
    }
    if !text.isEmpty { parts.append(.text(text)) }
    guard !parts.isEmpty else { return nil }
    self.parts = parts
  }

  /// Returns the route key of a message, or `nil` if it has none: the message is not JSON, a member is absent or is not
  /// a string, or the key begins with `$` as only the predefined routes do.
  func key(in message: [UInt8]) -> String? {
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
    return key.isEmpty || key.hasPrefix("$") ? nil : key
  }

  // MARK: Syntax

  private static func variable(at text: Substring) -> (path: [String], after: Substring)? {
    let isBraced = text.hasPrefix("${")
    let prefix = isBraced ? "${request.body." : "$request.body."
    guard text.hasPrefix(prefix) else { return nil }
    var rest = text.dropFirst(prefix.count)
    let names = rest.prefix { $0 == "." || $0.utf8.allSatisfy(isNameByte) }
    rest = rest[names.endIndex...]
    if isBraced {
      guard rest.first == "}" else { return nil }
      rest = rest.dropFirst()
    }
    let path = names.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return path.contains("") ? nil : (path, rest)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: true
    default: false
    }
  }
}
