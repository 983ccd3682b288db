import JOSE
import KeyFetcher
import TestSupport
import Testing

@testable import Authorizer
@testable import IssuerKeys

@Suite("Valid key sources and fetch settings")
struct KeySourceTests {
  /// The source of the one issuer of a configuration, read as in a deployed function.
  static func source(entry: String, keys: String?) throws -> KeySource {
    let members = keys.map { #","keys":{\#($0)}"# } ?? ""
    return try source(["AUTHORIZER_CONFIG": #"{"issuers":[{\#(entry)\#(members)}]}"#])
  }

  static func source(_ variables: [String: String]) throws -> KeySource {
    var source = InMemorySource(variables: variables)
    source.files["dated.json"] = try TestKeys.seed(fetchedAt: TestIssuers.now)
    source.files["plain.json"] = try TestKeys.seed(fetchedAt: nil)
    let settings = try Settings(reading: source)
    guard case .published(let keys) = try #require(settings.issuers.first).keys else {
      throw NotPublished()
    }
    return keys
  }

  struct NotPublished: Error {}

  struct Row: CustomTestStringConvertible {
    let entry: String
    let keys: String?
    var address: String?
    var hasSeed = false
    var seedDate: Int64?
    var testDescription: String { "\(entry) \(keys ?? "-")" }
  }

  static let apple = KeySourceRefusalTests.apple
  static let appleKeys = "https://appleid.apple.com/auth/keys"
  static let generic = IssuerRefusalTests.generic
  static let url = "https://id.example.com/jwks"

  static let rows = [
    Row(entry: apple, keys: nil, address: appleKeys), Row(entry: apple, keys: "", address: appleKeys),
    Row(entry: apple, keys: #""pinned":false"#, address: appleKeys),
    Row(entry: apple, keys: #""url":"\#(url)""#, address: url),
    Row(
      entry: apple, keys: #""seed":"dated.json""#, address: appleKeys, hasSeed: true,
      seedDate: TestIssuers.now),
    Row(
      entry: apple, keys: #""seed":"dated.json","url":"\#(url)""#, address: url, hasSeed: true,
      seedDate: TestIssuers.now),
    // Pinned keys have no age and no URL, even if the file or the preset has one.
    Row(entry: apple, keys: #""seed":"plain.json","pinned":true"#, hasSeed: true),
    Row(entry: apple, keys: #""seed":"dated.json","pinned":true"#, hasSeed: true),
    Row(entry: generic, keys: #""seed":"plain.json","pinned":true"#, hasSeed: true),
    Row(entry: generic, keys: #""url":"\#(url)""#, address: url),
    Row(
      entry: generic, keys: #""url":"\#(url)","seed":"dated.json","pinned":false"#, address: url,
      hasSeed: true, seedDate: TestIssuers.now),
    Row(
      entry: #""preset":"supabase:abcdefghijklmnopqrst""#, keys: nil,
      address: "https://abcdefghijklmnopqrst.supabase.co/auth/v1/.well-known/jwks.json"),
    Row(
      entry: #""preset":"google","audiences":["a"]"#, keys: nil,
      address: "https://www.googleapis.com/oauth2/v3/certs"),
  ]

  @Test("a preset has a key set URL; url overrides it and pinned keys ignore it", arguments: rows)
  func address(_ row: Row) throws {
    let source = try Self.source(entry: row.entry, keys: row.keys)
    #expect(source.address?.text == row.address)
    #expect((source.seed != nil) == row.hasSeed)
    #expect(source.seed?.fetchedAt == row.seedDate)
    #expect(!source.acceptsDevelopmentKeys)
  }

  static let shortForms: [(issuer: String, keys: String?, address: String?)] = [
    ("apple", nil, appleKeys), ("apple", " \(url) ", url), ("apple", "plain.json", nil),
    ("https://id.example.com", url, url), ("https://id.example.com", " dated.json\n", nil),
  ]

  @Test("the short form accepts an address, or a file as pinned keys", arguments: shortForms)
  func shortForm(issuer: String, keys: String?, address: String?) throws {
    var variables = ["AUTHORIZER_ISSUER": issuer, "AUTHORIZER_AUDIENCE": "a"]
    variables["AUTHORIZER_KEYS"] = keys
    let source = try Self.source(variables)
    #expect(source.address?.text == address)
    #expect((source.seed != nil) == (address == nil))
    #expect(source.seed?.fetchedAt == nil)
  }

  static let url2 = #""url":"https://id.example.com/jwks""#

  static let lifetimes: [(members: String, grace: Int64, staleOnError: Int64, seedAge: Int64)] = [
    ("", 300, 86_400, 2_592_000), (#","graceSeconds":0"#, 0, 86_400, 2_592_000),
    (#","graceSeconds":86400"#, 86_400, 86_400, 2_592_000),
    (#","staleOnErrorSeconds":0"#, 300, 0, 2_592_000),
    (#","staleOnErrorSeconds":2592000"#, 300, 2_592_000, 2_592_000),
    (#","seedMaximumAgeDays":1"#, 300, 86_400, 86_400),
    (#","seedMaximumAgeDays":3650"#, 300, 86_400, 315_360_000),
  ]

  @Test("lifetimes of key sets have the documented defaults and limits", arguments: lifetimes)
  func lifetime(members: String, grace: Int64, staleOnError: Int64, seedAge: Int64) throws {
    let found = try Self.source(entry: Self.generic, keys: Self.url2 + members).lifetimes
    #expect(found == KeyLifetimes(grace: grace, staleOnError: staleOnError, seedMaximumAge: seedAge))
  }

  static let exponents: [(members: String, exponent: UInt64)] = [
    ("", 65537), (#","minimumRSAExponent":3"#, 3), (#","minimumRSAExponent":65537"#, 65537),
  ]

  @Test("a small RSA exponent must be configured", arguments: exponents)
  func exponent(members: String, exponent: UInt64) throws {
    let policy = try Self.source(entry: Self.generic, keys: Self.url2 + members).policy
    #expect(policy.minimumRSAExponent == exponent)
  }

  static let fetches: [(members: String?, settings: FetchSettings)] = [
    (nil, fetch()), ("", fetch()), (#""timeoutMilliseconds":100"#, fetch(total: 100)),
    (#""timeoutMilliseconds":8000"#, fetch(total: 8000)),
    (#""connectTimeoutMilliseconds":100"#, fetch(connect: 100)),
    (#""connectTimeoutMilliseconds":8000"#, fetch(connect: 8000)),
    (#""certificateAuthorities":"ca.pem""#, fetch(authorities: "ca.pem")),
    (#""proxy":"http://proxy.example.com:3128""#, fetch(proxy: "http://proxy.example.com:3128")),
  ]

  static func fetch(
    connect: Int = 2000, total: Int = 3000, authorities: String? = nil, proxy: String? = nil
  ) -> FetchSettings {
    var settings = FetchSettings()
    settings.connectMilliseconds = connect
    settings.totalMilliseconds = total
    settings.certificateAuthorities = authorities
    settings.proxy = proxy
    return settings
  }

  static func configuration(fetch: String) -> String {
    #"{"issuers":[{\#(generic),"keys":{\#(url2)}}],"fetch":\#(fetch)}"#
  }

  @Test("fetch settings are applied", arguments: fetches)
  func fetch(members: String?, settings: FetchSettings) throws {
    let text =
      members.map { Self.configuration(fetch: "{\($0)}") }
      ?? #"{"issuers":[{\#(Self.generic),"keys":{\#(Self.url2)}}]}"#
    let source = InMemorySource(variables: ["AUTHORIZER_CONFIG": text], files: ["ca.pem": .text("PEM")])
    #expect(try Settings(reading: source).fetch == settings)
  }

  static let noProxy =
    "fetch.proxy: http://host:port or https://host:port is expected, without a name and password"

  static let wrongFetches = Fact.table(
    #"""
    {"certificateAuthorities":"nope.pem"}
      fetch.certificateAuthorities: nope.pem: no such file
    {"proxy":"proxy"}
    {"proxy":"socks5://proxy:1"}
    {"proxy":"http://user:secret@proxy:1"}
    {"proxy":"http://a b"}
      \#(noProxy)
    5
    null
      fetch: an object is expected
    {"timeoutMilliseconds":99}
    {"timeoutMilliseconds":8001}
    {"timeoutMilliseconds":"3s"}
      fetch.timeoutMilliseconds: a whole number from 100 to 8000 is expected
    {"connectTimeoutMilliseconds":0,"proxy":"","certificateAuthorities":true}
      fetch.connectTimeoutMilliseconds: a whole number from 100 to 8000 is expected
      fetch.certificateAuthorities: a non-empty string is expected
      fetch.proxy: a non-empty string is expected
    {"connectTimeoutMilliseconds":8001}
      fetch.connectTimeoutMilliseconds: a whole number from 100 to 8000 is expected
    {"timeoutMillisecond":1,"certificateAuthority":"a","Proxy":"p"}
      fetch.timeoutMillisecond: unknown member, did you mean "timeoutMilliseconds"?
      fetch.certificateAuthority: unknown member
      fetch.Proxy: unknown member, did you mean "proxy"?
    """#)

  @Test("invalid fetch settings are refused", arguments: wrongFetches)
  func wrongFetch(_ fact: Fact) throws {
    let text = Self.configuration(fetch: fact.subject)
    #expect(try SettingsRefusalTests.problems(inline: text) == fact.expected)
  }
}
