import TestSupport
import Testing

@testable import Authorizer
@testable import FunctionHost

@Suite("Refused settings")
struct SettingsRefusalTests {
  /// `path: message` of every problem, in the order of the report.
  static func problems(_ source: InMemorySource) -> [String] {
    do throws(ConfigurationError) {
      _ = try Settings(reading: source)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  /// The problems of inline JSON; in development unless these variables override it.
  static func problems(inline text: String, _ variables: [String: String] = [:]) throws -> [String] {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] = text
    source.variables.merge(variables) { $1 }
    return problems(source)
  }

  static let keys = #""keys":{"seed":"keys.json","pinned":true}"#
  static let algorithms =
    "RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519, HS256, HS384, HS512"

  static let broken = """
    {
      "isuers": [],
      "issuers": [
        7,
        {},
        { "preset": "appel", "audience": ["a"], "keys": { "seed": "missing.json", "pinned": true } },
        { "issuer": "http://id.example.com", "audiences": [], "algorithms": ["RS256", "HS256", "none"],
          "leewaySeconds": 301, "maximumLifetimeSeconds": 0, "maximumAgeSeconds": 1.5, "types": "JWT",
          "principal": "a..b",
          "keys": { "sead": "text.json", "seed": "text.json", "pinned": "yes", "minimumRSAExponent": 1 } },
        { "preset": "apple", "issuer": "https://x.example.com", "algorithms": ["RS256"], "audiences": ["a"],
          "keys": { "seed": "keys.json", "pinned": true } },
        { "preset": "apple", "audiences": ["a", 5], "keys": { "seed": "large.json", "pinned": false } },
        { "name": "apple", "issuer": 5, "audiences": ["a"], "algorithms": "RS256", "keys": [] }
      ],
      "tokenSources": ["header:Authorization", "header:authorization", "body:token"],
      "gatewayCache": "always",
      "allowQueryTokens": "no"
    }
    """

  static let everyProblem = [
    "issuers[0]: an object is expected",
    "issuers[1].issuer: missing: a preset or the exact value of iss",
    "issuers[1].algorithms: missing: the algorithms that this issuer signs with",
    "issuers[1].audiences: missing: the audiences that the tokens are for",
    "issuers[1].keys: missing: the \"url\" of this issuer's key set",
    #"issuers[2].audience: unknown member, did you mean "audiences"?"#,
    #"issuers[2].preset: unknown preset, did you mean "apple"?"#,
    "issuers[2].keys.seed: missing.json: no such file",
    "issuers[3].audiences: a non-empty list of non-empty strings is expected",
    #"issuers[3].algorithms[2]: one of \#(algorithms) is expected"#,
    "issuers[3].types: a non-empty list of non-empty strings is expected",
    "issuers[3].leewaySeconds: a whole number from 0 to 300 is expected",
    "issuers[3].maximumLifetimeSeconds: a whole number from 1 to 31536000 is expected",
    "issuers[3].maximumAgeSeconds: a whole number from 1 to 31536000 is expected",
    "issuers[3].principal: a claim's name, or names joined by dots, is expected",
    "issuers[3].keys.pinned: true or false is expected",
    "issuers[3].keys.minimumRSAExponent: a whole number from 3 to 65537 is expected",
    #"issuers[3].keys.sead: unknown member, did you mean "seed"?"#,
    "issuers[3].algorithms: HMAC and public-key algorithms cannot be mixed",
    "issuers[3].issuer: an https address is expected",
    "issuers[3].keys.seed: text.json: not JSON: a byte that JSON does not allow here, at byte 1",
    "issuers[4].issuer: fixed by the preset",
    "issuers[4].algorithms: fixed by the preset",
    "issuers[4].keys.seed: keys.json: contains development keys, which only AUTHORIZER_DEVELOPMENT=1 accepts",
    "issuers[5].audiences: a non-empty list of non-empty strings is expected",
    "issuers[5].keys.seed: large.json: larger than 262144 bytes",
    "issuers[5]: another entry has the issuer https://appleid.apple.com",
    "issuers[5]: another entry has the name apple",
    "issuers[6].issuer: a non-empty string is expected",
    "issuers[6].algorithms: a non-empty list of non-empty strings is expected",
    "issuers[6].keys: an object is expected",
    "issuers[6]: another entry has the name apple",
    "gatewayCache: one of token, tokenAndRoute, off is expected",
    "tokenSources[1]: duplicate",
    "tokenSources[2]: header:<name>, cookie:<name> or query:<name> is expected",
    "allowQueryTokens: true or false is expected",
    #"isuers: unknown member, did you mean "issuers"?"#,
  ]

  @Test("all problems of a configuration are reported at once, each with its path")
  func allAtOnce() throws {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_DEVELOPMENT"] = "true"
    source.variables["AUTHORIZER_CONFIG"] = Self.broken
    source.files["text.json"] = .text("no JSON")
    source.files["large.json"] = .blank((256 << 10) + 1)
    let found = Self.problems(source)
    #expect(found.count == Self.everyProblem.count)
    for (problem, line) in zip(found, Self.everyProblem) { #expect(problem == line) }
  }

  @Test("without any configuration the message names both forms")
  func missingEverything() {
    #expect(
      Self.problems(InMemorySource()) == [
        "AUTHORIZER_CONFIG: authorizer.json: no such file" + Self.forms
      ])
  }

  @Test("a blank AUTHORIZER_CONFIG is not a path", arguments: ["", " ", "\t", " \r\n"])
  func blank(_ text: String) {
    #expect(
      Self.problems(InMemorySource(variables: ["AUTHORIZER_CONFIG": text])) == [
        "AUTHORIZER_CONFIG: blank" + Self.forms
      ])
  }

