import JSON
import Testing

@testable import authorizer_local

/// `event --mcp METHOD [NAME]`.
@Suite struct ToolEventTests {
  private static let url = "https://api.example.com/prod/mcp"

  private static func event(_ words: String...) async throws -> JSONTree {
    let machine = try RecordedMachine()
    let code = await AuthorizerLocal.end(of: ["event"] + words, on: machine.machine)
    try #require(code == 0, "\(machine.notes)")
    return try JSONTree(parsing: Array(machine.answer.utf8))
  }

  @Test(arguments: [
    ["--mcp", "tools/call", "get_weather", url], [url, "--mcp", "tools/call", "get_weather"],
    ["--mcp", "tools/call", "get_weather", "--kind", "http2", url],
    ["-X", "POST", url, "--mcp", "tools/call", "get_weather"],
  ]) func aMessageIsAPostWithItsHeaders(_ words: [String]) async throws {
    let machine = try RecordedMachine()
    #expect(await AuthorizerLocal.end(of: ["event"] + words, on: machine.machine) == 0, "\(machine.notes)")
    let event = try JSONTree(parsing: Array(machine.answer.utf8))
    #expect(event["routeKey"] == .string("POST /mcp"))
    #expect(event["headers"]?["mcp-protocol-version"] == .string("2026-07-28"))
    #expect(event["headers"]?["mcp-method"] == .string("tools/call"))
    #expect(event["headers"]?["mcp-name"] == .string("get_weather"))
  }

  @Test func eventsOfRESTAPIsHaveAllValues() async throws {
    let event = try await Self.event(
      "--kind", "restRequest", "--mcp", "resources/read", "file:///größe", Self.url, "-H", "Mcp-Name: b")
    #expect(event["httpMethod"] == .string("POST"))
    #expect(
      event["multiValueHeaders"]?["Mcp-Name"]
        == .array([.string("=?base64?ZmlsZTovLy9ncsO2w59l?="), .string("b")]))
    #expect(event["headers"]?["Mcp-Name"] == .string("b"))
  }

  @Test func aMethodWithoutANameHasNoHeaderForIt() async throws {
    let event = try await Self.event("--mcp", "tools/list", Self.url)
    #expect(event["headers"]?["mcp-method"] == .string("tools/list") && event["headers"]?["mcp-name"] == nil)
  }

  @Test(
    arguments: [
      ([], "the URL of the request is missing"), (["--mcp", url], "the URL of the request is missing"),
      (["--mcp", "tools/call", url], "takes one name"), ([url, "--mcp", "tools/call"], "takes one name"),
      ([url, "--mcp", "tools/list", "a"], "takes no name"),
      ([url, "--mcp", "tools/call", "a", "b"], "takes one name"),
      (["--kind", "restToken", "--mcp", "tools/list", url], "carries no headers of MCP"),
      (["--kind", "webSocket", "--mcp", "tools/list", "wss://a.example/prod"], "carries no headers of MCP"),
      (["--mcp", "tools/list", "tools"], "not a valid https URL"),
    ] as [([String], String)])
  func refusesWhatIsNoMessage(_ words: [String], _ problem: String) async throws {
    let machine = try RecordedMachine()
    #expect(await AuthorizerLocal.end(of: ["event"] + words, on: machine.machine) == 64)
    #expect(machine.notes.contains(problem), "\(machine.notes)")
  }

  // MARK: Explained

  private static let configuration = #"""
    {"issuers":[{"preset":"cognito-id:eu-central-1_Example01","audiences":["1example23456789"],
    "keys":{"seed":"k","pinned":true}}],"gatewayCache":"off","default":"deny","rules":[
    {"routes":["POST /mcp"],"allow":true},
    {"routes":["POST /mcp"],"tools":["get_*","search"],"allow":true,"require":{"scopes":["mcp:read"]}},
    {"routes":["POST /mcp"],"tools":["delete_*"],"resources":["file:///*"],"allow":true,"require":{"scopes":["mcp:write"]}},
    {"routes":["GET /pets"],"allow":true}]}
    """#

  @Test(
    arguments: [
      (["tools/call", "search"], 0, "rules[1] allows tools/call search on POST /mcp: scope mcp:read"),
      (["tools/call", "get_x"], 0, "rules[1] allows tools/call get_x on POST /mcp: scope mcp:read"),
      (["tools/list"], 0, "rules[0] allows POST /mcp: any valid token"),
      (["prompts/get", "p"], 0, "rules[0] allows prompts/get p on POST /mcp: any valid token"),
      (
        ["tools/call", "delete_x"], 1,
        "insufficientScope: tools/call delete_x on POST /mcp needs the scope mcp:write (rules[2]). The token has scope mcp:read."
      ),
      (
        ["resources/read", "file:///a"], 1,
        "insufficientScope: resources/read file:///a on POST /mcp needs the scope mcp:write (rules[2])."
      ),
      (["tools/call", "drop"], 1, "toolNotAllowed: No rule names tools/call drop on POST /mcp"),
      (
        ["-H", "Mcp-Method: tools/call"], 1,
        "mcpHeaders: Rules for POST /mcp decide by the headers of MCP, and one is wrong: MCP-Protocol-Version: missing"
      ),
    ] as [([String], Int32, String)])
  func explainNamesTheTool(_ message: [String], _ exit: Int32, _ words: String) async throws {
    let mcp = message[0] == "-H" ? ["-X", "POST"] + message : ["--mcp"] + message
    let made = try RecordedMachine()
    let arguments =
      ["event", "https://api.example.com/prod/mcp"] + mcp + ["--kind", "restRequest", "--token", "good"]
    #expect(await AuthorizerLocal.end(of: arguments, on: made.machine) == 0, "\(made.notes)")
    for isJSON in [false, true] {
      let machine = try RecordedMachine(input: made.answer)
      try machine.addDevelopmentKeys()
      try machine.write(Self.configuration, to: "authorizer.json")
      try machine.write(
        #"{"good":{"preset":"cognito-id","claims":{"sub":"u1","scope":"mcp:read"}}}"#, to: "tokens.json")
      let found = await AuthorizerLocal.end(
        of: ["explain", "-"] + (isJSON ? ["--json"] : []), on: machine.machine)
      #expect(found == exit, "\(machine.answer)\(machine.notes)")
      guard isJSON else {
        #expect(machine.answer.contains(words), "\(machine.answer)")
        #expect(machine.answer.contains("POST /mcp: tools get_*, tools search"), "\(machine.answer)")
        continue
      }
      let rules = try JSONTree(parsing: Array(machine.answer.utf8))["rules"]
      let call = mcp.count == 3 ? JSONTree.string(message.joined(separator: " ")) : nil
      #expect(rules?["call"] == call)
    }
  }
}
