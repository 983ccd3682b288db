import Foundation
import JSON
import TestSupport
import Testing

/// `explain` from end to end: the verdict first, then what to do about it, then every check.
@Suite(.hangLimit)
struct ExplainCommandTests {
  private static let configuration = """
    {"issuers":[{"preset":"apple","audiences":["com.example.app"],"keys":{"seed":"apple.json","pinned":true}},
    {"preset":"auth0:example.eu.auth0.com","audiences":["api"],"keys":{"seed":"apple.json","pinned":true}}]}
    """

  private static let tokens = """
    {"good":{"preset":"apple"},"expired":{"preset":"apple","claims":{"exp":"-2h","aud":"other"}},
    "skewed":{"preset":"apple","claims":{"exp":"-90s"}},
    "early":{"preset":"apple","claims":{"nbf":"+10m"}},
    "future":{"preset":"apple","claims":{"iat":"+10m"}},
    "milliseconds":{"preset":"apple","claims":{"exp":1795255200000000}},
    "no-slash":{"preset":"auth0","claims":{"iss":"https://example.eu.auth0.com","aud":"api"}},
    "id-token":{"preset":"auth0","claims":{"aud":"api","nonce":"n"}},
    "audience":{"preset":"apple","claims":{"aud":"com.example.App"}},
    "unknown-kid":{"preset":"apple","key":"other"},"forged":{"preset":"apple","key":"forged"},
    "hs256":{"preset":"apple","algorithm":"HS256"},"none":{"preset":"apple","header":{"alg":"none"}},
    "lower":{"preset":"apple","header":{"alg":"rs256"}},
    "wrong-algorithm":{"preset":"apple","header":{"alg":"PS256"}},
    "notification":{"preset":"apple","claims":{"events":"{}"}},
    "jwe":{"raw":"a.b.c.d.e"},"opaque":{"raw":"v2localopaque"},"garbage":{"raw":"YWJj.e30.e30"},"cut":{"preset":"apple","damage":"twoSegments"},
    "padded":{"preset":"apple","damage":"padding"},
    "bound":{"preset":"apple","claims":{"cnf":{"jkt":"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}}},
    "cnf":{"preset":"apple","claims":{"cnf":"x"}},"jkt":{"preset":"apple","claims":{"cnf":{"jkt":"x="}}},
    "terminal":{"preset":"apple","claims":{"aud":"\\u001b[31m\\u009b"}}}
    """

  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(configuration, to: "authorizer.json")
    try workshop.write(tokens, to: "tokens.json")
    return workshop
  }

  @Test func reportsTheRevocationLookup() async throws {
    let workshop = try Self.workshop()
    let members = #"],"revocation":{"file":"r.json","lastKnownSeconds":60}}"#
    try workshop.write(Self.configuration.replacing("]}", with: members), to: "authorizer.json")
    let good = try await workshop.run(["explain", "-"], input: Self.event("Bearer {{token good}}"))
    #expect(good.exit == 0, "\(good.errors)")
    #expect(good.output.contains("revocation not checked here: valid only if r.json has no event of 20"))
    let other = try await workshop.run(["explain", "-"], input: Self.event("Bearer {{token id-token}}"))
    #expect(!other.output.contains("revocation"))
    let fetched = #"{"issuers":[{"preset":"apple","audiences":["com.example.app"]}"# + members
    try workshop.write(fetched, to: "authorizer.json")
    let check = try await workshop.run(["config", "check", "authorizer.json"])
    #expect(
      check.output.contains(
        "revocation: r.json for apple, results cached for 30 s, 60 s longer without the store"))
  }

  private static func event(_ value: String) -> String {
    #"{"type":"TOKEN","methodArn":"arn:aws:execute-api:eu-west-1:123456789012:api/prod/GET/pets","authorizationToken":"\#(value)"}"#
  }

  @Test(
    arguments: [
      ("good", "accepted: valid token of apple for 001234.", nil),
      ("expired", "expired: the token expired 2 h ago, 20", "get a new token"),
      ("skewed", "expired: the token expired 1 min 30 s ago", "30 s more than the leeway of 60 s"),
      ("early", "notYetValid: the token becomes valid in 10 min", "600 s ahead"),
      ("future", "issuedInFuture: the token's iat is 10 min in the future", "600 s ahead"),
      ("milliseconds", "malformedClaim: the claim exp", "milliseconds"),
      ("no-slash", "wrongIssuer: ", "has no trailing slash"),
      ("id-token", "wrongType: ", "send the access token"),
      ("audience", "wrongAudience: the token's audience is com.example.App", "only in case"),
      (
        "unknown-kid", "unknownKey: the issuer has no usable key development-unknown",
        "known keys: development-rs256"
      ),
      ("forged", "signatureMismatch: ", "the same kid"),
      (
        "hs256", "algorithmNotAllowed: the token is signed with HS256, but apple uses RS256",
        "uses a shared secret"
      ),
      ("none", "algorithmNotAllowed: ", "proves nothing"),
      ("lower", "algorithmNotAllowed: ", "case-sensitive: RS256"),
      ("wrong-algorithm", "algorithmNotAllowed: the token is signed with PS256", nil),
      ("notification", "wrongType: the claim events", "identity token from the sign-in"),
      ("jwe", "encryptedToken: ", "Auth0"), ("opaque", "malformedToken: ", "an opaque token"),
      (
        "garbage",
        "malformedToken: the token's header (JWT) is not JSON: a byte that JSON does not allow here, at byte 0",
        nil
      ),
      ("cut", "malformedToken: ", "signature and the dot before it"),
      ("padded", "malformedToken: ", "no padding"),
      (
        "bound", "boundToken: cnf.jkt binds the token to its client",
        "\"proofOfPossession\": { \"dpop\": {} }"
      ),
      ("cnf", "malformedClaim: the claim cnf", "RFC 7800"),
      ("jkt", "malformedClaim: the claim cnf.jkt", "43 char"),
      ("terminal", #"wrongAudience: the token's audience is \u{1b}[31m\u{9b}, which"#, nil),
    ] as [(String, String, String?)])
  func printsTheVerdictFirstAndTheHintSecond(_ name: String, _ first: String, _ hint: String?) async throws {
    let workshop = try Self.workshop()
    let answer = try await workshop.run(["explain", "-"], input: Self.event("Bearer {{token \(name)}}"))
    #expect(answer.exit == (name == "good" ? 0 : 1), "\(answer.errors)")
    let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first?.hasPrefix(first) == true, "\(answer.output)")
    #expect(lines[1].hasPrefix("hint: ") == (hint != nil) || hint == nil)
    if let hint { #expect(lines[1].contains(hint), "\(lines[1])") }
    #expect(!answer.output.contains("\u{1B}"))
    #expect(answer.errors.isEmpty)
  }

  @Test(
    arguments: [
      (Self.event("{{token good}}"), "malformedToken: ", "put \"Bearer \" in front"),
      (Self.event("Bearer  {{token good}}"), "malformedToken: ", "several spaces"),
      (Self.event("Bearer Bearer {{token good}}"), "malformedToken: ", "Bearer is repeated"),
      (Self.event("Basic YTpi"), "malformedToken: ", "the scheme is Basic"),
      (Self.event("DPoP {{token good}}"), "malformedToken: ", "\"proofOfPossession\": { \"dpop\": {} }"),
      (Self.event("Bearer: {{token good}}"), "malformedToken: ", "one space and nothing else"),
      (Self.event(""), "missingToken: ", "API Gateway answers 401"),
      (Self.event("Bearer {{token good}}, Bearer {{token good}}"), "ambiguousToken: ", "send exactly one"),
      (#"{"httpMethod":"GET"}"#, "invalidEvent: ", "TOKEN or REQUEST"),
      (
        #"{"type":"TOKEN","methodArn":"x","authorizationToken":"x"}"#, "invalidEvent: ", "arn:aws:execute-api"
      ),
    ] as [(String, String, String)])
  func reportsProblemsOfTheEvent(_ event: String, _ first: String, _ hint: String) async throws {
    let answer = try await Self.workshop().run(["explain", "-"], input: event)
    #expect(answer.exit == 1, "\(answer.errors)")
    let lines = answer.output.split(separator: "\n")
    #expect(lines.first?.hasPrefix(first) == true, "\(answer.output)")
    #expect(lines[1].hasPrefix("hint: ") && lines[1].contains(hint), "\(lines[1])")
    // The token in a malformed credential is checked too.
    #expect(answer.output.contains("signature") == (event.contains("{{") && first != "ambiguousToken: "))
  }

  @Test func showsTheChecksAfterTheFirstFailure() async throws {
    let answer = try await Self.workshop().run(
      ["explain", "-", "--json"], input: Self.event("Bearer {{token expired}}"))
    let root = try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
    #expect(root["accepted"]?.boolean == false)
    #expect(root["reason"]?.equals("expired") == true)
    #expect(root["issuer"]?.equals("apple") == true)
    let checks = try #require(root["checks"]).elements.map { $0 }
    let failed = checks.filter { $0["result"]?.equals("FAILED") == true }
    #expect(failed.map { $0["check"]?.text } == ["expiry", "audience"])
    #expect(failed.map { $0["reason"]?.text } == ["expired", "wrongAudience"])
    #expect(failed[1]["expected"]?.equals("com.example.app") == true)
    #expect(failed[1]["found"]?.equals(#""other""#) == true)
    #expect(checks.first?["check"]?.equals("event") == true)
  }

  @Test func readsTokensHeadersFilesAndStandardInput() async throws {
    let workshop = try Self.workshop()
    let token = try await workshop.run(["token", "good"]).output.trimmingCharacters(in: .newlines)
    try workshop.write(Self.event("Bearer {{token good}}"), to: "deep/event.json")
    try workshop.write(token + "\n", to: "token.txt")
    for subject in [
      token, "Bearer \(token)", "Authorization: bearer \(token)", "deep/event.json", "token.txt",
    ] {
      let answer = try await workshop.run(["explain", subject])
      #expect(answer.exit == 0, "\(subject): \(answer.output) \(answer.errors)")
      #expect(answer.output.hasPrefix("accepted: "))
    }
    #expect(try await workshop.run(["explain", "-"], input: " \(token)\r\n").exit == 0)
    #expect(
      try await workshop.run(["explain", "-", "--clock", "+30h"], input: token).output.hasPrefix("expired: "))
    let past = try await workshop.run(["explain", "-", "--clock", "2020-01-01T00:00:00Z"], input: token)
    #expect(past.output.hasPrefix("issuedInFuture: "))
    #expect(past.output.contains("\nnow     2020-01-01T00:00:00Z\n"))
  }

  @Test func readsKeysFromConfigurationFileOrDevelopmentFolder() async throws {
    let workshop = try Self.workshop()
    let token = try await workshop.run(["token", "good"]).output.trimmingCharacters(in: .newlines)
    let missing = try await workshop.run(["explain", token, "--real-keys"])
    #expect(missing.exit == 1)
    #expect(missing.output.hasPrefix("keysUnavailable: "))
    #expect(missing.output.contains("issuers[0].keys.seed: apple.json: no such file"))
    let keys = try await workshop.run(["keys", "show"]).output
    try workshop.write(keys, to: "apple.json")
    #expect(try await workshop.run(["explain", token, "--jwks", "apple.json"]).exit == 0)
    let refused = try await workshop.run(["explain", token, "--real-keys"])
    #expect(refused.output.contains("contains development keys"), "\(refused.output)")
    let development = ["AUTHORIZER_DEVELOPMENT": "1"]
    #expect(try await workshop.run(["explain", token, "--real-keys"], environment: development).exit == 0)
    let inline = ["AUTHORIZER_CONFIG": Self.configuration]
    #expect(try await workshop.run(["explain", token], environment: inline).exit == 0)
    let short = ["AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "com.example.app"]
    let both = try await workshop.run(["explain", token], environment: short)
    #expect(both.errors.contains("use one form") || both.output.contains("use one form"))
    try FileManager.default.removeItem(at: workshop.folder.appending(path: "authorizer.json"))
    #expect(try await workshop.run(["explain", token], environment: short).exit == 0)
    let other = ["AUTHORIZER_ISSUER": "google", "AUTHORIZER_AUDIENCE": "x"]
    let google = try await workshop.run(["explain", token], environment: other)
    #expect(google.output.hasPrefix("wrongIssuer: "))
  }

  @Test func explainsIssuersWithASecretOrWithoutASeed() async throws {
    let workshop = try Self.workshop()
    let secret = "q8Zt0vXw3LrN7cYbK2mJ5hGd1PfS6aUe"
    let token = """
      {"shared":{"preset":"oidc:https://id.example.com","secret":"\(secret)","claims":{"aud":"api"}}}
      """
    try workshop.write(token, to: "deep/tokens.json")
    try workshop.write(Self.event("Bearer {{token shared}}"), to: "deep/event.json")
    let members = #""name":"partner","issuer":"https://id.example.com","audiences":["api"]"#
    try workshop.write(
      #"{"issuers":[{\#(members),"algorithms":["HS256"],"keys":{"secret":{"environment":"SECRET"}}}]}"#,
      to: "deep/authorizer.json")
    let explain = ["explain", "deep/event.json", "--env"]
    let good = try await workshop.run(explain + ["SECRET=" + secret])
    #expect(good.output.hasPrefix("accepted: valid token of partner"), "\(good.output) \(good.errors)")
    let wrong = try await workshop.run(explain + ["SECRET=\(secret)!"])
    #expect(wrong.output.hasPrefix("signatureMismatch: "))
    let check = ["config", "check", "deep/authorizer.json"]
    #expect(try await workshop.run(check, environment: ["SECRET": secret]).output.contains("HS256, a secret"))
    #expect(try await workshop.run(check).exit == 1)

    let fetched = #"{"issuers":[{"preset":"apple","audiences":["com.example.app"]}]}"#
    try workshop.write(fetched, to: "authorizer.json")
    let apple = try await workshop.run(["token", "good"]).output.trimmingCharacters(in: .newlines)
    let missing = try await workshop.run(["explain", apple, "--real-keys"])
    #expect(missing.output.hasPrefix("keysUnavailable: "), "\(missing.output) \(missing.errors)")
    #expect(missing.output.contains("the configuration has no seed"))
  }

  @Test(
    arguments: [
      (["explain"], "missing expected argument"), (["explain", "absent.json"], "there is no such file"),
      (["explain", "bad.json"], "is not JSON"), (["explain", ""], "nothing to explain"),
      (["explain", "a.b.c", "--jwks", "good.json"], "error: good.json: not a key set"),
      (["explain", "a.b.c", "--jwks", "weak.json"], "key weak: symmetric, a secret"),
      (["explain", "a.b.c", "--config", "wrong.json"], "issuers: a non-empty list is expected"),
      (["explain", "a.b.c", "--env", "x"], "--env needs"),
    ] as [([String], String)])
  func reportsWrongCommandsWithHints(_ arguments: [String], _ errors: String) async throws {
    let workshop = try Self.workshop()
    try workshop.write("{", to: "bad.json")
    try workshop.write("{}", to: "good.json")
    try workshop.write(#"{"keys":[{"kty":"oct","k":"AAAA","kid":"weak"}]}"#, to: "weak.json")
    try workshop.write(#"{"issuers":[]}"#, to: "wrong.json")
    let answer = try await workshop.run(arguments)
    #expect(answer.exit == 64, "\(answer.output)")
    #expect(answer.errors.lowercased().contains(errors.lowercased()), "\(answer.errors)")
    #expect(answer.output.isEmpty)
  }

  @Test func failsWithoutAConfiguration() async throws {
    let answer = try await Workshop().run(["explain", "a.b.c"])
    #expect(answer.exit == 64)
    #expect(answer.errors.contains("error: no configuration"))
  }

  @Test func explainsEverySampleEventWithItsExpectedReason() async throws {
    let folder = Workshop.packageRoot.appendingPathComponent("events")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".expected.json") }
    #expect(names.count >= 25)
    for name in names {
      let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
      let expected = try JSONDocument(parsing: bytes, limits: .event).root
      let event = "events/" + name.replacing(".expected.json", with: ".json")
      let answer = try await Workshop().run(["explain", event, "--json"], in: Workshop.packageRoot)
      let found = try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
      #expect(found["reason"]?.text == expected["reason"]?.text, "\(name)")
      let isAllowed = expected["outcome"]?.equals("allowed") == true
      #expect(found["accepted"]?.boolean == isAllowed, "\(name)")
      #expect(answer.exit == (isAllowed ? 0 : 1), "\(name)")
    }
  }
}
