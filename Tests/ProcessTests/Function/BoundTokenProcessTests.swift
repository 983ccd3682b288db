import Foundation
import JSON
import Testing

/// The warnings for an issuer that accepts bound tokens without proof of possession.
struct BoundTokenProcessTests {
  private static func configuration(_ member: String) -> String {
    """
    {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],
    "algorithms":["RS256","ES256"],"keys":{"seed":"keys.json","pinned":true}\(member)}]}
    """
  }
  private static let warning =
    #"issuers[0].proofOfPossession: "ignore": a stolen token that is bound to its client's key or certificate is accepted"#

  static let rows: [(member: String, isWarned: Bool)] = [
    ("", false), (#","proofOfPossession":"refuse""#, false), (#","proofOfPossession":"ignore""#, true),
  ]

  @Test("the log of the start has the warning", .needsBootstrap, arguments: rows)
  func start(member: String, isWarned: Bool) async throws {
    let workshop = try Workshop()
    let function = try LoggingFunction(
      in: workshop.folder, ["AUTHORIZER_CONFIG": Self.configuration(member)])
    try await function.run([Array("{}".utf8)])
    let warnings = function.objects.filter { $0["level"]?.text == "WARN" }.compactMap { $0["message"]?.text }
    #expect(warnings == (isWarned ? [Self.warning] : []))
  }

  @Test("config check prints the warning", arguments: rows)
  func check(member: String, isWarned: Bool) async throws {
    let workshop = try Workshop()
    try workshop.write(try await workshop.run(["keys", "show"]).output, to: "keys.json")
    try workshop.write(Self.configuration(member), to: "authorizer.json")
    let answer = try await workshop.run(["config", "check", "--development", "authorizer.json"])
    #expect(answer.exit == 0, "\(answer.output)\(answer.errors)")
    #expect(answer.output.contains("warning: " + Self.warning) == isWarned)
  }

  @Test("an object needs a gateway without a cache")
  func object() async throws {
    let workshop = try Workshop()
    try workshop.write(try await workshop.run(["keys", "show"]).output, to: "keys.json")
    let configuration = Self.configuration(#","proofOfPossession":{"required":true,"certificate":true}"#)
    try workshop.write(configuration, to: "authorizer.json")
    let answer = try await workshop.run(["config", "check", "--development", "authorizer.json"])
    #expect(answer.exit == 1)
    #expect(answer.output.contains(#"gatewayCache: must be "off": partner has "proofOfPossession""#))
    try workshop.write(configuration.dropLast() + #","gatewayCache":"off"}"#, to: "authorizer.json")
    let checked = try await workshop.run(["config", "check", "--development", "authorizer.json"])
    #expect(checked.exit == 0)
    let line = "  partner, bound tokens: client certificates; tokens that are not bound are refused\n"
    #expect(checked.output.contains(line), "\(checked.output)")
  }
}
