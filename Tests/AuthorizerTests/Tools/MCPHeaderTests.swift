import JSON
import Testing

@testable import Authorizer

/// What the headers of a request on a tool route must be: each row is decided by a caller who may call every tool, so
/// that nothing but the headers refuses it.
@Suite("Headers of MCP")
struct MCPHeaderTests {
  /// Anyone may call every tool and every other method.
  private static let open = TestMCP.members(
    #"{"routes":["POST /mcp"],"allow":true},{"routes":["POST /mcp"],"tools":["*"],"allow":true}"#)

  private static func decision(
    _ kind: EventKind, _ lines: TestMCP.Lines, members: [JSONTree.Member]? = nil
  ) throws -> Decision {
    var authorizer = try TestRules.authorizer(open)
    let token = try TestRules.partnerToken()
    let members = members.map { given in
      given.map { member in
        guard case .object(let headers) = member.value else { return member }
        let isList = member.name == "multiValueHeaders"
        let value = JSONTree.string("Bearer " + token)
        return TestEvent.object(
          member.name, [.init(name: "authorization", value: isList ? .array([value]) : value)] + headers)
      }
    }
    return authorizer.decide(
      on: TestMCP.event(kind, lines, token: token, members: members), at: TestIssuers.now)
  }

  private static func expect(
    _ decision: Decision, _ detail: String?, _ context: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      decision.outcome == (detail == nil ? .allowed : .forbidden), "\(context)",
      sourceLocation: sourceLocation)
    #expect(decision.reason == (detail == nil ? nil : .mcpHeaders), sourceLocation: sourceLocation)
    #expect(decision.detail == detail, sourceLocation: sourceLocation)
    #expect(decision.rule == nil, sourceLocation: sourceLocation)
  }

  private static let version = ("MCP-Protocol-Version", "2026-07-28")
  private static let call = ("Mcp-Method", "tools/call")
  private static let search = ("Mcp-Name", "search")
  private static let badVersion = "MCP-Protocol-Version: not 2026-07-28"
  private static let badMethod = "Mcp-Method: empty, or with characters that it cannot have"
  private static let badName = "Mcp-Name: empty, or with characters that it cannot have"
  private static let badEncoding = "Mcp-Name: not canonical =?base64?…?= of a text"

