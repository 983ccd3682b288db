import Foundation
import JSON
import Testing

/// The console of `serve`, with the real authorizer and its configuration.
@Suite(.needsBootstrap, .serialized)
struct ServeConsoleTests {
  private static let configuration = """
    {"issuers":[{"preset":"apple","audiences":["com.example.app"]}],
    "default":"deny",
    "rules":[{"routes":["GET /me"],"allow":true,"require":{"scopes":["me:read"]}},
    {"routes":["GET /me/request"],"allow":true}]}
    """

  private static func gateway(_ workshop: borrowing Workshop, _ more: [String] = []) throws -> ServedGateway {
    try workshop.write(configuration, to: "authorizer.json")
    return try ServedGateway(
      workshop,
      [
        "--template", Workshop.packageRoot.appendingPathComponent("template/template.yaml").path,
        "--config", workshop.folder.appendingPathComponent("authorizer.json").path,
      ] + more)
  }

  private static func decision(_ number: Int, of gateway: ServedGateway) async throws -> JSONTree {
    try #require(try await gateway.send("GET", "/dev/decisions/\(number)").json)
  }

  /// The name of its test.
  private static func name(of decision: JSONTree) throws -> String {
    guard case .string(let path)? = decision["test"]?["event"] else { throw CocoaError(.keyValueValidation) }
    return path.replacing("events/", with: "").replacing(".json", with: "")
  }

  private struct Call: Sendable {
    let path: String
    let order: String
    let outcome: String
  }

  private static let calls = [
    Call(path: "/RestApi/prod/me", order: "user=alice&scope=me:read", outcome: "allowed"),
    Call(path: "/RestApi/prod/me/request", order: "user=bob", outcome: "allowed"),
    Call(path: "/HttpApi/me", order: "user=bob", outcome: "forbidden"),
    Call(path: "/RestApi/prod/me", order: "user=carol&expires=-1h", outcome: "unauthorized"),
  ]

  /// A decision becomes a contract test that passes, in one step, and the test has no token.
  @Test func aDecisionIsAContractTest() async throws {
    let workshop = try Workshop()
    try workshop.write(#"{"own":{"preset":"apple"}}"#, to: "events/tokens.json")
    try workshop.write(
      String(
        contentsOf: Workshop.packageRoot.appendingPathComponent("template/template.yaml"), encoding: .utf8),
      to: "template.yaml")
    try workshop.write(Self.configuration, to: "authorizer.json")
    let gateway = try ServedGateway(workshop, ["--template", "template.yaml", "--config", "authorizer.json"])
    for (index, call) in Self.calls.enumerated() {
      let token = try await gateway.token(call.order)
      _ = try await gateway.send("GET", call.path, headers: ["Authorization": "Bearer \(token)"])
      let decision = try await Self.decision(index + 1, of: gateway)
      #expect(decision["outcome"] == .string(call.outcome), "\(gateway.logText)")
      let saved = try await gateway.send(
        "POST", "/dev/decisions/\(index + 1)/test", headers: ["Content-Type": "application/json"], body: "{}")
      #expect(saved.status == 200, "\(saved.text)")
      let event = workshop.folder.appendingPathComponent(
        "events/\(try Self.name(of: decision)).json")
      #expect(!(try String(contentsOf: event, encoding: .utf8).contains("eyJ")))
    }
    let run = try workshop.execute(["test", "events"])
    #expect(run.exit == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("4 passed, 0 failed"))
  }

  /// The checks of a decision are those of `explain` for its event.
  @Test func theChecksAreThoseOfExplain() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    for (index, call) in Self.calls.enumerated() {
      let token = try await gateway.token(call.order)
      _ = try await gateway.send("GET", call.path, headers: ["Authorization": "Bearer \(token)"])
      let decision = try await Self.decision(index + 1, of: gateway)
      let event = try #require(decision["test"]?["eventDocument"])
      let text = String(decoding: event.bytes(), as: UTF8.self)
        .replacing("{{token \(try Self.name(of: decision))}}", with: token)
      try workshop.write(text, to: "event.json")
      let run = try await workshop.run(["explain", "event.json", "--json"])
      let explained = try JSONTree(parsing: Array(run.output.utf8))
      guard case .array(let checks)? = decision["checks"], case .array(let expected)? = explained["checks"]
      else {
        Issue.record("no checks: \(run.output)\(run.errors)")
        return
      }
      let words = ["passed": "passed", "FAILED": "failed", "not reached": "skipped"]
      #expect(checks.count == expected.count)
      for (check, other) in zip(checks, expected) {
        guard case .string(let result)? = other["result"] else { continue }
        #expect(check["result"] == .string(words[result] ?? result), "\(call.path)")
        #expect(check["expected"] == other["expected"])
        #expect(check["reason"] == other["reason"])
      }
    }
  }

  @Test func theMatrixNamesTheRule() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let answer = try await gateway.send("GET", "/dev/matrix")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.text.contains("alice, scope me:read"))
    #expect(answer.text.contains("rules[0] allows GET /me"))
    #expect(answer.text.contains("GET /me needs the scope me:read (rules[0]). The token has no scope."))
    #expect(answer.text.contains("rules[1] allows GET /me/request"))
  }

  /// Another time moves neither the clock of the gateway nor that of the authorizer of clients.
  @Test func aReplayAtAnotherTime() async throws {
    let workshop = try Workshop()
    let gateway = try Self.gateway(workshop)
    let token = try await gateway.token("user=alice&scope=me:read&expires=%2B10m")
    let headers = ["Authorization": "Bearer \(token)"]
    #expect(try await gateway.send("GET", "/RestApi/prod/me", headers: headers).status == 200)
    let replay = try await gateway.send(
      "POST", "/dev/decisions/1/replay", headers: ["Content-Type": "application/json"],
      body: #"{"clock":"+1h"}"#)
    #expect(replay.status == 200, "\(replay.text)")
    #expect(replay.json?["decision"]?["reason"] == .string("expired"))
    #expect(replay.json?["decision"]?["status"] == .number("401"))
    #expect(try await gateway.send("GET", "/HttpApi/me", headers: headers).status == 200)
    #expect(try await gateway.send("GET", "/dev/clock").json?["offsetSeconds"] == .number("0"))
  }

  @Test func thePageIsServedAndAnnounced() async throws {
    let workshop = try Workshop()
    // Without a browser, --open says so and serves.
    let gateway = try Self.gateway(workshop, ["--open"])
    let page = try await gateway.send("GET", "/dev/console", headers: ["Host": "console.localhost"])
    #expect(page.status == 200)
    #expect(page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(
      page.headers["content-security-policy"]
        == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    for path in ["/dev/console.css", "/dev/console.js"] {
      #expect(try await gateway.send("GET", path).status == 200)
    }
  }
}
