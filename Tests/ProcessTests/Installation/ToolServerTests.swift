import Foundation
import TestSupport
import Testing

/// The MCP server of `init --for mcp` and `template/mcp.yaml`. The rows are in Tests/Fixtures/mcp/server.py.
@Suite(.needsPython, .hangLimit)
struct ToolServerTests {
  @Test func refusesMessagesThatDifferFromTheirHeaders() throws {
    let root = Workshop.packageRoot
    let script = root.appendingPathComponent("Tests/Fixtures/mcp/server.py").path
    let server = root.appendingPathComponent("template/init/mcp/server").path
    let answer = try Shell.run(
      "'\(Workshop.python ?? "")' -B '\(script)' '\(server)'", in: try Workshop())
    #expect(answer.exit == 0 && answer.output.isEmpty, "\(answer.output)\(answer.errors)")
  }
}