  /// Lines as a client sends them, and the detail of the refusal; `nil` if they are right.
  static let rows: [(lines: TestMCP.Lines, detail: String?)] = [
    ([version, call, search], nil),
    ([search, call, version], nil),
    ([("mcp-protocol-version", "2026-07-28"), ("MCP-METHOD", "tools/call"), ("mcp-NAME", "search")], nil),
    ([version, ("Mcp-Method", "tools/list")], nil),
    ([version, ("Mcp-Method", "server/discover")], nil),
    ([version, ("Mcp-Method", "a.b-c_d/E9")], nil),
    ([version, ("Mcp-Method", String(repeating: "m", count: 64))], nil),
    // Missing.
    ([], "MCP-Protocol-Version: missing"),
    ([call, search], "MCP-Protocol-Version: missing"),
    ([version, search], "Mcp-Method: missing"),
    ([version, call], "Mcp-Name: missing"),
    ([version, ("Mcp-Method", "resources/read")], "Mcp-Name: missing"),
    ([version, ("Mcp-Method", "prompts/get")], "Mcp-Name: missing"),
    // Empty.
    (
      [("MCP-Protocol-Version", ""), call, search],
      "MCP-Protocol-Version: empty, or with characters that it cannot have"
    ),
    ([version, ("Mcp-Method", ""), search], badMethod),
    ([version, call, ("Mcp-Name", "")], badName),
    ([version, call, ("Mcp-Name", "=?base64??=")], badEncoding),
    // A comma, which may have joined two lines.
    ([("MCP-Protocol-Version", "2026-07-28,2026-07-28"), call, search], "MCP-Protocol-Version: has a comma"),
    ([version, ("Mcp-Method", "tools/list,tools/call"), search], "Mcp-Method: has a comma"),
    ([version, call, ("Mcp-Name", "search, delete_all")], "Mcp-Name: has a comma"),
    ([version, call, ("Mcp-Name", ",")], "Mcp-Name: has a comma"),
    // With an underscore.
    ([("MCP_Protocol_Version", "2026-07-28"), call, search], "MCP-Protocol-Version: sent with _ for -"),
    ([("MCP-Protocol_Version", "2026-07-28"), call, search], "MCP-Protocol-Version: sent with _ for -"),
    (
      [version, ("mcp_protocol_version", "2026-07-28"), call, search],
      "MCP-Protocol-Version: sent with _ for -"
    ),
    ([version, call, ("mcp_method", "tools/list"), search], "Mcp-Method: sent with _ for -"),
    ([version, call, search, ("MCP_NAME", "search")], "Mcp-Name: sent with _ for -"),
    ([version, call, ("Mcp_Name", "search")], "Mcp-Name: sent with _ for -"),
    // Revisions.
    ([("MCP-Protocol-Version", "2025-11-25"), call, search], badVersion),
    ([("MCP-Protocol-Version", "2026-07-29"), call, search], badVersion),
    (
      [("MCP-Protocol-Version", "2026-07-28 "), call, search],
      "MCP-Protocol-Version: empty, or with characters that it cannot have"
    ),
    ([("MCP-Protocol-Version", "DRAFT-2026-v1"), call, search], badVersion),
    ([("MCP-Protocol-Version", "=?base64?MjAyNi0wNy0yOA==?="), call, search], badVersion),
    // Methods.
    ([version, ("Mcp-Method", "Tools/Call"), search], badMethod),
    ([version, ("Mcp-Method", "tools/calL"), search], badMethod),
    ([version, ("Mcp-Method", "RESOURCES/READ"), search], badMethod),
    ([version, ("Mcp-Method", "prompts/Get"), search], badMethod),
    ([version, ("Mcp-Method", "tools call")], badMethod),
    ([version, ("Mcp-Method", "tools%2Fcall")], badMethod),
    ([version, ("Mcp-Method", "tools\\call")], badMethod),
    ([version, ("Mcp-Method", "tools/call\u{E9}")], badMethod),
    ([version, ("Mcp-Method", "=?base64?dG9vbHMvY2FsbA==?="), search], badMethod),
    ([version, ("Mcp-Method", String(repeating: "m", count: 65))], badMethod),
    // Encoded names: canonical base64 of UTF-8 without control characters, and nothing around it.
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNo?=")], nil),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNoMQ==?=")], nil),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNoMTI=?=")], nil),
    ([version, call, ("Mcp-Name", "=?base64?5LiW55WM?=")], nil),
    ([version, call, ("Mcp-Name", "=?base64?YSxi?=")], nil),
    ([version, call, ("Mcp-Name", "=?base64?PT9iYXNlNjQ/YT89?=")], nil),
    ([version, call, ("Mcp-Name", "=?base64?77+9?=")], nil),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNoMQ?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNoMQ=?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNoMR==?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNoMTJ=?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?c2Vh cmNo?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?_-__?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNo====?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?====?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?BASE64?c2VhcmNo?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?utf-8?c2VhcmNo?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNo?= ")], badName),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNo?=x")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?c2VhcmNo")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?")], badEncoding),
    // Not UTF-8 (a lone byte, an overlong form, a surrogate), and control characters.
    ([version, call, ("Mcp-Name", "=?base64?/w==?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?wK4=?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?7aCA?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?AA==?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?YQpi?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?fw==?=")], badEncoding),
    ([version, call, ("Mcp-Name", "=?base64?woU=?=")], badEncoding),
    // Names that need an encoding and have none.
    ([version, call, ("Mcp-Name", "get weather")], nil),
    ([version, call, ("Mcp-Name", "a=?base64?b?=")], nil),
    ([version, call, ("Mcp-Name", "\u{E9}")], badName),
    ([version, call, ("Mcp-Name", "a\tb")], badName),
    ([version, call, ("Mcp-Name", " a")], badName),
    ([version, call, ("Mcp-Name", "a\u{7F}")], badName),
    // Other methods have no name, so none is read.
    ([version, ("Mcp-Method", "tools/list"), ("Mcp-Name", "")], nil),
    ([version, ("Mcp-Method", "tools/list"), ("Mcp-Name", "a,b")], nil),
    ([version, ("Mcp-Method", "tools/list"), ("Mcp_Name", "a")], "Mcp-Name: sent with _ for -"),
    // What tools mirror into headers is not read.
    ([version, call, search, ("Mcp-Param-Region", "a,b"), ("Mcp-Names", "x"), ("Xmcp-Name", "y")], nil),
  ]

  @Test("a request has the headers of MCP, each once and well-formed", arguments: rows, TestMCP.kinds)
  func row(_ row: (lines: TestMCP.Lines, detail: String?), _ kind: EventKind) throws {
    Self.expect(try Self.decision(kind, row.lines), row.detail)
  }

  @Test("a header that is sent twice is refused, with the same value too", arguments: TestMCP.kinds)
  func repeated(kind: EventKind) throws {
    for (index, name) in MCPHeader.allCases.map(\.rawValue).enumerated() {
      for value in ["x", TestMCP.lines("tools/call", "search")[index].value] {
        for spelling in [name, name.lowercased()] {
          // REST APIs keep the letter case, HTTP APIs do not.
          let lines = TestMCP.lines("tools/call", "search") + [(spelling, value)]
          Self.expect(
            try Self.decision(kind, lines),
            name + (kind == .http2 ? ": has a comma" : ": sent more than once"), "\(spelling)")
        }
      }
    }
  }

  /// Members of an event in payload format 1.0, and the detail of the refusal.
  static let events: [(headers: String?, lists: String?, detail: String)] = [
    (#"{\#(single)}"#, nil, "the event has no multiValueHeaders: use payload format 2.0"),
    (#"{\#(single)}"#, "null", "the event has no multiValueHeaders: use payload format 2.0"),
    (#"{\#(single)}"#, "{}", "MCP-Protocol-Version: headers and multiValueHeaders differ"),
    (#"{\#(single)}"#, "[]", "the event's headers cannot be read"),
    ("{}", #"{\#(lists)}"#, "MCP-Protocol-Version: headers and multiValueHeaders differ"),
    (
      #"{\#(single),"Mcp-Name":"search"}"#, #"{\#(lists),"Mcp-Name":["delete_all"]}"#,
      "Mcp-Name: headers and multiValueHeaders differ"
    ),
    (
      #"{\#(single),"Mcp-Name":"search"}"#, #"{\#(lists)}"#,
      "Mcp-Name: headers and multiValueHeaders differ"
    ),
    (
      #"{\#(single)}"#, #"{\#(lists),"Mcp-Name":["search"]}"#,
      "Mcp-Name: headers and multiValueHeaders differ"
    ),
    (
      #"{\#(single),"Mcp-Name":"a","mcp-name":"a"}"#, #"{\#(lists),"Mcp-Name":["a"]}"#,
      "Mcp-Name: sent more than once"
    ),
    (
      #"{\#(single),"Mcp-Name":"a"}"#, #"{\#(lists),"Mcp-Name":["a"],"mcp-name":["a"]}"#,
      "Mcp-Name: sent more than once"
    ),
    (
      #"{\#(single),"Mcp-Name":"a"}"#, #"{\#(lists),"Mcp-Name":["a","a"]}"#, "Mcp-Name: sent more than once"
    ),
    (
      #"{\#(single),"Mcp-Name":"a"}"#, #"{\#(lists),"Mcp-Name":["a"],"mcp_name":["a"]}"#,
      "Mcp-Name: sent with _ for -"
    ),
    (#"{\#(single),"Mcp-Name":"a"}"#, #"{\#(lists),"Mcp-Name":[]}"#, badName),
    (#"{\#(single),"Mcp-Name":"a"}"#, #"{\#(lists),"Mcp-Name":"a"}"#, badName),
    (#"{\#(single),"Mcp-Name":7}"#, #"{\#(lists),"Mcp-Name":[7]}"#, badName),
    (#"{\#(single),"Mcp-Name":null}"#, #"{\#(lists),"Mcp-Name":[null]}"#, badName),
    (#"{\#(single),"Mcp-Name":["a"]}"#, #"{\#(lists),"Mcp-Name":["a"]}"#, badName),
  ]
  private static let single = #""mcp-protocol-version":"2026-07-28","mcp-method":"tools/call""#
  private static let lists = #""mcp-protocol-version":["2026-07-28"],"mcp-method":["tools/call"]"#

  @Test("both members with headers must agree", arguments: events, [EventKind.restRequest, .http1])
  func event(_ row: (headers: String?, lists: String?, detail: String), _ kind: EventKind) throws {
    let members = try [("headers", row.headers), ("multiValueHeaders", row.lists)].compactMap { name, json in
      try json.map { JSONTree.Member(name: name, value: try JSONTree(parsing: Array($0.utf8))) }
    }
    Self.expect(try Self.decision(kind, [], members: members), row.detail)
  }

  @Test("the token may be in a cookie: then an event without headers is refused")
  func noHeaders() throws {
    var authorizer = try TestRules.authorizer(Self.open + #","tokenSources":["cookie:t"]"#)
    let cookie = TestEvent.list("cookies", ["t=" + (try TestRules.partnerToken())])
    for headers in [[], [TestEvent.text("headers", "x")]] as [[JSONTree.Member]] {
      let event = TestEvent.bytes(.http2, arn: TestEvent.stage + "POST/mcp", [cookie] + headers)
      Self.expect(authorizer.decide(on: event, at: TestIssuers.now), "the event's headers cannot be read")
    }
  }

  @Test("no refusal repeats text of the request")
  func secrecy() throws {
    for value in ["s3cret\u{E9}", "=?s3cret", "s3cret,"] {
      for header in MCPHeader.allCases {
        let lines = TestMCP.lines("tools/call", "search").map { line in
          line.name == header.rawValue ? (line.name, value) : line
        }
        let decision = try Self.decision(.restRequest, lines)
        #expect(decision.reason == .mcpHeaders)
        #expect(decision.detail?.contains("s3cret") == false)
        #expect(decision.detail?.hasPrefix(header.rawValue) == true)
      }
    }
  }
}
