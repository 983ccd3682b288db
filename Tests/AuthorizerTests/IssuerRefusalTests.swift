import JSON
import Testing

@testable import Authorizer

@Suite("Issuers that are refused")
struct IssuerRefusalTests {
  static let keys = SettingsRefusalTests.keys

  struct Entry: CustomTestStringConvertible {
    let members: String
    let problems: [String]
    var testDescription: String { members }
  }

  static let generic = #""issuer":"https://id.example.com","audiences":["a"],"algorithms":["RS256"]"#

  static let entries = [
    // A preset fixes what it knows, and needs what it does not.
    Entry(
      members: #""preset":"apple",\#(keys)"#,
      problems: ["issuers[0].audiences: missing: whom the tokens are for"]),
    Entry(
      members: #""preset":"apple:x","audiences":["a"],\#(keys)"#,
      problems: ["issuers[0].preset: apple takes no argument"]),
    Entry(
      members: #""preset":"supabase",\#(keys)"#,
      problems: [
        "issuers[0].preset: supabase: needs an argument, supabase:<the project's reference, lower-case letters and digits>"
      ]),
    Entry(
      members: #""preset":"auth0:localhost","audiences":["a"],\#(keys)"#,
      problems: ["issuers[0].preset: auth0: the tenant's domain, such as example.eu.auth0.com is expected"]),
    Entry(
      members: #""preset":5,"audiences":["a"],\#(keys)"#,
      problems: ["issuers[0].preset: a non-empty string is expected"]),
    Entry(
      members: #""preset":"apple","issuer":"https://appleid.apple.com","audiences":["a"],\#(keys)"#,
      problems: ["issuers[0].issuer: fixed by the preset"]),
    Entry(
      members: #""preset":"apple","algorithms":["ES256"],"audiences":["a"],\#(keys)"#,
      problems: ["issuers[0].algorithms: fixed by the preset"]),
    // A generic issuer names its issuer, audience and algorithms.
    Entry(
      members: #""issuer":"https://id.example.com","audiences":["a"],\#(keys)"#,
      problems: ["issuers[0].algorithms: missing: what this issuer signs with"]),
    Entry(
      members: #""issuer":"https://id.example.com","algorithms":["RS256"],\#(keys)"#,
      problems: ["issuers[0].audiences: missing: whom the tokens are for"]),
    Entry(
      members: #""audiences":["a"],"algorithms":["RS256"],\#(keys)"#,
      problems: ["issuers[0].issuer: missing: a preset or the exact value of iss is expected"]),
    Entry(
      members: #""issuer":"","audiences":["a"],"algorithms":["RS256"],\#(keys)"#,
      problems: ["issuers[0].issuer: a non-empty string is expected"]),
    Entry(
      members: #""issuer":"id.example.com","audiences":["a"],"algorithms":["RS256"],\#(keys)"#,
      problems: ["issuers[0].issuer: an https address is expected"]),
    Entry(
      members: #""issuer":"https://id.example.com","audiences":[],"algorithms":["RS256"],\#(keys)"#,
      problems: ["issuers[0].audiences: a non-empty list of non-empty strings is expected"]),
    Entry(
      members: #""issuer":"https://id.example.com","audiences":[""],"algorithms":["RS256"],\#(keys)"#,
      problems: ["issuers[0].audiences: a non-empty list of non-empty strings is expected"]),
    Entry(
      members: #""issuer":"https://id.example.com","audiences":"a","algorithms":["RS256"],\#(keys)"#,
      problems: ["issuers[0].audiences: a non-empty list of non-empty strings is expected"]),
    Entry(
      members: #""issuer":"https://id.example.com","audiences":["a"],"algorithms":[],\#(keys)"#,
      problems: ["issuers[0].algorithms: a non-empty list of non-empty strings is expected"]),
    Entry(
      members: #""issuer":"https://id.example.com","audiences":["a"],"algorithms":["HS256"],\#(keys)"#,
      problems: ["issuers[0].algorithms[0]: one of \(SettingsRefusalTests.algorithms) is expected"]),
    Entry(
      members: #""issuer":"https://id.example.com","audiences":["a"],"algorithms":["rs256"],\#(keys)"#,
      problems: ["issuers[0].algorithms[0]: one of \(SettingsRefusalTests.algorithms) is expected"]),
    // Limits.
    Entry(
      members: #"\#(generic),"leewaySeconds":-1,\#(keys)"#,
      problems: ["issuers[0].leewaySeconds: a whole number from 0 to 300 is expected"]),
    Entry(
      members: #"\#(generic),"leewaySeconds":301,\#(keys)"#,
      problems: ["issuers[0].leewaySeconds: a whole number from 0 to 300 is expected"]),
    Entry(
      members: #"\#(generic),"leewaySeconds":"60",\#(keys)"#,
      problems: ["issuers[0].leewaySeconds: a whole number from 0 to 300 is expected"]),
    Entry(
      members: #"\#(generic),"maximumLifetimeSeconds":31536001,\#(keys)"#,
      problems: ["issuers[0].maximumLifetimeSeconds: a whole number from 1 to 31536000 is expected"]),
    Entry(
      members: #"\#(generic),"maximumAgeSeconds":1e99,\#(keys)"#,
      problems: ["issuers[0].maximumAgeSeconds: a whole number from 1 to 31536000 is expected"]),
    Entry(
      members: #"\#(generic),"types":[],\#(keys)"#,
      problems: ["issuers[0].types: a non-empty list of non-empty strings is expected"]),
    Entry(
      members: #"\#(generic),"principal":"a.",\#(keys)"#,
      problems: ["issuers[0].principal: a claim's name, or names joined by dots, is expected"]),
    Entry(
      members: #"\#(generic),"name":"",\#(keys)"#,
      problems: ["issuers[0].name: a non-empty string is expected"]),
    Entry(members: #"\#(generic),"leeway":60,\#(keys)"#, problems: ["issuers[0].leeway: unknown member"]),
    // Keys.
    Entry(
      members: generic,
      problems: [
        "issuers[0].keys.pinned: keys are not fetched by this version: \"pinned\": true is expected",
        "issuers[0].keys.seed: missing: the path of a key set file is expected",
      ]),
    Entry(members: #"\#(generic),"keys":"keys.json""#, problems: ["issuers[0].keys: an object is expected"]),
    Entry(
      members: #"\#(generic),"keys":{"pinned":true}"#,
      problems: ["issuers[0].keys.seed: missing: the path of a key set file is expected"]),
    Entry(
      members: #"\#(generic),"keys":{"seed":"keys.json"}"#,
      problems: ["issuers[0].keys.pinned: keys are not fetched by this version: \"pinned\": true is expected"]
    ),
    Entry(
      members: #"\#(generic),"keys":{"seed":"keys.json","pinned":true,"minimumRSAExponent":2}"#,
      problems: ["issuers[0].keys.minimumRSAExponent: a whole number from 3 to 65537 is expected"]),
    Entry(
      members: #"\#(generic),"keys":{"seed":"https://id.example.com/jwks","pinned":true}"#,
      problems: [
        "issuers[0].keys.seed: keys are not fetched by this version: the path of a key set file is expected"
      ]),
  ]

  @Test("an entry is refused for exactly what is wrong with it", arguments: entries)
  func entry(_ row: Entry) throws {
    #expect(try SettingsRefusalTests.problems(inline: #"{"issuers":[{\#(row.members)}]}"#) == row.problems)
  }

  static let duplicates: [(first: String, second: String, problems: [String])] = [
    (
      #""name":"a","issuer":"https://x.example.com","audiences":["a"],"algorithms":["RS256"]"#,
      #""name":"b","issuer":"https://x.example.com","audiences":["b"],"algorithms":["ES256"]"#,
      ["issuers[1]: another entry has the issuer https://x.example.com"]
    ),
    (
      #""name":"a","issuer":"https://x.example.com","audiences":["a"],"algorithms":["RS256"]"#,
      #""name":"a","issuer":"https://y.example.com","audiences":["a"],"algorithms":["RS256"]"#,
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
    // Equal as Unicode, different as bytes: `iss` is compared byte for byte.
    (
      #""name":"\u00E9","issuer":"https://x.example.com/\u00E9","audiences":["a"],"algorithms":["RS256"]"#,
      #""name":"e\u0301","issuer":"https://x.example.com/e\u0301","audiences":["a"],"algorithms":["RS256"]"#,
      []
    ),
  ]

  @Test("no two entries have one issuer or one name", arguments: duplicates)
  func duplicate(first: String, second: String, problems: [String]) throws {
    let text = #"{"issuers":[{\#(first),\#(Self.keys)},{\#(second),\#(Self.keys)}]}"#
    #expect(try SettingsRefusalTests.problems(inline: text) == problems)
  }
}
