import JSON
import TestTokens
import Testing

@testable import JOSE

/// Attacks through the JSON of header and payload, rows A10 to A18 of the catalog.
@Suite("A. JSON in tokens")
struct JSONAttackTests {
  @Test(
    "A10 b64 is refused with any value, critical or not", arguments: ["true", "false", "null", "\"false\""])
  func unencodedPayload(value: String) throws {
    try Forgery(
      value, header: TokenForge.header(adding: #""b64":\#(value)"#),
      .malformedToken(.unsupportedHeaderMember("b64"))
    ).check()
    try Forgery(
      "critical", header: TokenForge.header(adding: #""b64":\#(value),"crit":["b64"]"#),
      .malformedToken(.unsupportedHeaderMember("crit"))
    ).check()
  }

  @Test(
    "A11 a key in the token's header is never used",
    arguments: ["jwk", "jku", "x5u", "x5c", "x5t", "x5t#S256"])
  func embeddedKey(member: String) throws {
    let keys = try TestKeys.made()
    let jwk = try #require(keys.attackerRSA.publicJWK)
    let value =
      switch member {
      case "jwk": String(decoding: jwk.bytes(), as: UTF8.self)
      case "x5c": #"["MIIB"]"#
      default: #""https://attacker.example/keys""#
      }
    let addition = #""\#(member)":\#(value)"#
    for (kid, rejection) in [("rsa", TokenRejection.signatureMismatch), ("attacker", .unknownKey)] {
      let text = try TokenForge.token(
        header: TokenForge.header(kid: kid, adding: addition), key: keys.attackerRSA)
      #expect(try Gatekeeper.standard().verdict(on: text).rejection == rejection)
    }
    try Forgery("the issuer's own signature is accepted", header: TokenForge.header(adding: addition), nil)
      .check()
  }

  @Test(
    "A12 kid is 1 to 256 printable bytes",
    arguments: [
      "1", "null", "true", "[\"rsa\"]", "{}", "\"\"", "\"rsa\\u0000\"", "\"r\\nsa\"", "\"rs\u{e4}\"",
      "\"\u{7f}\"",
    ])
  func malformedKeyID(value: String) throws {
    try Forgery(value, header: #"{"alg":"RS256","kid":\#(value)}"#, .malformedToken(.headerMember("kid")))
      .check()
    let long = String(repeating: "k", count: 257)
    try Forgery("257 bytes", header: TokenForge.header(kid: long), .malformedToken(.headerMember("kid")))
      .check()
  }

  @Test(
    "A12 kid is only compared, never interpreted",
    arguments: [
      "../../../../dev/null", "' OR '1'='1", "__proto__", "constructor", "RSA", "rsa ", " rsa", "rs", "rsaa",
      "https://attacker.example/key", "$(id)", String(repeating: "k", count: 256),
    ])
  func injectedKeyID(kid: String) throws {
    try Forgery(kid, header: TokenForge.header(kid: kid), .unknownKey).check()
    let key = try #require(TestKeys.made().rsa.publicJWK)
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(),
      keys: try Gatekeeper.keySet([key.with([("kid", .string(kid))])]))
    try Forgery("published with this kid", header: TokenForge.header(kid: kid), nil).check(gatekeeper)
  }

  static let duplicates: [Forgery] = [
    duplicate(in: .header, TokenForge.header(adding: #""alg":"none""#), at: #""alg":"none""#),
    duplicate(in: .header, TokenForge.header(adding: #""\u0061lg":"none""#), at: #""\u0061lg""#),
    duplicate(in: .header, TokenForge.header(adding: #""x":{"y":1,"y":1}"#), at: #""y":1}"#),
    duplicate(in: .payload, TokenForge.claims([("sub", #""u1","sub":"u2""#)]), at: #""sub":"u2""#),
    duplicate(in: .payload, TokenForge.claims([("x", #"[{"a":1,"\u0061":1}]"#)]), at: #""\u0061""#),
  ]

  private static func duplicate(in segment: TokenFlaw.Segment, _ text: String, at second: String) -> Forgery {
    let flaw = TokenFlaw.json(
      segment, .duplicateName(offset: TokenForge.lastOffset(of: second, in: text)))
    return segment == .header
      ? Forgery(text, header: text, .malformedToken(flaw))
      : Forgery(text, claims: text, .malformedToken(flaw))
  }

  @Test("A13 duplicate names are refused at any depth, escaped or not", arguments: duplicates)
  func duplicateNames(forgery: Forgery) throws { try forgery.check() }

  @Test(
    "A14 names are compared byte for byte",
    arguments: [
      Forgery("ALG", header: #"{"ALG":"RS256","kid":"rsa"}"#, .malformedToken(.headerMember("alg"))),
      Forgery("Exp", claims: TokenForge.claims([("exp", nil), ("Exp", "9999999999")]), .missingClaim("exp")),
      Forgery("ISS", claims: TokenForge.claims([("iss", nil), ("ISS", "\"x\"")]), .missingClaim("iss")),
      Forgery("AUD in addition to aud", claims: TokenForge.claims([("AUD", "\"other\"")]), nil),
    ])
  func caseOfNames(forgery: Forgery) throws { try forgery.check() }

  static let brokenTexts: [(name: String, bytes: [UInt8], error: JSONError)] = [
    ("byte order mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8), .byteOrderMark),
    ("UTF-16", [0x7B, 0x00, 0x7D, 0x00], .unexpectedByte(0, offset: 1)),
    ("UTF-32", [0x00, 0x00, 0x00, 0x7B], .unexpectedByte(0, offset: 0)),
    ("overlong", Array(#"{"a":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8), .invalidUTF8(offset: 6)),
    (
      "surrogate in UTF-8", Array(#"{"a":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8),
      .invalidUTF8(offset: 6)
    ),
    ("stray continuation", Array(#"{"a":""#.utf8) + [0x80] + Array(#""}"#.utf8), .invalidUTF8(offset: 6)),
    ("truncated", Array(#"{"a":""#.utf8) + [0xE2, 0x82] + Array(#""}"#.utf8), .invalidUTF8(offset: 6)),
    (
      "beyond U+10FFFF", Array(#"{"a":""#.utf8) + [0xF4, 0x90, 0x80, 0x80] + Array(#""}"#.utf8),
      .invalidUTF8(offset: 6)
    ),
    ("lone surrogate", Array(#"{"a":"\ud800"}"#.utf8), .loneSurrogate(offset: 6)),
    ("raw NUL", Array("{\"a\":\"\u{0}\"}".utf8), .controlCharacter(offset: 6)),
    ("raw newline", Array("{\"a\":\"\n\"}".utf8), .controlCharacter(offset: 6)),
    ("unknown escape", Array(#"{"a":"\x41"}"#.utf8), .invalidEscape(offset: 6)),
  ]

  @Test("A15 strict UTF-8 in header and payload", arguments: 0..<brokenTexts.count)
  func encodings(index: Int) throws {
    let (name, bytes, error) = Self.brokenTexts[index]
    try Forgery(name, header: bytes, .malformedToken(.json(.header, error))).check()
    try Forgery(name, payload: bytes, .malformedToken(.json(.payload, error))).check()
  }

  @Test(
    "A15 NUL is refused in compared values; other texts are compared as bytes",
    arguments: [
      Forgery(
        "iss", claims: TokenForge.claims([("iss", #""https://id.example.com\u0000""#)]),
        .malformedClaim("iss")),
      Forgery("aud", claims: TokenForge.claims([("aud", #""api\u0000""#)]), .malformedClaim("aud")),
      Forgery(
        "aud member", claims: TokenForge.claims([("aud", #"["api","\u0000"]"#)]), .malformedClaim("aud")),
      Forgery("alg", header: TokenForge.header(#"RS256\u0000"#), .algorithmNotAllowed(found: "RS256\0")),
      Forgery("a good value with an escape", claims: TokenForge.claims([("aud", #""\u0061pi""#)]), nil),
    ])
  func nulCharacters(forgery: Forgery) throws { try forgery.check() }

  @Test("A15 Unicode equivalence is not equality")
  func canonicalEquivalence() throws {
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(audience: .audience(["caf\u{e9}"])),
      keys: try Gatekeeper.standard().keys)
    try Forgery("composed", claims: TokenForge.claims([("aud", "\"caf\u{e9}\"")]), nil).check(gatekeeper)
    let decomposed = "cafe\u{301}"
    let verdict = try gatekeeper.verdict(
      on: TokenForge.token(claims: TokenForge.claims([("aud", "\"\(decomposed)\"")])))
    guard case .wrongAudience(let found)? = verdict.rejection else {
      Issue.record("\(String(describing: verdict.rejection))")
      return
    }
    #expect(found.map { Array($0.utf8) } == [Array(decomposed.utf8)])
  }

  @Test("A16 at most 16 levels and 256 members")
  func depthAndMembers() throws {
    func nested(_ levels: Int) -> String {
      // The payload itself is the first level.
      TokenForge.claims([
        ("x", String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1))
      ])
    }
    try Forgery("16 levels", claims: nested(16), nil).check()
    let deep = nested(17)
    let offset = TokenForge.lastOffset(of: "[]", in: deep)
    try Forgery(
      "17 levels", claims: deep, .malformedToken(.json(.payload, .tooDeep(limit: 16, offset: offset)))
    ).check()

    func wide(_ members: Int) -> String {
      TokenForge.claims((0..<members - 5).map { ("m\($0)", "0") })
    }
    try Forgery("256 members", claims: wide(256), nil).check()
    let many = wide(257)
    let last = TokenForge.lastOffset(of: "\"m251\"", in: many)
    try Forgery(
      "257 members", claims: many,
      .malformedToken(.json(.payload, .tooManyMembers(limit: 256, offset: last)))
    ).check()
  }

  @Test("A16 deep nesting does not use the stack")
  func hostileNesting() throws {
    let payload = [UInt8](repeating: 0x5B, count: 10_000)
    try Forgery(
      "10,000 levels", payload: payload, .malformedToken(.json(.payload, .tooDeep(limit: 16, offset: 16)))
    ).check()
  }

  @Test(
    "A17 the text must be exactly one object",
    arguments: [
      ("{}{}", TokenFlaw.json(.payload, .trailingBytes(offset: 2))),
      ("{},", .json(.payload, .trailingBytes(offset: 2))),
      ("{} x", .json(.payload, .trailingBytes(offset: 3))),
      ("{}\u{0}", .json(.payload, .trailingBytes(offset: 2))),
      ("[]", .notAnObject(.payload)), ("\"{}\"", .notAnObject(.payload)), ("1", .notAnObject(.payload)),
      ("null", .notAnObject(.payload)), ("true", .notAnObject(.payload)),
      (" ", .json(.payload, .unexpectedEnd(offset: 1))),
      ("{\"a\":1,}", .json(.payload, .unexpectedByte(0x7D, offset: 7))),
      ("{\"a\":01}", .json(.payload, .invalidNumber(offset: 5))),
      ("{a:1}", .json(.payload, .unexpectedByte(0x61, offset: 1))),
      ("{'a':1}", .json(.payload, .unexpectedByte(0x27, offset: 1))),
      ("{\"a\":NaN}", .json(.payload, .unexpectedByte(0x4E, offset: 5))),
      ("{}/**/", .json(.payload, .trailingBytes(offset: 2))),
    ])
  func oneObject(text: String, flaw: TokenFlaw) throws {
    try Forgery(text, claims: text, .malformedToken(flaw)).check()
    try Forgery("white space around", claims: " \t\r\n" + TokenForge.goodClaims + "\n ", nil).check()
  }

  @Test(
    "A18 a time is a JSON number from 0 to the end of the year 9999",
    arguments: [
      "\"1800000600\"", "true", "null", "[]", "{}", "-1", "-0.5", "1e999", "253402300800", "1e308",
      "9223372036854775808",
    ])
  func numericDates(value: String) throws {
    for name in ["exp", "nbf", "iat"] {
      try Forgery(value, claims: TokenForge.claims([(name, value)]), .malformedClaim(name)).check()
    }
  }

  @Test(
    "A18 integer, fraction and exponent forms of a number are equal",
    arguments: ["1800000600", "1800000600.0", "1.8000006e9", "18000006E2"])
  func spellingsOfDates(value: String) throws {
    try Forgery(value, claims: TokenForge.claims([("exp", value)]), nil).check()
    let verdict = try Gatekeeper.standard().verdict(
      on: TokenForge.token(claims: TokenForge.claims([("exp", value)])))
    #expect(verdict.token?.expiresAt == 1_800_000_600)
  }
}
