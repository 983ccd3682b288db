import JSON
import Testing

@testable import GatewayModel

/// Messages of MCP 2026-07-28, and the comparison of their headers with their body.
@Suite struct MCPMessageTests {
  @Test(
    arguments: [
      ("get_weather", "get_weather"), ("a b", "a b"), ("file:///etc/a.txt", "file:///etc/a.txt"), ("=", "="),
      ("größe", "=?base64?Z3LDtsOfZQ==?="), (" a", "=?base64?IGE=?="), ("a ", "=?base64?YSA=?="),
      ("a\nb", "=?base64?YQpi?="), ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
      ("=?x", "=?base64?PT94?="), ("a,b", "=?base64?YSxi?="),
    ] as [(String, String)])
  func aNameIsWrittenAsClientsDo(_ name: String, _ header: String) {
    let message = MCPMessage(method: "tools/call", name: name)
    #expect(
      message.headers == [
        .init("MCP-Protocol-Version", "2026-07-28"), .init("Mcp-Method", "tools/call"),
        .init("Mcp-Name", header),
      ])
    #expect(message.body["params"]?["name"] == .string(name))
    #expect(Self.difference(message.headers, String(decoding: message.body.bytes(), as: UTF8.self)) == nil)
  }

  @Test func onlyThreeMethodsHaveAName() {
    for (method, member) in [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri")] {
      let message = MCPMessage(method: method, name: "x")
      #expect(message.headers.count == 3 && message.body["params"]?[member] == .string("x"))
    }
    let list = MCPMessage(method: "tools/list", name: "x")
    #expect(list.headers.map(\.name) == ["MCP-Protocol-Version", "Mcp-Method"])
    #expect(list.body["params"]?["name"] == nil)
  }

  private static func difference(_ headers: [GatewayRequest.Header], _ body: String) -> String? {
    MCPMessage.difference(
      in: GatewayRequest(method: "POST", path: "/", headers: headers, body: Array(body.utf8)))
  }

  private static let call = #"{"method":"tools/call","params":{"name":"get","_meta":{}}}"#
  private static let read = #"{"method":"resources/read","params":{"uri":"file:///größe"}}"#
  private static let versioned =
    #"{"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#

  @Test(
    arguments: [
      (["Mcp-Method": "tools/call", "Mcp-Name": "get"], call, nil),
      (["mcp-method": "tools/call", "MCP-NAME": "=?base64?Z2V0?="], call, nil),
      (["Mcp-Method": "resources/read", "Mcp-Name": "=?base64?ZmlsZTovLy9ncsO2w59l?="], read, nil),
      (["Mcp-Method": "tools/list", "MCP-Protocol-Version": "2026-07-28"], versioned, nil),
      (["Mcp-Method": "tools/list", "Mcp-Name": "unread"], #"{"method":"tools/list"}"#, nil),
      (["Mcp-Method": "tools/call", "Mcp-Name": "set"], call, "Mcp-Name"),
      (["Mcp-Method": "tools/call", "Mcp-Name": "Get"], call, "Mcp-Name"),
      (["Mcp-Method": "tools/call", "Mcp-Name": "get,get"], call, "Mcp-Name"),
      (["Mcp-Method": "tools/call", "Mcp-Name": "=?base64?Z2V0==?="], call, "Mcp-Name"),
      (["Mcp-Method": "tools/call", "Mcp-Name": "=?base64?Z2V1?="], call, "Mcp-Name"),
      (["Mcp-Method": "tools/call", "Mcp-Name": "=?"], call, "Mcp-Name"),
      (["Mcp-Method": "tools/call"], call, "Mcp-Name"),
      (["Mcp-Method": "tools/call", "Mcp-Name": "x"], #"{"method":"tools/call"}"#, "Mcp-Name"),
      (
        ["Mcp-Method": "tools/call", "Mcp-Name": "7"], #"{"method":"tools/call","params":{"name":7}}"#,
        "Mcp-Name"
      ),
      (["Mcp-Method": "tools/list", "Mcp-Name": "get"], call, "Mcp-Method"),
      (["Mcp-Name": "get"], call, "Mcp-Method"), (["Mcp-Method": "x"], "{}", "Mcp-Method"),
      (
        ["Mcp-Method": "tools/list", "MCP-Protocol-Version": "2025-11-25"], versioned, "MCP-Protocol-Version"
      ),
      (["Mcp-Method": "tools/list"], versioned, "MCP-Protocol-Version"),
      (["Mcp-Method": "tools/call", "Mcp-Name": "get"], "[\(call)]", "the body"),
      (["Mcp-Method": "tools/list"], "", "the body"), (["Mcp-Method": "tools/list"], "{", "the body"),
      (["Mcp-Method": "a"], #"{"method":"a","method":"tools/call"}"#, "the body"),
    ] as [(KeyValuePairs<String, String>, String, String?)])
  func namesWhatDiffers(_ headers: KeyValuePairs<String, String>, _ body: String, _ part: String?) {
    let found = Self.difference(headers.map { .init($0.key, $0.value) }, body)
    #expect((found == nil) == (part == nil) && found?.contains(part ?? "") ?? true, "\(found ?? "nothing")")
  }

  @Test func aHeaderThatIsThereTwiceDiffers() {
    let headers = [
      GatewayRequest.Header("Mcp-Method", "tools/call"), .init("Mcp-Name", "get"), .init("mcp-name", "get"),
    ]
    #expect(Self.difference(headers, Self.call)?.contains("Mcp-Name") == true)
  }
}
