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
}