  /// What every problem of the variable ends with.
  private static let forms = "; set it to a path or to inline JSON, or set AUTHORIZER_ISSUER"

  static let documents: [(file: InMemorySource.File, problem: String)] = [
    (.failure(.unreadable(errno: 2)), "AUTHORIZER_CONFIG: a.json: no such file" + forms),
    (.failure(.unreadable(errno: 13)), "AUTHORIZER_CONFIG: a.json: permission denied" + forms),
    (.failure(.unreadable(errno: 21)), "AUTHORIZER_CONFIG: a.json: it is a directory" + forms),
    (.failure(.unreadable(errno: 5)), "AUTHORIZER_CONFIG: a.json: cannot be read (errno 5)" + forms),
    (.blank((1 << 20) + 1), "a.json: larger than 1048576 bytes, the limit of a configuration"),
    (.text(""), "a.json: not JSON: the text ends too early at line 1, column 1"),
    (.text("{,}"), "a.json: not JSON: an unexpected , at line 1, column 2: remove the comma"),
    (.text("[]"), "a.json: an object is expected"),
    (.text("\"apple\""), "a.json: an object is expected"),
    (.text("{}"), "issuers: a non-empty list is expected"),
  ]

  @Test("reports why a configuration file cannot be used", arguments: documents)
  func document(file: InMemorySource.File, problem: String) {
    let source = InMemorySource(variables: ["AUTHORIZER_CONFIG": "a.json"], files: ["a.json": file])
    #expect(Self.problems(source) == [problem])
  }

  static let inline = Fact.table(
    #"""
    {
      AUTHORIZER_CONFIG: not JSON: the text ends too early at line 1, column 2
    {"issuers":[],"issuers":[]}
      AUTHORIZER_CONFIG: not JSON: a member name occurs twice in one object, at line 1, column 15
    {"issuers":[]}
    {"issuers":{}}
    {"issuers":null}
      issuers: a non-empty list is expected
    """#)

  @Test("reports why inline JSON cannot be used", arguments: inline)
  func inlineDocument(_ fact: Fact) throws {
    #expect(try Self.problems(inline: fact.subject) == fact.expected)
  }

  static let unknownMembers: [(member: String, hint: String)] = [
    ("Issuers", #", did you mean "issuers"?"#), ("isuers", #", did you mean "issuers"?"#),
    ("tokenSource", #", did you mean "tokenSources"?"#), ("gatewaycache", #", did you mean "gatewayCache"?"#),
    ("allowQueryToken", #", did you mean "allowQueryTokens"?"#), ("schema", #", did you mean "$schema"?"#),
    ("fetsh", #", did you mean "fetch"?"#),
    ("colour", ""), ("", ""), (String(repeating: "a", count: 65), ""),
  ]

  @Test("an unknown member is refused with the nearest known one as a hint", arguments: unknownMembers)
  func unknownMember(member: String, hint: String) throws {
    let text = #"{"issuers":[{"preset":"apple","audiences":["a"],\#(Self.keys)}],"\#(member)":1}"#
    #expect(try Self.problems(inline: text) == ["\(member): unknown member\(hint)"])
  }

  static let sources = Fact.table(
    #"""
    "tokenSources":[]
    "tokenSources":"header:a"
      tokenSources: a non-empty list of non-empty strings is expected
    "tokenSources":["Authorization"]
      tokenSources[0]: header:<name>, cookie:<name> or query:<name> is expected
    "tokenSources":["cookie:a","cookie:a"],"gatewayCache":"off"
    "tokenSources":["header:A","header:a"],"gatewayCache":"off"
      tokenSources[1]: duplicate
    "tokenSources":["header:a","cookie:a"]
    "tokenSources":["header:a","cookie:a"],"gatewayCache":"token"
    "tokenSources":["header:a","cookie:a"],"gatewayCache":"tokenAndRoute"
      tokenSources: a caching gateway needs exactly one source; remove the others or set "gatewayCache": "off"
    "gatewayCache":"Off"
    "gatewayCache":false
      gatewayCache: one of token, tokenAndRoute, off is expected
    "allowQueryTokens":1
      allowQueryTokens: true or false is expected
    """#)

  @Test("token sources and gatewayCache must fit together", arguments: sources)
  func tokenSources(_ fact: Fact) throws {
    let issuers = #""issuers":[{"preset":"apple","audiences":["a"],\#(Self.keys)}]"#
    #expect(try Self.problems(inline: "{\(issuers),\(fact.subject)}") == fact.expected)
  }
}
