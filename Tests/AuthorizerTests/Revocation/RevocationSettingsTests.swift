import TestSupport
import Testing

@testable import Authorizer
@testable import JOSE

@Suite("Configuration of revocation")
struct RevocationSettingsTests {
  private static func ids(_ positions: Int...) -> [IssuerID] { positions.map { IssuerID(position: $0) } }

  static let acceptances: [(text: String, settings: RevocationSettings)] = [
    (
      #"{"file":"r.json"}"#,
      RevocationSettings(
        store: .file("r.json"), issuers: ids(0), freshSeconds: 30, lastKnownSeconds: 0, entries: 10_000)
    ),
    (
      #"{"file":"r.json","issuers":["partner","apple"],"freshSeconds":0,"lastKnownSeconds":86400,"entries":1}"#,
      RevocationSettings(
        store: .file("r.json"), issuers: ids(1, 0), freshSeconds: 0, lastKnownSeconds: 86_400, entries: 1)
    ),
    (
      #"{"dynamoDB":{"table":"identity"}}"#,
      RevocationSettings(
        store: .dynamoDB(TableReference(name: "identity", region: nil)), issuers: ids(0), freshSeconds: 30,
        lastKnownSeconds: 0, entries: 10_000)
    ),
    (
      #"{"dynamoDB":{"table":"My_table.1-a","region":"eu-west-1"},"freshSeconds":3600,"entries":100000}"#,
      RevocationSettings(
        store: .dynamoDB(TableReference(name: "My_table.1-a", region: "eu-west-1")), issuers: ids(0),
        freshSeconds: 3600,
        lastKnownSeconds: 0, entries: 100_000)
    ),
  ]

  @Test("the configured values are used", arguments: acceptances)
  func accepted(text: String, settings: RevocationSettings) throws {
    #expect(try TestRules.settings(#""revocation":\#(text)"#).revocation == settings)
    #expect(try TestRules.settings("").revocation == nil)
  }

  static let refusals = Fact.table(
    #"""
    1
      revocation: an object is expected
    {}
      revocation: missing: "file" or "dynamoDB"
    {"file":"a","dynamoDB":{"table":"abc"}}
      revocation: "file" or "dynamoDB", not both
    {"file":""}
      revocation.file: a non-empty string is expected
    {"dynamoDB":"abc"}
      revocation.dynamoDB: an object is expected
    {"dynamoDB":{}}
      revocation.dynamoDB.table: missing: the name of the identity function's table
    {"dynamoDB":{"table":"ab","region":"EU","tabel":1}}
      revocation.dynamoDB.table: 3 to 255 letters, digits, underscores, hyphens and dots are expected
      revocation.dynamoDB.region: a region such as eu-west-1 is expected
      revocation.dynamoDB.tabel: unknown member, did you mean "table"?
    {"dynamoDB":{"table":"arn:aws:dynamodb"}}
      revocation.dynamoDB.table: 3 to 255 letters, digits, underscores, hyphens and dots are expected
    {"file":"a","issuers":[]}
      revocation.issuers: a non-empty list of non-empty strings is expected
    {"file":"a","issuers":["Apple","apple","apple"]}
      revocation.issuers[0]: no issuer has this name
      revocation.issuers[2]: duplicate
    {"file":"a","freshSeconds":3601,"lastKnownSeconds":-1,"entries":0,"fresh":1}
      revocation.freshSeconds: a whole number from 0 to 3600 is expected
      revocation.lastKnownSeconds: a whole number from 0 to 86400 is expected
      revocation.entries: a whole number from 1 to 100000 is expected
      revocation.fresh: unknown member
    """#)

  @Test("invalid values are refused, all at once", arguments: refusals)
  func refused(_ fact: Fact) throws {
    let text = TestRules.configuration(#""revocation":\#(fact.subject)"#)
    #expect(try SettingsRefusalTests.problems(inline: text) == fact.expected)
  }

  @Test("without an Apple issuer the issuers must be named")
  func missingIssuers() throws {
    let text = """
      {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],
      "algorithms":["ES256"],"keys":{"seed":"keys.json","pinned":true}}],"revocation":{"file":"a"}}
      """
    #expect(
      try SettingsRefusalTests.problems(inline: text) == [
        "revocation.issuers: missing: no issuer has the preset apple; name the issuers whose tokens may be revoked"
      ])
  }
}
