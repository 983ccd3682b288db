package import JSON
internal import Text

/// A message of MCP 2026-07-28: a JSON-RPC request, and headers that repeat what it asks for ("Streamable HTTP").
package struct MCPMessage: Equatable, Sendable {
  package static let revision = "2026-07-28"
  private static let (version, method, name) = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name")
  private static let meta = "io.modelcontextprotocol/"

  package let method: String
  /// The name of a tool or a prompt, or the URI of a resource; not sent with other methods.
  package let name: String?

  package init(method: String, name: String? = nil) { (self.method, self.name) = (method, name) }

  /// The member of `params` that `Mcp-Name` repeats; `nil` for methods without that header.
  package static func nameMember(of method: String) -> String? {
    switch method {
    case "tools/call", "prompts/get": "name"
    case "resources/read": "uri"
    default: nil
    }
  }

  package var headers: [GatewayRequest.Header] {
    [.init(Self.version, Self.revision), .init(Self.method, method)]
      + (Self.nameMember(of: method) == nil ? [] : name.map { [.init(Self.name, Self.encoded($0))] } ?? [])
  }

  package var body: JSONTree {
    var parameters = JSONTree.members([
      "_meta": .members([
        Self.meta + "protocolVersion": .string(Self.revision), Self.meta + "clientCapabilities": .object([]),
      ])
    ])
    if let member = Self.nameMember(of: method), let name { parameters[member] = .string(name) }
    return .members([
      "jsonrpc": .string("2.0"), "id": .integer(1), "method": .string(method), "params": parameters,
    ])
  }

  // MARK: Comparison

  /// Returns what the headers and the body of a request say differently; `nil` if they agree.
  ///
  /// A server must refuse such a request ("Server Validation"): what decided by the headers did not see this message.
  package static func difference(in request: GatewayRequest) -> String? {
    guard let body = try? JSONTree(parsing: request.body), case .object = body else {
      return "the body is not one JSON object"
    }
    var said = [(Self.method, body["method"])]
    if case .string(let method)? = body["method"], let member = nameMember(of: method) {
      said.append((Self.name, body["params"]?[member]))
    }
    if let version = body["params"]?["_meta"]?[meta + "protocolVersion"] {
      said.append((Self.version, version))
    }
    let differing = said.first { header, value in
      let values = request.values(ofHeader: header)
      guard case .string(let text)? = value, values.count == 1, let sent = decoded(values[0]) else {
        return true
      }
      return !sent.hasSameBytes(as: text)
    }
    return differing.map { "the header \($0.0) differs from the body" }
  }

  // MARK: Values of headers

  private static let (opening, closing) = ("=?base64?", "?=")

  /// Encodes a value that is not visible ASCII, or that the authorizer would refuse: a comma may join two headers.
  private static func encoded(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: ",") }
    return isPlain && !text.hasBytePrefix("=?") && text.trimmingBlanks.hasSameBytes(as: text)
      ? text : opening + Base64Text.encoded(Array(text.utf8)) + closing
  }

  /// The text of a value; `nil` for a malformed one.
  private static func decoded(_ value: String) -> String? {
    guard value.hasBytePrefix("=?") else { return value }
    guard value.hasBytePrefix(opening), value.hasByteSuffix(closing),
      value.utf8.count >= opening.utf8.count + closing.utf8.count
    else { return nil }
    let text = value.dropFirst(bytes: opening.utf8.count).dropLast(bytes: closing.utf8.count)
    return Base64Text.decoded(String(text)).flatMap {
      Base64Text.encoded($0).hasSameBytes(as: text) ? String(validating: $0, as: UTF8.self) : nil
    }
  }
}
