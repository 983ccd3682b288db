import TestSupport
import Testing

@testable import authorizer_local

/// `config check` of both files: what a sender may end must be looked up.
@Suite struct ReceiverCheckTests {
  private static let acme = "https://id.example.com"
  private static let apple = "https://appleid.apple.com"

  private static func warnings(_ user: String, _ revocation: String?) async throws -> [String] {
    let machine = try RevokeCommandTests.machine(revocation)
    try machine.write(
      """
      {"store":{"sqlite":{"path":"users.sqlite"}},"receivers":[{"name":"idp","issuer":"https://idp.example.com",
      "users":["\(user)"],"algorithms":["RS256"],"audiences":["a"],"accept":["security-event-token"],
      "keys":{"url":"https://idp.example.com/jwks"}}]}
      """, to: "identity.json")
    let code = await machine.run(words: "config check identity.json --authorizer conf/authorizer.json")
    #expect(code == 0, "\(machine.notes) \(machine.answer)")
    let start = "warning: receivers[0].users[0]: "
    return machine.answer.split(separator: "\n").filter { $0.hasPrefix("warning:") }.map { line in
      line.hasPrefix(start) ? String(line.dropFirst(start.count)) : String(line)
    }
  }

  private static func missing(_ kind: String, _ name: String) -> String {
    "the authorizer does not look up \(kind), by which the sender may end tokens: add it to "
      + "revocation.issuers.\(name), in an object"
  }

  @Test(
    "each kind that the authorizer does not look up is named",
    arguments: [
      (acme, #"{"acme":["sub","sid"]}"#, []),
      (acme, #"{"acme":{"keys":["jti","sid","sub"],"required":["sid"]}}"#, []),
      (acme, #"{"acme":["sub"]}"#, [missing("sid", "acme")]),
      (acme, #"{"acme":["sid","jti","origin_jti"]}"#, [missing("sub", "acme")]),
      (acme, #"{"acme":["origin_jti"]}"#, [missing("sub", "acme"), missing("sid", "acme")]),
      (acme, #"{"apple":["sub","sid"]}"#, [missing("sub", "acme"), missing("sid", "acme")]),
      // A list has the subjects of Apple's users, and the receiver writes no such items of other issuers.
      (acme, #"["acme","apple"]"#, [missing("sub", "acme"), missing("sid", "acme")]),
      (apple, #"["acme","apple"]"#, [missing("sid", "apple")]),
      (apple, #"["acme"]"#, [missing("sub", "apple"), missing("sid", "apple")]),
      (apple, #"{"apple":["sub"]}"#, [missing("sid", "apple")]),
      (
        acme + "/", #"{"acme":["sub"]}"#,
        ["the authorizer looks up https://id.example.com; write it so", missing("sid", "acme")]
      ),
    ] as [(String, String, [String])])
  func kinds(_ user: String, _ issuers: String, _ expected: [String]) async throws {
    #expect(try await Self.warnings(user, #"{"file":"r.json","issuers":\#(issuers)}"#) == expected)
  }

  @Test("without \"revocation\", and with the default of its issuers")
  func defaults() async throws {
    #expect(
      try await Self.warnings(Self.acme, nil) == [Self.missing("sub", "acme"), Self.missing("sid", "acme")])
    #expect(try await Self.warnings(Self.apple, #"{"file":"r.json"}"#) == [Self.missing("sid", "apple")])
    #expect(
      try await Self.warnings("https://nobody.example.com", nil) == [
        "the authorizer has no entry with this issuer; its first spelling is expected"
      ])
  }
}
