import JSON
import TestTokens
import Testing

@testable import FunctionHost

@Suite("Key seeds and the short form")
struct KeySeedTests {
  static let inline =
    #"{"issuers":[{"preset":"apple","audiences":["a"],"keys":{"seed":"seed.json","pinned":true}}]}"#

  /// A key set of keys with these key IDs; `isUsable` says whether the key can be used.
  static func keySet(_ keys: [(id: String, isUsable: Bool)]) throws -> InMemorySource.File {
    let members = try keys.map { id, isUsable in
      // Apple signs with RS256; a key set without an RS256 key is refused.
      var key = try #require(try TestIssuers.keys()[.rs256].publicJWK)
      key["kid"] = .string(id)
      if !isUsable { key["use"] = .string("enc") }
      return key
    }
    return .bytes(JSONTree.object([.init(name: "keys", value: .array(members))]).bytes())
  }

  static let seeds: [(file: InMemorySource.File?, problem: String)] = [
    (nil, "seed.json: no such file"), (.failure(.unreadable(errno: 13)), "seed.json: permission denied"),
    (.failure(.unreadable(errno: 21)), "seed.json: it is a directory"),
    (.blank((256 << 10) + 1), "seed.json: larger than 262144 bytes"),
    (.text(""), "seed.json: not JSON: the text ends too early at byte 0"),
    (.text("-----BEGIN PUBLIC KEY-----"), "seed.json: not JSON: a malformed number at byte 1"),
    (.text("[]"), #"seed.json: not a key set: an object with an array "keys" is expected"#),
    (.text(#"{"keys":{}}"#), #"seed.json: not a key set: an object with an array "keys" is expected"#),
    (.text(#"{"keys":[]}"#), "seed.json: the key set contains no keys"),
    (
      .text(#"{"keys":[{"kty":"oct","k":"AAAA"},7]}"#),
      "seed.json: no usable key among 2: the key without kid: a secret (kty oct) is not allowed in a key set; "
        + "the key without kid: it is not a JSON object"
    ),
    (
      .text(#"{"keys":[\#(Array(repeating: "{}", count: 65).joined(separator: ","))]}"#),
      "seed.json: 65 keys are more than the 64 allowed"
    ),
  ]

  static let addresses = [
    "https://id.example.com/jwks", "http://127.0.0.1/jwks", "HTTPS://id.example.com/jwks", "https:/id",
    "s3://bucket/keys",
    "file:///var/task/keys.json",
  ]

  @Test("an address as a seed is refused with a hint to use url", arguments: addresses)
  func address(_ text: String) throws {
    let problem = #"issuers[0].keys.seed: the path of a key set file is expected; use "url" for an address"#
    for entry in [#""preset":"apple","audiences":["a"]"#, IssuerRefusalTests.generic] {
      for members in ["", #","pinned":true"#, #","url":"https://id.example.com/jwks""#] {
        let text = #"{"issuers":[{\#(entry),"keys":{"seed":"\#(text)"\#(members)}}]}"#
        #expect(try SettingsRefusalTests.problems(inline: text) == [problem])
      }
    }
  }

  @Test("an unusable seed is a configuration problem", arguments: seeds)
  func seed(file: InMemorySource.File?, problem: String) {
    var source = InMemorySource(variables: ["AUTHORIZER_CONFIG": Self.inline])
    source.files["seed.json"] = file
    #expect(SettingsRefusalTests.problems(source) == ["issuers[0].keys.seed: " + problem])
    source.variables = [
      "AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "a", "AUTHORIZER_KEYS": "seed.json",
    ]
    #expect(SettingsRefusalTests.problems(source) == ["AUTHORIZER_KEYS: " + problem])
  }

  static let developmentKeys: [(keys: [(id: String, isUsable: Bool)], isRefused: Bool)] = [
    ([("2026-11", true)], false), ([("2026-11", true), ("2026-12", false)], false),
    ([("my-development-key", true)], false), ([("Development-1", true)], false),
    ([("development-es256", true)], true), ([("development-", true)], true),
    ([("2026-11", true), ("development-es256", true)], true),
    ([("2026-11", true), ("development-es256", false)], true),
  ]

  @Test(
    "a key set with a development key is refused unless AUTHORIZER_DEVELOPMENT is 1",
    arguments: developmentKeys)
  func developmentKey(keys: [(id: String, isUsable: Bool)], isRefused: Bool) throws {
    var source = InMemorySource(variables: ["AUTHORIZER_CONFIG": Self.inline])
    source.files["seed.json"] = try Self.keySet(keys)
    let refusal =
      "issuers[0].keys.seed: seed.json: contains development keys, which only AUTHORIZER_DEVELOPMENT=1 accepts"
    for value in [nil, "", "0", "true", "yes", " 1", "11"] {
      source.variables["AUTHORIZER_DEVELOPMENT"] = value
      #expect(SettingsRefusalTests.problems(source) == (isRefused ? [refusal] : []))
    }
    source.variables["AUTHORIZER_DEVELOPMENT"] = "1"
    #expect(SettingsRefusalTests.problems(source) == [])
  }

  static let audience = "AUTHORIZER_AUDIENCE: missing: the audiences that the tokens are for"
  static let keys =
    "AUTHORIZER_KEYS: missing: the address of a key set or the path of a key set file"
  static let issuer = "AUTHORIZER_ISSUER: missing: a preset or an https issuer"
  /// The presets that fix an issuer. The short form accepts only these.
  static let fixedPresets =
    "apple, supabase:<ref>, firebase:<project>, cognito-id:<pool id>, cognito-access:<pool id>, auth0:<domain>, "
    + "google, entra:<tenant id>, entra-v1:<tenant id>, aws:<issuer id>, github:<owner>@<owner id>"
  static let presets = fixedPresets + ", rfc9068, oidc"

  /// The variables `AUTHORIZER_ISSUER`, `AUTHORIZER_AUDIENCE` and `AUTHORIZER_KEYS`.
  static let shortForms: [(issuer: String?, audience: String?, keys: String?, problems: [String])] = [
    ("apple", nil, nil, [audience]),
    ("apple", nil, "seed.json", [audience]),
    ("apple", " , ,", "seed.json", [audience]),
    // A preset knows its keys. An empty variable is an error.
    ("apple", "a", nil, []),
    ("apple", "a", "", [keys]),
    ("apple", "a", " \t", [keys]),
    ("https://id.example.com", "a", nil, [keys]),
    ("https://id.example.com", nil, " ", [keys, audience]),
    (nil, "a", nil, [issuer]),
    (nil, nil, "seed.json", [issuer]),
    (nil, nil, " ", [keys, issuer]),
    (nil, nil, "none.json", [issuer, "AUTHORIZER_KEYS: none.json: no such file"]),
    (nil, nil, "ftp://id.example.com/", [issuer, "AUTHORIZER_KEYS: " + scheme]),
    (" ", nil, "seed.json", [issuer]),
    (
      "appel", "a", "seed.json",
      [#"AUTHORIZER_ISSUER: unknown preset, did you mean "apple"?"#]
    ),
    ("http://id.example.com", "a", "seed.json", ["AUTHORIZER_ISSUER: an https address is expected"]),
    (
      "http://localhost:8080", "a", nil,
      ["AUTHORIZER_ISSUER: \(IssuerRefusalTests.loopback("localhost"))", keys]
    ),
    ("https://id.example.com#a", "a", "seed.json", ["AUTHORIZER_ISSUER: \(IssuerRefusalTests.fragment)"]),
    (
      "keycloak", "a", nil,
      ["AUTHORIZER_ISSUER: unknown preset; one of \(fixedPresets) or an https issuer is expected"]
    ),
    (
      "entra:common", "a", "seed.json",
      ["AUTHORIZER_ISSUER: entra: the tenant's id, a GUID in lower case is expected"]
    ),
    ("apple", "a", "https://appleid.apple.com/auth/keys", []),
    (
      "apple", "a", "http://127.0.0.1:8080/jwks",
      ["AUTHORIZER_KEYS: \(IssuerRefusalTests.loopback("127.0.0.1"))"]
    ),
    ("apple", "a", "HTTPS://id.example.com/jwks", ["AUTHORIZER_KEYS: " + scheme]),
    // A preset without an issuer is not enough for the short form.
    ("oidc", "a", "seed.json", [tooLittle]),
    ("oidc", "a", nil, [tooLittle]),
  ]
  /// The variables together with others.
  static let mixedForms: [(variables: [String: String], problems: [String])] = [
    (
      ["AUTHORIZER_ISSUER": "http://localhost", "AUTHORIZER_AUDIENCE": "a", "AUTHORIZER_DEVELOPMENT": "1"],
      [keys]
    ),
    // Both forms are present.
    (["AUTHORIZER_CONFIG": "{}", "AUTHORIZER_ISSUER": "apple"], [bothForms]),
    (["AUTHORIZER_CONFIG": "a.json", "AUTHORIZER_AUDIENCE": "a"], [bothForms]),
    (["AUTHORIZER_CONFIG": inline, "AUTHORIZER_KEYS": "seed.json"], [bothForms]),
  ]
  static let scheme = "the address does not begin with https://; write the scheme in lower case"
  static let tooLittle =
    "AUTHORIZER_ISSUER: oidc: needs an issuer, algorithms and keys of its own; use AUTHORIZER_CONFIG"
  static let bothForms =
    "AUTHORIZER_CONFIG: cannot be combined with AUTHORIZER_ISSUER, AUTHORIZER_AUDIENCE or AUTHORIZER_KEYS; use one form"

  @Test("a key set without a key for its issuer's algorithms is a configuration problem")
  func noFittingKey() throws {
    var source = InMemorySource(variables: ["AUTHORIZER_CONFIG": Self.inline])
    var key = try #require(try TestIssuers.keys()[.es256].publicJWK)
    key["kid"] = .string("k")
    let set = JSONTree.object([.init(name: "keys", value: .array([key]))])
    source.files["seed.json"] = .bytes(set.bytes())
    #expect(
      SettingsRefusalTests.problems(source)
        == ["issuers[0].keys.seed: seed.json: no key fits an algorithm of the issuer"])
  }

  @Test("a leftover variable never overrides a deployed authorizer.json")
  func fileBesideShortForm() throws {
    var source = InMemorySource(
      variables: ["AUTHORIZER_ISSUER": "apple", "AUTHORIZER_AUDIENCE": "a"],
      files: ["authorizer.json": .text("{")])
    let refusal =
      "authorizer.json: cannot be combined with AUTHORIZER_ISSUER, AUTHORIZER_AUDIENCE or AUTHORIZER_KEYS; use one form"
    #expect(SettingsRefusalTests.problems(source) == [refusal])
    source.files["authorizer.json"] = .failure(.unreadable(errno: 13))
    #expect(SettingsRefusalTests.problems(source) == [refusal])
    source.files["authorizer.json"] = nil
    #expect(SettingsRefusalTests.problems(source) == [])
  }

  @Test(
    "an issuer with a preset must use the preset",
    arguments: [
      ("https://appleid.apple.com", "apple"), ("https://accounts.google.com", "google"),
      ("https://securetoken.google.com/p", "firebase:<project>"),
      ("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_A", "cognito-access:<pool id>"),
      ("https://login.microsoftonline.com/t/v2.0", "entra:<tenant id>"),
      ("https://sts.windows.net/t/", "entra-v1:<tenant id>"),
      ("https://token.actions.githubusercontent.com", "github:<owner>@<owner id>"),
      ("https://token.actions.githubusercontent.com/", "github:<owner>@<owner id>"),
    ])
  func knownIssuer(issuer: String, spelling: String) throws {
    let source = InMemorySource(
      variables: [
        "AUTHORIZER_ISSUER": issuer, "AUTHORIZER_AUDIENCE": "a", "AUTHORIZER_KEYS": "seed.json",
      ], files: ["seed.json": try Self.keySet([("k", true)])])
    #expect(
      SettingsRefusalTests.problems(source)
        == ["AUTHORIZER_ISSUER: this issuer has a preset; use \(spelling)"])
  }

  @Test(
    "AUTHORIZER_CONFIG is quoted only if it looks like a path",
    arguments: [
      ("missing.json", "missing.json: no such file"),
      (#"'{"secret":"s3cr3t"}'"#, "neither a path nor JSON that begins with a brace"),
      ("a b", "neither a path nor JSON that begins with a brace"),
    ])
  func configurationEcho(value: String, text: String) {
    let problems = SettingsRefusalTests.problems(InMemorySource(variables: ["AUTHORIZER_CONFIG": value]))
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("AUTHORIZER_CONFIG: " + text + ";") == true)
  }

  @Test("problems of the short form name the variable", arguments: shortForms)
  func shortForm(issuer: String?, audience: String?, keys: String?, problems: [String]) throws {
    let given = ["ISSUER": issuer, "AUDIENCE": audience, "KEYS": keys].compactMapValues { $0 }
    let variables = given.map { ("AUTHORIZER_" + $0.key, $0.value) }
    try mixedForm(variables: Dictionary(uniqueKeysWithValues: variables), problems: problems)
  }

  @Test("the short form does not fit beside the long one", arguments: mixedForms)
  func mixedForm(variables: [String: String], problems: [String]) throws {
    let source = InMemorySource(variables: variables, files: ["seed.json": try Self.keySet([("k", true)])])
    #expect(SettingsRefusalTests.problems(source) == problems)
  }
}
