@testable import EmulatorTestSupport
@testable import GatewayEmulator
@testable import GatewayModel
@testable import LambdaEmulator
import JSON
import Testing

/// The warning about a backend that answers a message of MCP whose headers say something else than its body.
@Suite struct ToolHeaderTests {
  struct Row: Sendable {
    var rules: String? = #"{"mcpToolRules":true}"#
    var method = "POST"
    var name = "set"
    var status = 200
    var isREST = true
    let warns: Bool
  }

  @Test(arguments: [
    Row(warns: true), Row(status: 500, warns: true), Row(status: 202, isREST: false, warns: true),
    Row(rules: #"{"mcpToolRules":"true"}"#, warns: true),
    Row(name: "get", warns: false), Row(status: 400, warns: false),
    Row(status: 400, isREST: false, warns: false),
    // Without rules for tools nothing was decided by the headers.
    Row(rules: nil, warns: false), Row(rules: #"{"mcpToolRules":false}"#, warns: false),
    Row(method: "DELETE", warns: false),
  ]) func aBackendMustCompareHeadersAndBody(_ row: Row) async throws {
    let authorizer = GatewayAuthorizer(
      name: "Request", function: "Authorizer",
      form: row.isREST
        ? .restRequest([.header("Authorization")]) : .http2([.header("Authorization")], simpleAnswers: false),
      timeToLiveSeconds: 0)
    let route = try GatewayStage.route(
      "ANY /mcp", access: .lambda(authorizer),
      integration: .function("Backend", row.isREST ? .rest : .http2))
    let (rules, status) = (row.rules, row.status)
    let service = GatewayService(
      gateway: Gateway(
        apis: [GatewayStage.api([route], isREST: row.isREST)], location: AWSLocation(),
        settings: Assumptions()),
      functions: [
        "Authorizer": Function { GatewayStage.policy(context: rules) },
        "Backend": Function { .response(Array("{\"statusCode\":\(status)}".utf8)) },
      ])
    let request = GatewayRequest(
      method: row.method, path: row.isREST ? "/prod/mcp" : "/mcp",
      headers: GatewayStage.bearer + MCPMessage(method: "tools/call", name: row.name).headers,
      body: MCPMessage(method: "tools/call", name: "get").body.bytes())
    let answer = await service.answer(request, to: service.gateway.apis[0])
    #expect(answer.response.status == status)
    #expect((answer.record.warning?.hasPrefix("toolHeaderNotChecked: ") ?? false) == row.warns)
    #expect(answer.record.line.contains("warning=\"toolHeaderNotChecked: the header Mcp-Name") == row.warns)
  }

  private struct Function: FunctionInvoking {
    let answer: @Sendable () -> InvocationAnswer
    func outcome(of event: [UInt8]) async -> FunctionOutcome { FunctionOutcome(answer: answer()) }
    func setClockOffset(seconds: Int64) -> Bool { true }
  }

  /// An echo stands for a backend that is not here.
  @Test func anEchoIsNoBackend() async throws {
    let route = try GatewayStage.route("POST /mcp", access: .lambda(GatewayStage.tokenAuthorizer))
    let service = GatewayService(
      gateway: Gateway(apis: [GatewayStage.api([route])], location: AWSLocation(), settings: Assumptions()),
      functions: ["Authorizer": Function { GatewayStage.policy(context: #"{"mcpToolRules":true}"#) }])
    let request = GatewayRequest(method: "POST", path: "/prod/mcp", headers: GatewayStage.bearer)
    let answer = await service.answer(request, to: service.gateway.apis[0])
    #expect(answer.response.status == 200 && answer.record.warning == nil)
  }
}
