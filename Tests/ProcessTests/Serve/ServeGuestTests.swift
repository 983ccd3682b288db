import Testing

/// `serve --kind … --guests`: the function is invoked without a token too.
@Suite(.needsBootstrap, .serialized)
struct ServeGuestTests {
  static let configuration = """
    {"issuers":[{"preset":"apple","audiences":["com.example.app"]}],"gatewayCache":"off",
     "anonymous":{"routes":["GET /public"]},"default":"deny",
     "rules":[{"routes":["GET /public","GET /me"],"allow":true}]}
    """

  @Test(arguments: ["restRequest", "http1", "http2"], [true, false])
  func aGuestReachesTheFunctionOnlyWithTheOption(_ kind: String, _ takesGuests: Bool) async throws {
    let workshop = try Workshop()
    try workshop.write(Self.configuration, to: "authorizer.json")
    let gateway = try ServedGateway(
      workshop,
      ["--kind", kind, "--config", "authorizer.json", "--function", Workshop.bootstrap]
        + (takesGuests ? ["--guests"] : []))
    let stage = kind == "restRequest" ? "/Api/prod" : "/Api"
    let guest = try await gateway.send("GET", stage + "/public")
    #expect(guest.status == (takesGuests ? 200 : 401), "\(guest.text) \(gateway.logText)")
    #expect(guest.text.contains(#""anonymous""#) == takesGuests, "\(guest.text)")
    let other = try await gateway.send("GET", stage + "/me")
    #expect(other.status == 401)
    let bad = try await gateway.send("GET", stage + "/public", headers: ["Authorization": "Bearer"])
    #expect(bad.status == 401)
    let token = try await gateway.token("user=alice")
    for path in ["/public", "/me"] {
      let user = try await gateway.send(
        "GET", stage + path, headers: ["Authorization": "Bearer \(token)"])
      #expect(user.status == 200, "\(user.text)")
      #expect(!user.text.contains(#""anonymous""#))
    }
  }
}
