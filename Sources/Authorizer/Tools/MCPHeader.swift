/// The headers of MCP that say what a request asks for (MCP 2026-07-28, "Request Metadata").
package enum MCPHeader: String, CaseIterable, Sendable {
  case protocolVersion = "MCP-Protocol-Version"
  case method = "Mcp-Method"
  case name = "Mcp-Name"
}

/// Why an event does not say, beyond doubt, what its request asks for.
enum MCPHeaderFlaw: Error, Equatable, Sendable {
  /// Events of this kind have no headers, or not those of the request: TOKEN, and `$connect`.
  case noHeaders
  /// `headers` or `multiValueHeaders` is no object.
  case unreadable
  /// Without `multiValueHeaders`, an event of payload 1.0 hides that a header was sent twice.
  case noMultiValueHeaders
  case missing(MCPHeader)
  /// Sent more than once, or in two letter cases.
  case repeated(MCPHeader)
  /// A server that takes `_` for `-`, as CGI does (RFC 3875 section 4.1.18), would read it.
  case underscore(MCPHeader)
  /// `headers` and `multiValueHeaders` have different values.
  case different(MCPHeader)
  /// HTTP APIs join repeated headers with a comma.
  case comma(MCPHeader)
  /// Empty, or with characters that the header cannot have.
  case malformed(MCPHeader)
  /// `MCP-Protocol-Version` is no revision whose servers compare headers and body.
  case unknownRevision
  /// `Mcp-Name` begins as an encoded value and is none.
  case encoding

  /// Which header is wrong and how, for the log; contains nothing from the event.
  var detail: String {
    switch self {
    case .noHeaders: "events of this kind lack the headers of MCP: use a REQUEST authorizer"
    case .unreadable: "the event's headers cannot be read"
    case .noMultiValueHeaders: "the event has no multiValueHeaders: use payload format 2.0"
    case .missing(let header): header.rawValue + ": missing"
    case .repeated(let header): header.rawValue + ": sent more than once"
    case .underscore(let header): header.rawValue + ": sent with _ for -"
    case .different(let header): header.rawValue + ": headers and multiValueHeaders differ"
    case .comma(let header): header.rawValue + ": has a comma"
    case .malformed(let header): header.rawValue + ": empty, or with characters that it cannot have"
    case .unknownRevision:
      MCPHeader.protocolVersion.rawValue + ": not " + MCPRequest.revisions.joined(separator: " or ")
    case .encoding: MCPHeader.name.rawValue + ": not canonical =?base64?…?= of a text"
    }
  }
}
