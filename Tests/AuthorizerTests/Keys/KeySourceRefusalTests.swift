import JSON
import KeyFetcher
import TestTokens
import Testing

@testable import IssuerKeys

@Suite("Refused key sources")
struct KeySourceRefusalTests {
  /// The problems of an entry with these members of `keys`, with paths relative to the entry.
  static func problems(
    _ members: String, entry: String = IssuerRefusalTests.generic, _ variables: [String: String] = [:]
  ) throws -> [String] {
    let text = #"{"issuers":[{\#(entry),"keys":{\#(members)}}]}"#
    return try SettingsRefusalTests.problems(inline: text, variables).map { problem in
      problem.hasPrefix("issuers[0].") ? String(problem.dropFirst("issuers[0].".count)) : problem
    }
  }

  struct Address: CustomTestStringConvertible {
    let text: String
    /// The expected error in every environment, or only in a deployed function.
    var always: KeyAddressError?
    var deployed: KeyAddressError?
    var testDescription: String { text }
  }

  static let addresses = [
    Address(text: "https://id.example.com/jwks"), Address(text: "https://id.example.com:8443/jwks?v=2"),
    Address(text: "https://127.0.0.1.example.com/jwks"), Address(text: "https://192.0.2.1/jwks"),
    // Over plain HTTP, an attacker on the network could replace the keys.
    Address(text: "http://id.example.com/jwks", always: .httpBeyondLoopback(host: "id.example.com")),
    Address(
      text: "http://127.0.0.1.example.com/jwks", always: .httpBeyondLoopback(host: "127.0.0.1.example.com")),
    Address(text: "http://192.0.2.1/jwks", always: .httpBeyondLoopback(host: "192.0.2.1")),
    // Loopback addresses, with or without TLS.
    Address(text: "http://127.0.0.1:8080/jwks", deployed: .loopbackOutsideDevelopment(host: "127.0.0.1")),
    Address(text: "https://127.0.0.1/jwks", deployed: .loopbackOutsideDevelopment(host: "127.0.0.1")),
    Address(text: "http://127.9.9.9/jwks", deployed: .loopbackOutsideDevelopment(host: "127.9.9.9")),
    Address(text: "http://localhost/jwks", deployed: .loopbackOutsideDevelopment(host: "localhost")),
    Address(text: "https://LocalHost/jwks", deployed: .loopbackOutsideDevelopment(host: "LocalHost")),
    Address(text: "http://[::1]:8080/jwks", deployed: .loopbackOutsideDevelopment(host: "[::1]")),
    Address(text: "https://[::1]/jwks", deployed: .loopbackOutsideDevelopment(host: "[::1]")),
    // Misleading addresses.
    Address(text: "http://127.0.0.1@id.example.com/jwks", always: .userinfo),
    Address(text: "https://user:word@id.example.com/jwks", always: .userinfo),
    Address(text: "https://0x7f.1/jwks", always: .malformedHost("0x7f.1")),
    Address(text: "https://2130706433/jwks", always: .malformedHost("2130706433")),
    Address(text: "https:///jwks", always: .malformedHost("")),
    Address(text: "https://id.example.com/jwks#key", always: .fragment),
    Address(text: "https://id.example.com", always: .missingPath),
    Address(text: "https://id.example.com:0/jwks", always: .malformedPort),
    Address(text: "https://id.example.com/%zz", always: .malformedPath(offset: 23)),
    Address(text: " https://id.example.com/jwks", always: .forbiddenByte(offset: 0)),
    Address(text: "https://id.example.com/\u{E9}", always: .forbiddenByte(offset: 23)),
    Address(text: "HTTPS://id.example.com/jwks", always: .unsupportedScheme),
    Address(text: "ftp://id.example.com/jwks", always: .unsupportedScheme),
    Address(text: "file:///var/task/keys.json", always: .unsupportedScheme),
    Address(text: "keys.json", always: .unsupportedScheme),
    Address(
      text: "https://id.example.com/" + String(repeating: "a", count: 2026),
      always: .tooLong(byteCount: 2049)),
  ]

  @Test("keys are fetched over https; from loopback only in development", arguments: addresses)
  func address(_ row: Address) throws {
    let deployed = row.always ?? row.deployed
    for (value, flaw) in [("0", deployed), ("true", deployed), ("", deployed), ("1", row.always)] {
      let expected = flaw.map { ["keys.url: " + $0.line] } ?? []
      let variables = ["AUTHORIZER_DEVELOPMENT": value]
      #expect(try Self.problems(#""url":"\#(row.text)""#, variables) == expected)
      #expect(
        try Self.problems(
          #""url":"\#(row.text)""#, entry: #""preset":"apple","audiences":["a"]"#, variables) == expected)
    }
  }

  @Test("a problem and its hint are one line")
  func line() throws {
    #expect(
      try Self.problems(#""url":"https://user:word@id.example.com/jwks""#) == [
        "keys.url: the address contains a user name before the host; remove everything up to the @"
      ])
  }

  static let url = #""url":"https://id.example.com/jwks""#
  static let apple = #""preset":"apple","audiences":["a"]"#
  static let unrefreshed =
    #"keys: a "seed" without "url" is never refreshed: add "url", or "pinned": true"#
  static let undated =
    #"keys.seed: keys.json: no "fetchedAt"; fetch it with authorizer-local keys fetch, or add "pinned": true"#
  static let nothing = #"keys: a "url" or a pinned "seed" is expected"#
  static let text = ": a non-empty string is expected"

