import Testing

/// What `explain` says about withdrawals where `"issuers"` is an object.
@Suite struct ExplainedWithdrawalTests {
  static let rows: [(keys: String, claims: [String], words: String)] = [
    (#"["sub","sid"]"#, ["sid=s"], "or later for this sub, and no event for this sid"),
    (#"["sub","sid"]"#, [], "or later for this sub; not looked up, since absent: sid"),
    (
      #"["sid","origin_jti"]"#, ["sid=s"],
      "has no event for this sid; not looked up, since absent: origin_jti"
    ),
    (#"["origin_jti"]"#, [], "nothing is looked up; not looked up, since absent: origin_jti"),
    (
      #"{"keys":["sid"],"required":["sid"]}"#, [],
      "revoked: the token is valid, but the token has no sid, by which it could be withdrawn"
    ),
    (#"["sid"]"#, ["sid=1"], "malformedClaim: the token is valid, but the claim sid is no text"),
  ]

  @Test("the keys that are looked up, those that are not, and refusals without a lookup", arguments: rows)
  func words(_ keys: String, _ claims: [String], _ words: String) async throws {
    let machine = try RecordedMachine(hasKeys: true)
    try machine.write(
      """
      {"issuers":[{"name":"acme","issuer":"https://id.example.com","audiences":["api"],"algorithms":["RS256"],
        "keys":{"url":"https://id.example.com/jwks"}}],"revocation":{"file":"r.json","issuers":{"acme":\(keys)}}}
      """, to: "authorizer.json")
    let token = try await BoundTokenCommandTests.run(
      machine,
      ["token", "--preset", "oidc", "--audience", "api", "--claim", "iss=https://id.example.com"]
        + claims.flatMap { ["--claim", $0] })
    _ = await machine.run("explain", token, "--config", "authorizer.json")
    #expect(machine.answer.contains(words), "\(machine.answer) \(machine.notes)")
  }
}
