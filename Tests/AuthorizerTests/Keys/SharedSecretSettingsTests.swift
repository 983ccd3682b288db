import TestTokens
import Testing

@testable import FunctionHost

/// Every secret here contains the word "canary": no problem may quote it.
@Suite("Shared secrets of the configuration")
struct SharedSecretSettingsTests {
  /// A secret of this many bytes.
  static func secret(_ count: Int) -> String {
    String((0..<count).map { "canary-\($0 * $0)-" }.joined().prefix(count))
  }

  /// A configuration whose issuer `partner` signs with these algorithms.
  static func configuration(keys: String, algorithms: String = #""HS256""#) -> String {
    #"{"issuers":[{"issuer":"partner","audiences":["api"],"algorithms":[\#(algorithms)],"keys":{\#(keys)}}]}"#
  }

  static let fromVariable = #""secret":{"environment":"SECRET"}"#
  static let fromFile = #""secret":{"file":"secret.txt"}"#

  static func source(_ configuration: String, variable: String? = nil, file: InMemorySource.File? = nil)
    -> InMemorySource
  {
    var source = InMemorySource(variables: ["AUTHORIZER_CONFIG": configuration])
    source.variables["SECRET"] = variable
    source.files["secret.txt"] = file
    source.files["keys.json"] = .text("{}")
    return source
  }

