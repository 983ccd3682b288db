import Foundation
import TestSupport
import Testing

/// Bugs of other emulators that only a running server can have.
@Suite struct KnownServeBugTests {
  /// localstack#11415, #7319: a compiled function was not loaded again.
  @Test(.needsPython)
  func localStack11415ARebuiltFunctionIsServed() async throws {
    let workshop = try Workshop()
    let template = try Checkout.text("template/template.yaml")
    try workshop.write(template, to: "t.yaml")
    try Self.build("Allow", in: workshop)
    let configuration = Workshop.packageRoot.appendingPathComponent("docs/harness/quick-start.json").path
    let gateway = try ServedGateway(
      workshop, ["--template", "t.yaml", "--config", configuration], tool: workshop.addTool())
    let request =
      "GET /RestApi/prod/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a.b.c\r\nConnection: close\r\n\r\n"
    let before = try RawConnection(port: gateway.port).exchange(request, until: "}")
    #expect(before.hasPrefix("HTTP/1.1 200 "))
    try Self.build("Deny", in: workshop)
    let after = try RawConnection(port: try gateway.nextPort()).exchange(request, until: "}}")
    #expect(after.hasPrefix("HTTP/1.1 403 "))
  }

  /// Writes `dist/bootstrap` of the workshop: a program with one fixed answer, replaced atomically as `make` does.
  private static func build(_ effect: String, in workshop: borrowing Workshop) throws {
    let source = ScriptedRuntime.source.replacing(#"do = event["do"]"#, with: "do = \"\(effect)\"")
    try workshop.write(
      program: "#!\(Workshop.python ?? "")\n" + source + "\n# \(effect)\n", to: "dist/bootstrap")
  }
}
