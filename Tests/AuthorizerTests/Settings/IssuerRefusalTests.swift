import TestSupport
import Testing

@Suite("Refused issuer entries")
struct IssuerRefusalTests {
  static let keys = SettingsRefusalTests.keys

  static let generic = #""issuer":"https://id.example.com","audiences":["a"],"algorithms":["RS256"]"#

  static let entries = Fact.table(
    #"""
    // A preset fixes some members and requires others.
    "preset":"apple",\#(keys)
      issuers[0].audiences: missing: the audiences that the tokens are for
    "preset":"apple:x","audiences":["a"],\#(keys)
      issuers[0].preset: apple takes no argument
    "preset":"supabase",\#(keys)
      issuers[0].preset: supabase: needs an argument, supabase:<the project's reference, lower-case letters and digits>
    "preset":"auth0:localhost","audiences":["a"],\#(keys)
      issuers[0].preset: auth0: the tenant's domain, such as example.eu.auth0.com is expected
    "preset":5,"audiences":["a"],\#(keys)
      issuers[0].preset: a non-empty string is expected
    "preset":"apple","issuer":"https://appleid.apple.com","audiences":["a"],\#(keys)
      issuers[0].issuer: fixed by the preset
    "preset":"apple","algorithms":["ES256"],"audiences":["a"],\#(keys)
      issuers[0].algorithms: fixed by the preset
    // A generic issuer needs issuer, audience and algorithms.
    "issuer":"https://id.example.com","audiences":["a"],\#(keys)
      issuers[0].algorithms: missing: the algorithms that this issuer signs with
    "issuer":"https://id.example.com","algorithms":["RS256"],\#(keys)
      issuers[0].audiences: missing: the audiences that the tokens are for
    "audiences":["a"],"algorithms":["RS256"],\#(keys)
      issuers[0].issuer: missing: a preset or the exact value of iss
    "issuer":"","audiences":["a"],"algorithms":["RS256"],\#(keys)
      issuers[0].issuer: a non-empty string is expected
    "issuer":"id.example.com","audiences":["a"],"algorithms":["RS256"],\#(keys)
      issuers[0].issuer: an https address is expected
    "issuer":"https://id.example.com","audiences":[],"algorithms":["RS256"],\#(keys)
    "issuer":"https://id.example.com","audiences":[""],"algorithms":["RS256"],\#(keys)
    "issuer":"https://id.example.com","audiences":"a","algorithms":["RS256"],\#(keys)
      issuers[0].audiences: a non-empty list of non-empty strings is expected
    "issuer":"https://id.example.com","audiences":["a"],"algorithms":[],\#(keys)
      issuers[0].algorithms: a non-empty list of non-empty strings is expected
    "issuer":"https://id.example.com","audiences":["a"],"algorithms":["HS128"],\#(keys)
    "issuer":"https://id.example.com","audiences":["a"],"algorithms":["rs256"],\#(keys)
      issuers[0].algorithms[0]: one of \#(SettingsRefusalTests.algorithms) is expected
    // Limits.
    \#(generic),"leewaySeconds":-1,\#(keys)
    \#(generic),"leewaySeconds":301,\#(keys)
    \#(generic),"leewaySeconds":"60",\#(keys)
      issuers[0].leewaySeconds: a whole number from 0 to 300 is expected
    \#(generic),"maximumLifetimeSeconds":31536001,\#(keys)
      issuers[0].maximumLifetimeSeconds: a whole number from 1 to 31536000 is expected
    \#(generic),"maximumAgeSeconds":1e99,\#(keys)
      issuers[0].maximumAgeSeconds: a whole number from 1 to 31536000 is expected
    \#(generic),"types":[],\#(keys)
      issuers[0].types: a non-empty list of non-empty strings is expected
    \#(generic),"principal":"a.",\#(keys)
      issuers[0].principal: a claim's name, or names joined by dots, is expected
    \#(generic),"name":"",\#(keys)
      issuers[0].name: a non-empty string is expected
    \#(generic),"leeway":60,\#(keys)
      issuers[0].leeway: unknown member
    // Keys.
    \#(generic)
      issuers[0].keys: missing: the "url" of this issuer's key set
    \#(generic),"keys":"keys.json"
      issuers[0].keys: an object is expected
    // A preset without an issuer leaves the rest to the entry.
    "preset":"oidc",\#(generic),\#(keys)
      -
    "preset":"rfc9068","audiences":["a"]
      issuers[0].issuer: missing: the exact value of iss
      issuers[0].algorithms: missing: the algorithms that this issuer signs with
      issuers[0].keys: missing: the "url" of this issuer's key set
    "preset":"oidc","issuer":"id.example.com","audiences":["a"],"algorithms":["ES256"],"keys":{}
      issuers[0].issuer: an https address is expected
      issuers[0].keys: a "url" or a pinned "seed" is expected
    // A mistyped preset may fix the key set URL, so a missing one is not reported.
    "preset":"appel","audiences":["a"]
      issuers[0].preset: unknown preset, did you mean "apple"?
    // Problems of keys are reported even if the algorithms cannot be read.
    "issuer":"https://id.example.com","audiences":["a"],"keys":{"seed":"none.json","pinned":true}
      issuers[0].algorithms: missing: the algorithms that this issuer signs with
      issuers[0].keys.seed: none.json: no such file
    "issuer":"https://id.example.com","audiences":["a"],"algorithms":"HS256","keys":{"seed":"none.json","pinned":true}
      issuers[0].algorithms: a non-empty list of non-empty strings is expected
      issuers[0].keys.seed: none.json: no such file
    "issuer":"https://id.example.com","audiences":["a"],"algorithms":["HS256","x"],"keys":{"seed":"none.json","pinned":true}
      issuers[0].algorithms[1]: one of \#(SettingsRefusalTests.algorithms) is expected
      issuers[0].keys.seed: none.json: no such file
    "issuer":"https://id.example.com","audiences":["a"],"algorithms":["RS256","HS256"],"keys":{"seed":"none.json","pinned":true}
      issuers[0].algorithms: HMAC and public-key algorithms cannot be mixed
      issuers[0].keys.seed: none.json: no such file
    """#)

  @Test("an entry is refused with exactly its problems", arguments: entries)
  func entry(_ fact: Fact) throws {
    let text = #"{"issuers":[{\#(fact.subject)}]}"#
    #expect(try SettingsRefusalTests.problems(inline: text) == fact.expected)
  }

  private static func named(_ name: String, _ issuer: String) -> String {
    #""name":"\#(name)","issuer":"\#(issuer)","audiences":["a"],"algorithms":["RS256"]"#
  }

  static let duplicates: [(first: String, second: String, problems: [String])] = [
    (
      named("a", "https://x.example.com"),
      #""name":"b","issuer":"https://x.example.com","audiences":["b"],"algorithms":["ES256"]"#,
      ["issuers[1]: another entry has the issuer https://x.example.com"]
    ),
    (
      named("a", "https://x.example.com"), named("a", "https://y.example.com"),
      ["issuers[1]: another entry has the name a"]
    ),
    (
      #""preset":"apple","audiences":["a"]"#, #""name":"second","preset":"apple","audiences":["b"]"#,
      ["issuers[1]: another entry has the issuer https://appleid.apple.com"]
    ),
    (
      #""preset":"auth0:a.auth0.com","audiences":["a"]"#, #""preset":"auth0:b.auth0.com","audiences":["a"]"#,
      ["issuers[1]: another entry has the name auth0"]
    ),
    (
      #""preset":"cognito-id:eu-central-1_Example01","audiences":["a"]"#,
      #""name":"b","preset":"cognito-access:eu-central-1_Example01","audiences":["a"]"#,
      [
        "issuers[1]: another entry has the issuer https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example01",
        "issuers[1]: another entry has the issuer https://issuer-cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example01",
      ]
    ),
    // `iss` is compared byte for byte: URLs that RFC 3986 section 6.2.2 treats as equal, and canonically equal
    // Unicode, differ.
    (
      named(#"\u00E9"#, "https://x.example.com/%C3%A9"), named(#"e\u0301"#, "https://x.example.com/%c3%a9"),
      []
    ),
    (named("a", "https://x.example.com"), named("b", "https://x.example.com/"), []),
    (
      named(#"e\u0301"#, "https://x.example.com/a"), named(#"e\u0301"#, "https://x.example.com/b"),
      ["issuers[1]: another entry has the name e\u{301}"]
    ),
  ]

  @Test("no two entries have the same issuer or name", arguments: duplicates)
  func duplicate(first: String, second: String, problems: [String]) throws {
    let text = #"{"issuers":[{\#(first),\#(Self.keys)},{\#(second),\#(Self.keys)}]}"#
    #expect(try SettingsRefusalTests.problems(inline: text) == problems)
  }

  /// The problem of each issuer in a deployed function and in development.
  static let issuers: [(issuer: String, deployed: String?, development: String?)] = [
    ("https://id.example.com", nil, nil), ("https://id.example.com/", nil, nil),
    ("https://id.example.com:8443/realms/a%20b", nil, nil), ("https://id.example.com?tenant=1", nil, nil),
    ("https://127.0.0.1.example.com", nil, nil),
    ("id.example.com", https, https), ("//id.example.com", https, https),
    ("HTTPS://id.example.com", https, https),
    ("urn:example:issuer", https, https), ("https:/id.example.com", https, https),
    ("http://id.example.com", https, https), ("http://127.0.0.1.example.com/", https, https),
    ("https://", noHost, noHost), ("https:///path", noHost, noHost),
    ("https://user@id.example.com", userinfo, userinfo),
    ("http://127.0.0.1@id.example.com", userinfo, userinfo),
    ("https://id.example.com#a", fragment, fragment), ("https://id.example.com/a#b", fragment, fragment),
    // A path has no bytes beyond ASCII (RFC 3986 section 3.3), so an issuer percent-encodes them.
    ("https://id.example.com/\u{E9}", unencoded(23), unencoded(23)),
    (" https://id.example.com", unencoded(0), unencoded(0)),
    ("https://id.example.com/a b", unencoded(24), unencoded(24)),
    ("http://localhost:8080", loopback("localhost"), nil), ("https://localhost", loopback("localhost"), nil),
    ("http://127.0.0.1:8080/realm", loopback("127.0.0.1"), nil),
    ("https://127.1.2.3", loopback("127.1.2.3"), nil),
    ("http://[::1]:8080", loopback("[::1]"), nil),
  ]
  static let https = "an https address is expected"
  static let noHost =
    "the address has no usable host: ; a host is a name, four decimal numbers such as 192.0.2.1, or IPv6 in brackets"
  static let userinfo = "the address contains a user name before the host; remove everything up to the @"
  static let fragment = "the address has a fragment; remove the # and everything after it"
  static func unencoded(_ offset: Int) -> String {
    "byte \(offset) of the address is not allowed in a URL; percent-encode it (RFC 3986)"
  }
  static func loopback(_ host: String) -> String {
    "the address refers to this machine: \(host); this is allowed only with AUTHORIZER_DEVELOPMENT=1"
  }

  @Test("an issuer is an https address; development also allows loopback", arguments: issuers)
  func issuer(_ issuer: String, deployed: String?, development: String?) throws {
    let text = """
      {"issuers":[{"issuer":"\(issuer)","audiences":["a"],"algorithms":["ES256"],
      "keys":{"url":"https://id.example.com/jwks"}}]}
      """
    for (value, problem) in [("0", deployed), ("true", deployed), ("1", development)] {
      let found = try SettingsRefusalTests.problems(inline: text, ["AUTHORIZER_DEVELOPMENT": value])
      #expect(found == problem.map { ["issuers[0].issuer: " + $0] } ?? [])
    }
  }
}
