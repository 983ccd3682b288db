import JSON

@testable import Authorizer

/// Requests of MCP as header lines, and the events that API Gateway makes of them.
enum TestMCP {
  typealias Lines = [(name: String, value: String)]

  /// The members of a configuration with rules for tools on `POST /mcp`.
  static let rules = members(
    #"""
    {"routes":["POST /mcp"],"allow":true},
    {"routes":["POST /mcp"],"tools":["get_*","search"],"allow":true,"require":{"scopes":["mcp:read"]}},
    {"routes":["POST /mcp"],"tools":["delete_*"],"allow":true,
     "require":{"scopes":["mcp:write"],"authenticatedWithinSeconds":900}},
    {"routes":["GET /health","* /files/*"],"allow":true}
    """#)

  static func members(_ rules: String) -> String {
    #""gatewayCache":"off","default":"deny","rules":[\#(rules)]"#
  }

  /// The lines of a request as a client of 2026-07-28 sends them.
  static func lines(_ method: String, _ name: String? = nil) -> Lines {
    [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)] + (name.map { [("Mcp-Name", $0)] } ?? [])
  }

  /// Returns an event with these header lines. `headers` of REST APIs and of payload format 1.0 have the last value of a
  /// name, `multiValueHeaders` all; HTTP APIs write names in lower case, and payload format 2.0 joins values.
  ///
  /// - Parameter members: members in place of `headers` and `multiValueHeaders`.
  static func event(
    _ kind: EventKind, on route: String = "POST/mcp", _ lines: Lines, token: String,
    members: [JSONTree.Member]? = nil
  ) -> [UInt8] {
    let arn = TestEvent.stage + route
    guard kind != .restToken else { return TestEvent.bytes(kind, arn: arn, token: token) }
    let all = [("Authorization", "Bearer " + token)] + lines
    return TestEvent.bytes(kind, arn: arn, members ?? self.members(kind, all))
  }

  static func members(_ kind: EventKind, _ lines: Lines) -> [JSONTree.Member] {
    var names: [String] = []
    var values: [String: [String]] = [:]
    for (written, value) in lines {
      let name = kind.isHTTP ? written.lowercased() : written
      if values[name] == nil { names.append(name) }
      values[name, default: []].append(value)
    }
    let lists = names.map { ($0, values[$0] ?? []) }
    if kind == .http2 {
      return [TestEvent.object("headers", lists.map { TestEvent.text($0, $1.joined(separator: ",")) })]
    }
    return [
      TestEvent.object("headers", lists.map { TestEvent.text($0, $1.last ?? "") }),
      TestEvent.object("multiValueHeaders", lists.map { TestEvent.list($0, $1) }),
    ]
  }

  /// The kinds of event that have the headers of a request.
  static let kinds: [EventKind] = [.restRequest, .http1, .http2]
}

extension Decision {
  /// The context of a policy, or of a simple answer.
  func context() throws -> JSONTree {
    guard case .response(let bytes) = answer else { throw PolicyReading.Unreadable() }
    return try JSONTree(parsing: bytes)["context"] ?? .null
  }

  /// Whether the policy allows a request on a route.
  func opens(_ route: String) throws -> Bool {
    guard case .response(let bytes) = answer else { throw PolicyReading.Unreadable() }
    return try PolicyReading(bytes).allows(TestEvent.stage + route)
  }
}
