import Foundation
import TestSupport
import Testing

/// Authorizers with the classic mistakes: the harness shows each of them.
@Suite(.needsPython, .needsNode, .serialized, .hangLimit)
struct HandlerSampleTests {
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    let fixtures = Workshop.packageRoot.appendingPathComponent("Tests/Fixtures/authorizers")
    for name in ["narrow.py", "lenient.py", "audience.mjs"] {
      try workshop.write(
        try String(contentsOf: fixtures.appendingPathComponent(name), encoding: .utf8), to: name)
    }
    return workshop
  }

  private static func event(_ token: String) -> String {
    #"{"type":"TOKEN","authorizationToken":"Bearer \#(token)","#
      + #""methodArn":"arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/prod/GET/pets"}"#
  }

  private static func header(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

  @Test("a policy for one route: a finding in test, a 403 in serve") func narrow() async throws {
    let workshop = try Self.workshop()
    try workshop.write(Self.event("open-sesame"), to: "events/pets.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/pets.expected.json")
    let handler = ["--handler", "narrow.py:handler"]
    let lenient = try workshop.execute(["test"] + handler)
    #expect(lenient.exit == 0)
    #expect(lenient.errors.contains("it allows only "), "\(lenient.errors)")
    #expect(try workshop.execute(["test", "--strict", "--junit", "report.xml"] + handler).exit == 1)
    let report = workshop.folder.appendingPathComponent("report.xml")
    #expect(try String(contentsOf: report, encoding: .utf8).contains("failures=\"1\""))
    #expect(try workshop.execute(["test", "--strict", "--ttl", "0"] + handler).exit == 0)

    let gateway = try ServedGateway(workshop, ["--kind", "restToken"] + handler)
    #expect(try await gateway.send("GET", "/Api/prod/a", headers: Self.header("open-sesame")).status == 200)
    #expect(try await gateway.send("GET", "/Api/prod/b", headers: Self.header("open-sesame")).status == 403)
    _ = try await gateway.send("POST", "/dev/cache/flush")
    #expect(try await gateway.send("GET", "/Api/prod/b", headers: Self.header("open-sesame")).status == 200)
  }

  @Test("Deny for a failure stays after the failure") func lenient() async throws {
    let workshop = try Self.workshop()
    try workshop.write(Self.event("open-sesame"), to: "events/outage.json")
    try workshop.write(#"{"outcome":"failure"}"#, to: "events/outage.expected.json")
    let test = try workshop.execute([
      "test", "--handler", "lenient.py:handler", "--env", "USERS_FILE=absent.json",
    ])
    #expect(test.exit == 1)
    #expect(test.output.contains("forbidden"))

    let file = workshop.folder.appendingPathComponent("users.json").path
    let gateway = try ServedGateway(
      workshop, ["--kind", "restToken", "--handler", "lenient.py:handler", "--env", "USERS_FILE=\(file)"])
    #expect(try await gateway.send("GET", "/Api/prod/a", headers: Self.header("open-sesame")).status == 403)
    try workshop.write(#"{"open-sesame":"ali"}"#, to: "users.json")
    // The users are there, but the cached policy still denies.
    #expect(try await gateway.send("GET", "/Api/prod/a", headers: Self.header("open-sesame")).status == 403)
    _ = try await gateway.send("POST", "/dev/cache/flush")
    #expect(try await gateway.send("GET", "/Api/prod/a", headers: Self.header("open-sesame")).status == 200)
  }

  @Test("a token for another audience is allowed") func audience() throws {
    let workshop = try Self.workshop()
    let issuer = "https://id.example.com"
    try workshop.write(
      #"""
      {"good":{"preset":"oidc:\#(issuer)","claims":{"aud":"pets","sub":"ali","exp":"+1h"}},
       "other":{"preset":"oidc:\#(issuer)","claims":{"aud":"another-app","sub":"ali","exp":"+1h"}}}
      """#, to: "events/tokens.json")
    try workshop.write(Self.event("{{token good}}"), to: "events/good.json")
    try workshop.write(#"{"outcome":"allowed"}"#, to: "events/good.expected.json")
    try workshop.write(Self.event("{{token other}}"), to: "events/other.json")
    try workshop.write(#"{"outcome":"unauthorized"}"#, to: "events/other.expected.json")
    try workshop.write(try workshop.execute(["keys", "show"]).output, to: "jwks.json")
    let keys = workshop.folder.appendingPathComponent("jwks.json").path
    let command = [
      "test", "--handler", "audience.mjs:handler", "--env", "JWKS_FILE=\(keys)", "--env", "ISSUER=\(issuer)",
    ]
    let wrong = try workshop.execute(command)
    #expect(wrong.exit == 1, "\(wrong.output)\(wrong.errors)")
    let right = try workshop.execute(command + ["--env", "AUDIENCE=pets"])
    #expect(right.exit == 0, "\(right.output)\(right.errors)")
  }

  @Test("invoke shows why a handler does not start") func failure() throws {
    let workshop = try Self.workshop()
    try workshop.write("import no_such_package\n", to: "app.py")
    try workshop.write(Self.event("x"), to: "event.json")
    let answer = try workshop.execute(["invoke", "--handler", "app.py:handler", "event.json"])
    #expect(answer.exit == 2)
    #expect((answer.output + answer.errors).contains("No module named"), "\(answer.output)\(answer.errors)")
    #expect(
      answer.errors.contains("hint: install no_such_package into the folder of the function"),
      "\(answer.errors)")
  }

  @Test("bench measures a handler") func bench() throws {
    let workshop = try Self.workshop()
    try workshop.write(Self.event("open-sesame"), to: "event.json")
    let answer = try workshop.execute([
      "bench", "--no-floor", "--handler", "narrow.py:handler", "--event", "event.json", "--cold", "2",
      "--warm", "50",
      "--tokens", "2",
    ])
    #expect(answer.exit == 0, "\(answer.errors)")
    #expect(answer.output.contains("narrow.py:handler"))
  }
}