  static let generic = IssuerRefusalTests.generic

  static let combinations: [(entry: String, members: String, problems: [String])] = [
    (generic, "", [nothing]),
    (generic, #""pinned":false"#, [nothing]),
    (generic, #""pinned":"yes""#, ["keys.pinned: true or false is expected", nothing]),
    (generic, #""pinned":true"#, [#"keys.pinned: pinned keys need a "seed""#]),
    (apple, #""pinned":true"#, [#"keys.pinned: pinned keys need a "seed""#]),
    (
      generic, #""seed":"keys.json","pinned":true,\#(url)"#,
      [#"keys.url: pinned keys are never fetched; remove "url""#]
    ),
    (
      apple, #""seed":"keys.json","pinned":true,\#(url)"#,
      [#"keys.url: pinned keys are never fetched; remove "url""#]
    ),
    (
      generic, #""pinned":true,\#(url)"#,
      [#"keys.pinned: pinned keys need a "seed""#, #"keys.url: pinned keys are never fetched; remove "url""#]
    ),
    (generic, #""seed":"dated.json""#, [unrefreshed]),
    (generic, #""seed":"dated.json","pinned":false"#, [unrefreshed]),
    (generic, #""seed":"keys.json""#, [unrefreshed, undated]),
    (generic, #""seed":"none.json""#, [unrefreshed, "keys.seed: none.json: no such file"]),
    (generic, #""seed":"keys.json",\#(url)"#, [undated]),
    (apple, #""seed":"keys.json""#, [undated]),
    // A member that is present but wrong is not reported as missing.
    (generic, #""url":5"#, ["keys.url" + text]),
    (generic, #""url":null,"seed":"dated.json""#, ["keys.url" + text]),
    (generic, #""seed":"","pinned":true"#, ["keys.seed" + text]),
    (generic, #""seed":[]"#, ["keys.seed" + text, unrefreshed]),
    (generic, #""seed":"keys.json","pinned":1"#, ["keys.pinned: true or false is expected"]),
    (apple, #""seed":"keys.json","pinned":"true""#, ["keys.pinned: true or false is expected"]),
    (
      #""preset":"appel","audiences":["a"]"#, #""seed":"dated.json""#,
      [#"preset: unknown preset, did you mean "apple"?"#]
    ),
  ]

  @Test("url, seed and pinned must fit together", arguments: combinations)
  func combination(entry: String, members: String, problems: [String]) throws {
    var source = try TestIssuers.source()
    source.variables["AUTHORIZER_CONFIG"] = #"{"issuers":[{\#(entry),"keys":{\#(members)}}]}"#
    source.files["dated.json"] = try TestKeys.seed(fetchedAt: TestIssuers.now)
    #expect(SettingsRefusalTests.problems(source) == problems.map { "issuers[0]." + $0 })
  }

  static let ranges: [(member: String, values: [String], range: String)] = [
    ("seedMaximumAgeDays", ["0", "-1", "3651", "1.5", "\"30\"", "null", "true"], "1 to 3650"),
    ("graceSeconds", ["-1", "86401", "0.5", "\"300\"", "[]"], "0 to 86400"),
    ("staleOnErrorSeconds", ["-1", "2592001", "1e99", "\"86400\"", "{}"], "0 to 2592000"),
    ("minimumRSAExponent", ["0", "2", "-3", "65538", "\"3\""], "3 to 65537"),
  ]

  @Test("numbers must be within their ranges", arguments: ranges)
  func range(member: String, values: [String], range: String) throws {
    for value in values {
      #expect(
        try Self.problems(#"\#(Self.url),"\#(member)":\#(value)"#) == [
          "keys.\(member): a whole number from \(range) is expected"
        ])
    }
  }

  static let unknown: [(member: String, hint: String)] = [
    ("ulr", #", did you mean "url"?"#), ("URL", #", did you mean "url"?"#),
    ("sead", #", did you mean "seed"?"#),
    ("pined", #", did you mean "pinned"?"#), ("graceSecond", #", did you mean "graceSeconds"?"#),
    ("staleOnErrorSecond", #", did you mean "staleOnErrorSeconds"?"#),
    ("seedMaximumAgeDay", #", did you mean "seedMaximumAgeDays"?"#),
    ("minimumRsaExponent", #", did you mean "minimumRSAExponent"?"#),
    ("secrets", #", did you mean "secret"?"#),
    ("jwks", ""), ("maximumAge", ""),
  ]

  @Test("an unknown member is refused with the nearest known one as a hint", arguments: unknown)
  func unknownMember(member: String, hint: String) throws {
    #expect(try Self.problems(#"\#(Self.url),"\#(member)":1"#) == ["keys.\(member): unknown member\(hint)"])
  }
}

extension TestKeys {
  /// A key set file dated by `authorizer-local keys fetch`.
  static func seed(fetchedAt: Int64?) throws -> InMemorySource.File {
    // One key for each algorithm in these tests, since a key set without a matching key is another problem.
    var rsa = try #require(try TestIssuers.keys()[.rs256].publicJWK)
    rsa["kid"] = .string("rsa")
    var members = [JSONTree.Member(name: "keys", value: .array([a.publicJWK ?? .null, rsa]))]
    if let fetchedAt { members.append(.init(name: "fetchedAt", value: .number(String(fetchedAt)))) }
    return .bytes(JSONTree.object(members).bytes())
  }
}