  /// The problems of an entry, with paths relative to the entry; none may contain the canary.
  static func problems(_ source: InMemorySource) -> [String] {
    let problems = SettingsRefusalTests.problems(source)
    for problem in problems { #expect(!problem.lowercased().contains("canary")) }
    return problems.map { $0.hasPrefix("issuers[0].") ? String($0.dropFirst("issuers[0].".count)) : $0 }
  }

  // MARK: Length and encoding

  static let lengths: [(algorithms: String, most: String, minimum: Int)] = [
    (#""HS256""#, "HS256", 32), (#""HS384""#, "HS384", 48), (#""HS512""#, "HS512", 64),
    (#""HS256","HS384""#, "HS384", 48), (#""HS256","HS512","HS384""#, "HS512", 64),
  ]

  @Test("a secret is at least as long as the digest of each algorithm", arguments: lengths)
  func length(algorithms: String, most: String, minimum: Int) {
    for count in [1, minimum - 1, minimum, minimum + 1, 1000] {
      let isLongEnough = count >= minimum
      let problem = "keys.secret: \(count) bytes are too few for \(most), which needs \(minimum)"
      let secret = Self.secret(count)
      let inVariable = Self.configuration(keys: Self.fromVariable, algorithms: algorithms)
      #expect(
        Self.problems(Self.source(inVariable, variable: secret)) == (isLongEnough ? [] : [problem]))
      let inFile = Self.configuration(keys: Self.fromFile, algorithms: algorithms)
      #expect(
        Self.problems(Self.source(inFile, file: .text(secret))) == (isLongEnough ? [] : [problem]))
    }
  }

  static let tooFew = "keys.secret: 31 bytes are too few for HS256, which needs 32"

  static let ends: [(end: String, isDropped: Bool)] = [
    ("\n", true), ("\r\n", true), ("", true), ("\r", false), (" ", false), ("\n\n", false), ("\n\r", false),
  ]

  @Test("one final newline of a file is not part of the secret", arguments: ends)
  func finalNewline(end: String, isDropped: Bool) {
    let file = InMemorySource.File.text(Self.secret(31) + end)
    let configuration = Self.configuration(keys: Self.fromFile)
    #expect(Self.problems(Self.source(configuration, file: file)) == (isDropped ? [Self.tooFew] : []))
  }

  @Test("a variable is used unchanged, including a final newline")
  func variableAsItIs() {
    let source = Self.source(
      Self.configuration(keys: Self.fromVariable), variable: Self.secret(31) + "\n")
    #expect(Self.problems(source) == [])
  }

  static let notBase64 = #"keys.secret: not base64 (RFC 4648 section 4), although "encoding" is "base64""#

  /// The expected problem of a secret in base64. 32 bytes are 43 characters and one of padding.
  static let encodings: [(text: String, problem: String?)] = [
    (letters(43) + "=", nil), (letters(43), nil), (letters(44), nil),
    (letters(20) + "\n" + letters(23) + "=\n", nil),
    (letters(20) + "\r\n" + letters(23), nil), (String(repeating: "+/", count: 16) + letters(12), nil),
    (letters(42) + "==", tooFew), (letters(42), tooFew),
    // Padding that does not complete the last group, or is elsewhere.
    (letters(43) + "==", notBase64), (letters(44) + "=", notBase64), (letters(42) + "=", notBase64),
    (letters(40) + "====", notBase64), (letters(40) + "=" + letters(3), notBase64),
    ("=" + letters(43), notBase64),
    // A group of one character; bits beyond the last byte (RFC 4648 section 3.5).
    (letters(45), notBase64), (letters(42) + "B", notBase64), (letters(42) + "B=", notBase64),
    // Other alphabets.
    (letters(42) + "-_", notBase64), (letters(22) + " " + letters(21) + "=", notBase64),
    (letters(43) + "\u{E9}", notBase64), ("canary, canary, canary, canary, canary!!", notBase64),
  ]

  /// Returns this many base64 characters; if there are more than twelve, the last one has no bits set.
  static func letters(_ count: Int) -> String {
    String(("BCDEFGHIJKLM" + String(repeating: "A", count: count)).prefix(count))
  }

  @Test("a secret in base64, with or without padding", arguments: encodings)
  func base64(text: String, problem: String?) {
    let member = #""environment":"SECRET""#
    let configuration = Self.configuration(keys: #""secret":{\#(member),"encoding":"base64"}"#)
    #expect(Self.problems(Self.source(configuration, variable: text)) == (problem.map { [$0] } ?? []))
    let inFile = Self.configuration(keys: #""secret":{"file":"secret.txt","encoding":"base64"}"#)
    #expect(Self.problems(Self.source(inFile, file: .text(text + "\n"))) == (problem.map { [$0] } ?? []))
  }

  @Test(
    "text that looks like base64 is text unless encoding is base64", arguments: ["", #","encoding":"text""#])
  func text(_ encoding: String) {
    let configuration = Self.configuration(keys: #""secret":{"environment":"SECRET"\#(encoding)}"#)
    #expect(Self.problems(Self.source(configuration, variable: Self.letters(32))) == [])
    #expect(Self.problems(Self.source(configuration, variable: Self.letters(31))) == [Self.tooFew])
  }

  static let pem = "keys.secret: a PEM file is a public or private key, not a secret"

  @Test("a public key is refused as a secret, against algorithm confusion")
  func publicKey() throws {
    let text = try #require(try SigningKey.generate(.rs256, id: "canary").publicKeyPEM())
    let inVariable = Self.configuration(keys: Self.fromVariable)
    let inFile = Self.configuration(keys: Self.fromFile)
    for text in [
      text, " \r\n\t" + text, "-----BEGIN RSA PRIVATE KEY-----\ncanary", "-----BEGIN CERTIFICATE-----",
    ] {
      #expect(Self.problems(Self.source(inVariable, variable: text)) == [Self.pem])
      #expect(Self.problems(Self.source(inFile, file: .text(text))) == [Self.pem])
    }
    let encoded = Self.configuration(keys: #""secret":{"environment":"SECRET","encoding":"base64"}"#)
    // base64 of "-----BEGIN PUBLIC KEY-----\n" and a line of letters.
    let inBase64 = "LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0K" + Self.letters(32)
    #expect(Self.problems(Self.source(encoded, variable: inBase64)) == [Self.pem])
  }

  // MARK: Source of the secret

  static let unset = "keys.secret.environment: the variable is unset or empty"
  static let either = #"keys.secret: either "environment" or "file" is expected"#
  static let string = ": a non-empty string is expected"

  static let places: [(secret: String, problems: [String])] = [
    (#"{"environment":"EMPTY"}"#, [unset]), (#"{"environment":"UNSET"}"#, [unset]),
    // The secret itself in place of a name.
    (#"{"environment":"canary-canary-canary-canary-canary"}"#, [unset]),
    (#"{"environment":"CANARYCANARY"}"#, [unset]),
    (#"{"file":"canary-canary-canary-canary-canary"}"#, ["keys.secret.file: no such file"]),
    (#"{"file":"folder"}"#, ["keys.secret.file: it is a directory"]),
    (#"{"file":"closed.txt"}"#, ["keys.secret.file: permission denied"]),
    (#"{"file":"large.txt"}"#, ["keys.secret.file: larger than 16384 bytes"]),
    (#"{"file":"empty.txt"}"#, ["keys.secret: 0 bytes are too few for HS256, which needs 32"]),
    (#"{"environment":"SECRET","file":"secret.txt"}"#, [either]), ("{}", [either]),
    (#"{"encoding":"text"}"#, [either]),
    (#"{"environment":5}"#, ["keys.secret.environment" + string]),
    (#"{"file":""}"#, ["keys.secret.file" + string]),
    (
      #"{"environment":"SECRET","encoding":"base64url"}"#,
      ["keys.secret.encoding: one of text, base64 is expected"]
    ),
    (
      #"{"environment":"UNSET","encoding":5}"#,
      ["keys.secret.encoding: one of text, base64 is expected", unset]
    ),
    (
      #"{"variable":"SECRET","environmen":"SECRET"}"#,
      [
        "keys.secret.variable: unknown member",
        #"keys.secret.environmen: unknown member, did you mean "environment"?"#, either,
      ]
    ),
    (#""canary-canary-canary-canary-canary""#, ["keys.secret: an object is expected"]),
    ("null", ["keys.secret: an object is expected"]),
    (#"["canary"]"#, ["keys.secret: an object is expected"]),
  ]

  @Test("a secret comes from a variable or a file, and no message quotes either", arguments: places)
  func place(secret: String, problems: [String]) {
    var source = Self.source(
      Self.configuration(keys: #""secret":\#(secret)"#), variable: Self.secret(32),
      file: .text(Self.secret(32)))
    source.variables["EMPTY"] = ""
    source.files["folder"] = .failure(.unreadable(errno: 21))
    source.files["closed.txt"] = .failure(.unreadable(errno: 13))
    source.files["large.txt"] = .blank((16 << 10) + 1)
    source.files["empty.txt"] = .text("")
    #expect(Self.problems(source) == problems)
  }

  // MARK: Other members

  static let notHMAC = "keys.secret: a secret can be used only with HS256, HS384 or HS512"
  static let mixed = "algorithms: HMAC and public-key algorithms cannot be mixed"
  static let alone = #"keys: a "secret" excludes "url", "seed" and "pinned"; remove them"#
  static let needed = #"keys: HMAC algorithms need a "secret"; it never comes from a key set"#
  static let preset =
    #"keys.secret: presets are for issuers with public keys; replace the preset by "issuer" and "algorithms""#
  static let url = #""url":"https://id.example.com/jwks""#
  static let partner = #""issuer":"partner","audiences":["a"]"#
  static let hs256 = partner + #","algorithms":["HS256"]"#

  static let companies: [(entry: String, keys: String, problems: [String])] = [
    (hs256, fromVariable, []), (hs256, #"\#(fromVariable),"pinned":false"#, []),
    (hs256, "\(fromVariable),\(url)", [alone]), (hs256, #"\#(fromVariable),"seed":"keys.json""#, [alone]),
    (hs256, #"\#(fromVariable),"pinned":true"#, [alone]),
    (hs256, #""secret":{"environment":"UNSET"},\#(url)"#, [alone, unset]),
    (hs256, #"\#(fromVariable),"url":5"#, ["keys.url" + string, alone]),
    // A secret for public-key algorithms, and no secret for HMAC.
    (partner + #","algorithms":["RS256"]"#, fromVariable, [notHMAC]),
    (partner + #","algorithms":["ES256","EdDSA"]"#, #""secret":{"environment":"UNSET"}"#, [notHMAC, unset]),
    (partner + #","algorithms":["HS256","RS256"]"#, fromVariable, [mixed]),
    (partner + #","algorithms":["RS256","HS256"]"#, #""secret":{"environment":"UNSET"}"#, [mixed, unset]),
    (hs256, url, [needed]), (hs256, #""seed":"keys.json","pinned":true"#, [needed]), (hs256, "", [needed]),
    (hs256, #""secret":5"#, ["keys.secret: an object is expected"]),
    // Algorithms that cannot be read cause no problem of the secret.
    (
      partner + #","algorithms":"HS256""#, fromVariable,
      ["algorithms: a non-empty list of non-empty strings is expected"]
    ),
    (partner, fromVariable, ["algorithms: missing: the algorithms that this issuer signs with"]),
    (#""preset":"rfc9068",\#(hs256)"#, fromVariable, []),
    // Presets fix public-key algorithms.
    (#""preset":"apple","audiences":["a"]"#, fromVariable, [preset]),
    (#""preset":"supabase:abcdefghijklmnopqrst""#, #""secret":{"environment":"UNSET"}"#, [preset]),
    (#""preset":"apple","audiences":["a"]"#, "\(fromVariable),\(url)", [alone, preset]),
    (
      #""preset":"apple","audiences":["a"],"algorithms":["HS256"]"#, fromVariable,
      ["algorithms: fixed by the preset", preset]
    ),
    (
      #""preset":"keycloak","audiences":["a"]"#, fromVariable,
      ["preset: unknown preset; one of \(KeySeedTests.presets) is expected", preset]
    ),
    // An issuer with a secret may have any name, but a URL must be a valid https address.
    (
      #""issuer":"http://partner.example.com","audiences":["a"],"algorithms":["HS256"]"#, fromVariable,
      [https]
    ),
    (#""issuer":"HTTPS://localhost","audiences":["a"],"algorithms":["HS256"]"#, fromVariable, [https]),
    (
      #""issuer":"https://localhost","audiences":["a"],"algorithms":["HS256"]"#, fromVariable,
      ["issuer: " + IssuerRefusalTests.loopback("localhost")]
    ),
    (#""issuer":"https://partner.example.com","audiences":["a"],"algorithms":["HS256"]"#, fromVariable, []),
    (#""issuer":"httpbin","audiences":["a"],"algorithms":["HS256"]"#, fromVariable, []),
    (#""issuer":"https","audiences":["a"],"algorithms":["HS256"]"#, fromVariable, []),
  ]
  static let https = "issuer: " + IssuerRefusalTests.https

  @Test("a secret requires HMAC, and HMAC requires a secret", arguments: companies)
  func company(entry: String, keys: String, problems: [String]) {
    let text = #"{"issuers":[{\#(entry),"keys":{\#(keys)}}]}"#
    #expect(Self.problems(Self.source(text, variable: Self.secret(32))) == problems)
  }

  @Test("HMAC without keys requires a secret")
  func withoutKeys() {
    let text = #"{"issuers":[{\#(Self.hs256)}]}"#
    #expect(Self.problems(Self.source(text)) == [#"keys: missing: HMAC algorithms need a "secret""#])
  }

  @Test("names of issuers with secrets are compared by bytes")
  func names() {
    let entry = { (issuer: String) in
      #"{"issuer":"\#(issuer)","audiences":["a"],"algorithms":["HS256"],"keys":{\#(Self.fromVariable)}}"#
    }
    let problems = { (first: String, second: String) in
      Self.problems(
        Self.source(#"{"issuers":[\#(entry(first)),\#(entry(second))]}"#, variable: Self.secret(32)))
    }
    #expect(problems(#"\u00E9"#, #"e\u0301"#) == [])
    #expect(
      problems("partner", "partner") == [
        "issuers[1]: another entry has the issuer partner", "issuers[1]: another entry has the name partner",
      ])
  }
}
