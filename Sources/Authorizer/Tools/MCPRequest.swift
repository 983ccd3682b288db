import Bytes
import FunctionHost
import JOSE

/// What MCP names, and what a rule may name: each has a method that uses one of it.
package enum MCPKind: String, CaseIterable, Sendable {
  case tools, resources, prompts

  /// The method that uses one.
  package var method: String {
    switch self {
    case .tools: "tools/call"
    case .resources: "resources/read"
    case .prompts: "prompts/get"
    }
  }
}

/// What one request asks for, by its headers. Only headers that leave no doubt make one, and only it can be granted.
///
/// The server still has to compare header and body: this says what the header asks for.
package struct MCPRequest: Hashable, Sendable {
  /// What `name` is a name of; `nil` for a method that needs no name.
  package let kind: MCPKind?
  /// The decoded name of a tool or prompt, or the URI of a resource, in UTF-8; empty without a kind.
  package let name: [UInt8]

  /// What a request asks for, without its headers.
  package init(kind: MCPKind?, name: [UInt8]) {
    self.kind = kind
    self.name = name
  }

  /// The revisions whose servers must compare these headers with the body; others would trust the body.
  package static let revisions = ["2026-07-28"]
  /// The longest name of a method in bytes (our own limit).
  static let maximumMethodBytes = 64

  /// Reads the headers of an event.
  init(_ request: AuthorizationRequest) throws(MCPHeaderFlaw) {
    let lines = try MCPHeaderLines(of: request)
    let revision = try lines.value(of: .protocolVersion)
    guard Self.revisions.contains(where: { $0.utf8.elementsEqual(revision) }) else { throw .unknownRevision }
    let method = try lines.value(of: .method)
    guard method.count <= Self.maximumMethodBytes, method.allSatisfy(Self.isOfMethod) else {
      throw .malformed(.method)
    }
    // A server that ignores letter case would run it.
    kind = MCPKind.allCases.first { $0.method.utf8.elementsEqual(method.lowercase) }
    guard let kind else {
      name = []
      return
    }
    guard kind.method.utf8.elementsEqual(method) else { throw .malformed(.method) }
    guard let name = Self.decoded(try lines.value(of: .name)) else { throw .encoding }
    self.name = name
  }

  /// Whether the name is a URI that a server may take for one outside of what a pattern with a wildcard means: dot
  /// segments in any spelling, a second encoding (also by a small or full-width `%`), an encoded NUL, a backslash.
  package var mayEscape: Bool {
    DotSegments.mayOccur(in: name, isURI: true)
      || Self.escapes.contains { RoutePattern.matches($0, name) }
  }

  private static let escapes: [[UInt8]] = ["*%25*", "*%00*", "*\\*", "*\u{FE6A}*", "*\u{FF05}*"].map {
    Array($0.utf8)
  }

  private static func isOfMethod(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte == .underscore || byte == .slash || byte == .dot || byte == .hyphen
  }

  /// Decodes a value of `Mcp-Name` ("Value Encoding"); `nil` if it begins as an encoded one and is none, or not of
  /// UTF-8 without control characters.
  package static func decoded(_ value: [UInt8]) -> [UInt8]? {
    guard value.starts(with: encodingStart.prefix(2)) else { return value }
    guard value.count > encodingStart.count + 2, value.starts(with: encodingStart),
      value.suffix(2).elementsEqual("?=".utf8)
    else { return nil }
    let text = Array(value[encodingStart.count..<value.count - 2])
    // Whole groups only, with padding and without line breaks: each name has one encoding.
    guard text.count % 4 == 0, text.allSatisfy({ $0.isVisible }), let name = Base64.decode(text),
      !ControlCharacters.occur(in: name), String(decoding: name, as: UTF8.self).utf8.elementsEqual(name)
    else { return nil }
    return name
  }

  private static let encodingStart = Array("=?base64?".utf8)
}
