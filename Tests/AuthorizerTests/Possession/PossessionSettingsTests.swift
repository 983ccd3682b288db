import JOSE
import TestSupport
import Testing

@testable import Authorizer
@testable import FunctionHost

/// `"proofOfPossession"` as an object: its members, its defaults, and what contradicts it.
@Suite("Settings of proofs")
struct PossessionSettingsTests {
  private static func problems(_ value: String, _ members: String = #""gatewayCache":"off""#) throws
    -> [String]
  {
    try SettingsRefusalTests.problems(
      inline: TestRules.configuration(members, partner: #","proofOfPossession":\#(value)"#),
      ["AUTHORIZER_DEVELOPMENT": "1"])
  }

  private static let here = "issuers[1].proofOfPossession"
  private static let empty =
    #"\#(here): no binding is checked; add "certificate": true or "dpop", or write "refuse""#
  private static let algorithm =
    "one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519 is expected"
  private static let origin =
    "a scheme, a host, a port if it is not the default, and nothing else are expected"

  static let refusals = Fact.table(
    #"""
    {}
    {"required":true}
    {"certificate":false}
      \#(empty)
    {"dpop":null}
    {"dpop":true}
      \#(here).dpop: an object is expected
    {"certificate":1}
      \#(here).certificate: true or false is expected
    {"certificate":true,"required":"yes"}
      \#(here).required: true or false is expected
    {"certificat":true}
      \#(here).certificat: unknown member, did you mean "certificate"?
    {"dpop":{"maximumAge":60}}
      \#(here).dpop.maximumAge: unknown member
    {"dpop":{"nonce":true}}
      \#(here).dpop.nonce: unknown member
    {"dpop":{"maximumAgeSeconds":0,"leewaySeconds":61}}
      \#(here).dpop.maximumAgeSeconds: a whole number from 1 to 300 is expected
      \#(here).dpop.leewaySeconds: a whole number from 0 to 60 is expected
    {"dpop":{"algorithms":[]}}
      \#(here).dpop.algorithms: a non-empty list of non-empty strings is expected
    {"dpop":{"algorithms":["HS256","none","es256","ES256","ES256"]}}
      \#(here).dpop.algorithms[0]: \#(algorithm)
      \#(here).dpop.algorithms[1]: \#(algorithm)
      \#(here).dpop.algorithms[2]: \#(algorithm)
      \#(here).dpop.algorithms[4]: duplicate
    {"dpop":{"origins":["https://a.example.com/v1","a.example.com","https://a.example.com","https://A.example.com:443","http://a.example.com"]}}
      \#(here).dpop.origins[0]: \#(origin)
      \#(here).dpop.origins[1]: \#(origin)
      \#(here).dpop.origins[3]: duplicate
      \#(here).dpop.origins[4]: https is expected; http is accepted for this machine in development
    {"dpop":{"replay":{}}}
      \#(here).dpop.replay.dynamoDB: missing: the table that remembers used proofs
    {"dpop":{"replay":"memory"}}
      \#(here).dpop.replay: an object is expected
    {"dpop":{"replay":{"dynamoDB":{}}}}
      \#(here).dpop.replay.dynamoDB.table: missing: the name of a table with the key pk
    {"dpop":{"replay":{"dynamoDB":{"table":"x","region":"EU"}}}}
      \#(here).dpop.replay.dynamoDB.table: 3 to 255 letters, digits, underscores, hyphens and dots are expected
      \#(here).dpop.replay.dynamoDB.region: a region such as eu-west-1 is expected
    """#)

  @Test("each mistake is a problem at its path", arguments: refusals)
  func refused(_ fact: Fact) throws {
    #expect(try Self.problems(fact.subject) == fact.expected)
  }

  @Test(
    "a cached answer would serve callers without a proof",
    arguments: ["", #""gatewayCache":"token""#, #""gatewayCache":"tokenAndRoute""#])
  func cache(members: String) throws {
    for value in [PossessionTests.dpop, PossessionTests.certificate] {
      #expect(
        try Self.problems(value, members) == [
          #"gatewayCache: must be "off": partner has "proofOfPossession", and a cached answer would serve callers"#
            + " without a proof; set the TTL of the API's authorizer to 0 too"
        ])
    }
    #expect(try Self.problems(#""ignore""#, members) == [])
  }

  @Test("the header of the proof is no source of tokens")
  func sources() throws {
    let members = #""gatewayCache":"off","tokenSources":["header:Authorization","header:DPoP"]"#
    #expect(
      try Self.problems(PossessionTests.dpop, members) == [
        "tokenSources[1]: this header contains the proof, not the token"
      ])
    #expect(try Self.problems(PossessionTests.certificate, members) == [])
  }

  @Test("defaults and given values")
  func values() throws {
    func proof(_ value: String) throws -> ProofSettings {
      let settings = try TestRules.settings(
        #""gatewayCache":"off""#, partner: #","proofOfPossession":\#(value)"#)
      #expect(settings.warnings == [])
      #expect(settings.issuers[0].proof == nil)
      return try #require(settings.issuers[1].proof)
    }
    let plain = try proof(PossessionTests.dpop)
    #expect(!plain.required && !plain.certificate)
    #expect(
      plain.dpop?.policy
        == ProofPolicy(algorithms: [.es256, .edDSA], maximumAgeSeconds: 60, leewaySeconds: 5))
    #expect(plain.dpop?.origins == nil && plain.dpop?.replay == nil)
    let whole = try proof(
      #"{"required":true,"certificate":true,"dpop":{"algorithms":["PS256"],"maximumAgeSeconds":300,"leewaySeconds":0,"#
        + #""origins":["https://API.example.com:443"],"replay":{"dynamoDB":{"table":"identity"}}}}"#)
    #expect(whole.required && whole.certificate)
    #expect(whole.dpop?.policy == ProofPolicy(algorithms: [.ps256], maximumAgeSeconds: 300, leewaySeconds: 0))
    #expect(whole.dpop?.origins?.map(\.text) == [Array("https://api.example.com".utf8)])
    #expect(whole.dpop?.replay == TableReference(name: "identity", region: nil))
  }

  @Test("DPoP without a header for tokens is a warning")
  func warned() throws {
    let settings = try TestRules.settings(
      #""gatewayCache":"off","tokenSources":["cookie:t"]"#, partner: #","proofOfPossession":{"dpop":{}}"#)
    #expect(
      settings.warnings.map(\.description) == [
        #"\#(Self.here).dpop: no effect: only a header can have the scheme DPoP, and "tokenSources" names no header"#
      ])
  }

  @Test("http is for development on this machine")
  func plainOrigins() throws {
    let text = TestRules.configuration(
      #""gatewayCache":"off""#,
      partner: #","proofOfPossession":{"dpop":{"origins":["http://127.0.0.1:3000"]}}"#)
    #expect(try SettingsRefusalTests.problems(inline: text, ["AUTHORIZER_DEVELOPMENT": "1"]) == [])
    var source = try TestIssuers.source()
    source.variables = ["AUTHORIZER_CONFIG": text]
    #expect(
      SettingsRefusalTests.problems(source).contains(
        Self.here + ".dpop.origins[0]: https is expected; http is accepted for this machine in development"))
  }

  @Test("the context member confirmation belongs to the authorizer")
  func context() throws {
    func problems(_ context: String) throws -> [String] {
      try SettingsRefusalTests.problems(
        inline: TestRules.configuration("", partner: #","context":\#(context)"#),
        ["AUTHORIZER_DEVELOPMENT": "1"])
    }
    #expect(
      try problems(#"{"confirmation":"cnf"}"#).first?.hasPrefix("issuers[1].context.confirmation: ") == true)
    #expect(try problems(#"{"confirmation":false}"#) == [])
  }
}
