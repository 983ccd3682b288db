import JSON
import TestTokens
import Testing

@testable import JOSE

/// Attacks through claims: rows C1 to C5 and C11 to C13 of the catalog, and the parts of C14 to C16 that concern JOSE.
/// Times (C6 to C10) are in `TimeTests`.
@Suite("C. Claims and profiles")
struct ClaimAttackTests {
  private static func claims(_ name: String, _ value: String?) -> String {
    TokenForge.claims([(name, value)])
  }

  @Test("a path of two members is not the name with a period")
  func paths() throws {
    let path = try #require(ClaimPath("user.name"))
    #expect(path != ClaimPath(name: "user.name"))
    #expect(path == ClaimPath("user.name"))
  }

  @Test(
    "C1 iss is compared byte for byte",
    arguments: [
      "https://id.example.com/", "https://id.example.co", "https://id.example.com.attacker.example",
      "https://ID.example.com", "HTTPS://id.example.com", "http://id.example.com", "id.example.com",
      "https://id.example.com:443", " https://id.example.com", "https://id.example.com ",
      "https://id.example.com#",
      "https://id.example.com/../", "https://id.example.c\u{f6}m", "",
    ])
  func issuers(issuer: String) throws {
    let forgery = Forgery(issuer, claims: Self.claims("iss", "\"\(issuer)\""), .wrongIssuer(found: issuer))
    try forgery.check()
    #expect(try Gatekeeper.standard().verdict(on: forgery.token()).signatureChecks == 0)
  }

  @Test("C1 an issuer with a slash differs from the issuer without it")
  func trailingSlash() throws {
    let profile = try IssuerProfile(
      name: "slash", issuers: ["https://id.example.com/"], audience: .audience(["api"]), algorithms: [.rs256])
    let gatekeeper = Gatekeeper(profile: profile, keys: try Gatekeeper.standard().keys)
    try Forgery("with", claims: Self.claims("iss", "\"https://id.example.com/\""), nil).check(gatekeeper)
    try Forgery("without", .wrongIssuer(found: TokenForge.issuer)).check(gatekeeper)
  }

  @Test(
    "C2 iss is one string",
    arguments: [
      "[\"https://id.example.com\"]", "null", "1", "true", "{}", "{\"0\":\"https://id.example.com\"}",
    ])
  func issuerTypes(value: String) throws {
    try Forgery(value, claims: Self.claims("iss", value), .malformedClaim("iss")).check()
    try Forgery("absent", claims: Self.claims("iss", nil), .missingClaim("iss")).check()
  }

  @Test("C3 keys of one issuer do not verify tokens of another issuer")
  func keysOfAnotherIssuer() throws {
    let keys = try TestKeys.made()
    let other = try IssuerProfile(
      name: "other", issuers: ["https://other.example"], audience: .audience(["api"]), algorithms: [.rs256])
    // Both keys have the same kid, so only the issuer distinguishes them.
    let sets = [
      try Gatekeeper.keySet([try #require(keys.rsa.publicJWK)]),
      try Gatekeeper.keySet([try #require(keys.attackerRSA.publicJWK)]),
    ]
    var verifier = TokenVerifier(profiles: [try Gatekeeper.profile(), other])
    for (issuer, signer, isGood) in [
      (TokenForge.issuer, keys.rsa, true), (TokenForge.issuer, keys.attackerRSA, false),
      ("https://other.example", keys.attackerRSA, true), ("https://other.example", keys.rsa, false),
    ] {
      let text = try TokenForge.token(claims: Self.claims("iss", "\"\(issuer)\""), key: signer)
      let candidate = try verifier.candidate(try UnverifiedToken(parsing: text), at: TokenForge.now)
      #expect(candidate.issuer.position == (issuer == TokenForge.issuer ? 0 : 1))
      let key = try #require(sets[candidate.issuer.position].key(for: candidate.token.header))
      if isGood {
        let token = try verifier.verify(candidate, with: key, at: TokenForge.now)
        #expect(token.issuerName == candidate.profile.name)
      } else {
        #expect(throws: TokenRejection.signatureMismatch) {
          try verifier.verify(candidate, with: key, at: TokenForge.now)
        }
      }
    }
  }

  @Test("C4 an issuer without audience, issuer or algorithm cannot be configured")
  func emptyChecks() {
    #expect(throws: IssuerProfile.Flaw.noAudience) { try Gatekeeper.profile(audience: .audience([])) }
    #expect(throws: IssuerProfile.Flaw.noAudience) {
      try Gatekeeper.profile(audience: .audience(["api", ""]))
    }
    #expect(throws: IssuerProfile.Flaw.noAudience) { try Gatekeeper.profile(audience: .clientID([])) }
    #expect(throws: IssuerProfile.Flaw.noAlgorithm) { try Gatekeeper.profile(algorithms: []) }
    #expect(throws: IssuerProfile.Flaw.noType) { try Gatekeeper.profile(types: .required([])) }
    for issuers in [[], [""], ["https://id.example.com", ""]] {
      #expect(throws: IssuerProfile.Flaw.noIssuer) {
        try IssuerProfile(name: "", issuers: issuers, audience: .audience(["api"]), algorithms: [.rs256])
      }
    }
  }

  static let audiences: [(value: String?, rejection: TokenRejection?)] = [
    ("\"api\"", nil), ("[\"api\"]", nil), ("[\"other\",\"api\"]", nil), ("[\"api\",\"api\"]", nil),
    (nil, .missingClaim("aud")), ("null", .malformedClaim("aud")), ("[]", .malformedClaim("aud")),
    ("{}", .malformedClaim("aud")), ("1", .malformedClaim("aud")), ("true", .malformedClaim("aud")),
    ("[\"api\",1]", .malformedClaim("aud")), ("[null,\"api\"]", .malformedClaim("aud")),
    ("[[\"api\"]]", .malformedClaim("aud")), ("[{\"api\":\"api\"}]", .malformedClaim("aud")),
    ("\"\"", .wrongAudience(found: [""])), ("[\"\"]", .wrongAudience(found: [""])),
    ("\"ap\"", .wrongAudience(found: ["ap"])), ("\"apis\"", .wrongAudience(found: ["apis"])),
    ("\"API\"", .wrongAudience(found: ["API"])), ("\"api other\"", .wrongAudience(found: ["api other"])),
    ("\"api,other\"", .wrongAudience(found: ["api,other"])), ("\" api\"", .wrongAudience(found: [" api"])),
    ("[\"other\",\"another\"]", .wrongAudience(found: ["other", "another"])),
  ]

  @Test("C4 aud contains a configured audience, as a string or in an array", arguments: 0..<audiences.count)
  func audience(index: Int) throws {
    let (value, rejection) = Self.audiences[index]
    try Forgery(value ?? "absent", claims: Self.claims("aud", value), rejection).check()
  }

  @Test("C4 client_id replaces aud only if the profile requires it")
  func clientID() throws {
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(audience: .clientID(["app"])), keys: try Gatekeeper.standard().keys)
    func claims(_ value: String?) -> String { TokenForge.claims([("aud", nil), ("client_id", value)]) }
    try Forgery("good", claims: claims("\"app\""), nil).check(gatekeeper)
    try Forgery("other", claims: claims("\"apps\""), .wrongAudience(found: ["apps"])).check(gatekeeper)
    try Forgery("list", claims: claims("[\"app\"]"), .malformedClaim("client_id")).check(gatekeeper)
    try Forgery("absent", claims: claims(nil), .missingClaim("client_id")).check(gatekeeper)
    try Forgery("in aud", claims: Self.claims("aud", "\"app\""), .missingClaim("client_id")).check(gatekeeper)
    try Forgery("no aud", claims: claims("\"api\""), .missingClaim("aud")).check()
  }

  static let parties: [(audience: String, party: String?, rejection: TokenRejection?)] = [
    ("[\"api\",\"other\"]", "\"api\"", nil), ("[\"api\",\"other\"]", nil, nil),
    ("[\"api\",\"other\"]", "\"other\"", .wrongAudience(found: ["other"])),
    ("[\"api\",\"other\"]", "\"\"", .wrongAudience(found: [""])),
    ("[\"api\",\"other\"]", "[\"api\"]", .malformedClaim("azp")), ("\"api\"", "1", .malformedClaim("azp")),
    // Google sets azp to the Android client and aud to the server's client.
    ("\"api\"", "\"mobile\"", nil), ("[\"api\"]", "\"mobile\"", nil),
  ]

  @Test("C5 with several audiences, azp must be a configured audience", arguments: 0..<parties.count)
  func authorizedParty(index: Int) throws {
    let (audience, party, rejection) = Self.parties[index]
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(rules: [.authorizedParty]), keys: try Gatekeeper.standard().keys)
    try Forgery(audience, claims: TokenForge.claims([("aud", audience), ("azp", party)]), rejection).check(
      gatekeeper)
  }

  @Test("C11 claims that distinguish kinds of token")
  func kinds() throws {
    let rules: [(ClaimRule, String?, TokenRejection?)] = [
      (.equals("token_use", "access"), "\"access\"", nil),
      (.equals("token_use", "access"), "\"id\"", .wrongType(found: "id")),
      (.equals("token_use", "access"), "\"Access\"", .wrongType(found: "Access")),
      (.equals("token_use", "access"), "[\"access\"]", .malformedClaim("token_use")),
      (.equals("token_use", "access"), nil, .missingClaim("token_use")),
      (.absent("token_use"), nil, nil), (.absent("token_use"), "null", .wrongType(found: "token_use")),
      (.absent("token_use"), "\"\"", .wrongType(found: "token_use")),
      (.present("token_use"), nil, .missingClaim("token_use")), (.present("token_use"), "null", nil),
      (.atMostBytes("token_use", 3), "\"abc\"", nil),
      (.atMostBytes("token_use", 3), "\"abcd\"", .malformedClaim("token_use")),
      (.atMostBytes("token_use", 3), "\"\u{e9}\u{e9}\"", .malformedClaim("token_use")),
      (.atMostBytes("token_use", 3), nil, .missingClaim("token_use")),
      (.inPast("token_use"), "\(TokenForge.now)", nil),
      (
        .inPast("token_use"), "\(TokenForge.now + 1)",
        .issuedInFuture(at: TokenForge.now + 1, now: TokenForge.now)
      ),
      (.inPast("token_use"), "\"1\"", .malformedClaim("token_use")),
      (.inPast("token_use"), nil, .missingClaim("token_use")),
    ]
    for (rule, value, rejection) in rules {
      let gatekeeper = Gatekeeper(
        profile: try Gatekeeper.profile(rules: [rule]), keys: try Gatekeeper.standard().keys)
      try Forgery("\(rule)", claims: Self.claims("token_use", value), rejection).check(gatekeeper)
    }
  }

  static let types: [(rule: IssuerProfile.TypeRule, type: String?, found: String?)] = [
    (.standard, nil, nil), (.standard, "JWT", nil), (.standard, "jwt", nil), (.standard, "at+jwt", nil),
    (.standard, "application/at+jwt", nil), (.standard, "APPLICATION/AT+JWT", nil),
    (.standard, "application/jwt", nil),
    (.standard, "", ""), (.standard, "JOSE", "JOSE"), (.standard, "JWTX", "JWTX"), (.standard, "JW", "JW"),
    (.standard, "dpop+jwt", "dpop+jwt"), (.standard, "logout+jwt", "logout+jwt"),
    (.standard, "secevent+jwt", "secevent+jwt"), (.standard, "text/jwt", "text/jwt"),
    (.standard, "application/", "application/"),
    (.standard, "application/application/jwt", "application/application/jwt"),
    (.ifPresent(["JWT"]), "at+jwt", "at+jwt"), (.ifPresent(["JWT"]), nil, nil),
    (.required(["at+jwt"]), nil, ""), (.required(["at+jwt"]), "JWT", "JWT"),
    (.required(["at+jwt"]), "at+jwt", nil),
    (.required(["application/at+jwt"]), "at+jwt", nil), (.required(["at+jwt"]), "Application/AT+jwt", nil),
  ]

  @Test(
    "C12 typ is compared as a media type, ignoring case and application/", arguments: 0..<types.count)
  func type(index: Int) throws {
    let (rule, type, found) = Self.types[index]
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(types: rule), keys: try Gatekeeper.standard().keys)
    let header = TokenForge.header(adding: type.map { #""typ":"\#($0)""# } ?? "")
    try Forgery(type ?? "absent", header: header, found.map { .wrongType(found: $0) }).check(gatekeeper)
    try Forgery(
      "no string", header: TokenForge.header(adding: #""typ":["JWT"]"#), .malformedToken(.headerMember("typ"))
    )
    .check(gatekeeper)
  }

  static let subjects: [(value: String?, rejection: TokenRejection?)] = [
    ("\"u1\"", nil), ("\"\(String(repeating: "s", count: 255))\"", nil), ("\"\u{e9}\"", nil),
    ("\"auth0|1\"", nil), ("\"\u{1f600} *\"", nil),
    (nil, .missingClaim("sub")), ("\"\"", .malformedClaim("sub")), ("null", .malformedClaim("sub")),
    ("1", .malformedClaim("sub")), ("[\"u1\"]", .malformedClaim("sub")),
    ("\"\(String(repeating: "s", count: 256))\"", .malformedClaim("sub")),
    ("\"\(String(repeating: "\u{e9}", count: 128))\"", .malformedClaim("sub")),
  ]

  @Test("C13 sub is a string of 1 to 255 bytes", arguments: 0..<subjects.count)
  func subject(index: Int) throws {
    let (value, rejection) = Self.subjects[index]
    try Forgery(value ?? "absent", claims: Self.claims("sub", value), rejection).check()
  }

  @Test(
    "C14 no control characters in values for policies",
    arguments: [#"\n"#, #"\r"#, #"\t"#, #"\u0000"#, #"\u001b"#, #"\u007f"#, #"\u0080"#, #"\u009f"#, "\u{85}"])
  func controlCharacters(character: String) throws {
    try Forgery(character, claims: Self.claims("sub", "\"u\(character)1\""), .malformedClaim("sub")).check()
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(principal: ClaimPath("user.name")), keys: try Gatekeeper.standard().keys
    )
    try Forgery(
      "principal", claims: Self.claims("user", "{\"name\":\"u\(character)\"}"), .malformedClaim("user.name")
    )
    .check(gatekeeper)
    try Forgery("good principal", claims: Self.claims("user", "{\"name\":\"u\u{a0}\"}"), nil).check(
      gatekeeper)
    try Forgery("no principal", claims: Self.claims("user", "{}"), .missingClaim("user.name")).check(
      gatekeeper)
    try Forgery(
      "principal through a string", claims: Self.claims("user", "\"name\""), .missingClaim("user.name")
    )
    .check(gatekeeper)
  }

  @Test("C15, C16 the code of a rejection is from a fixed list")
  func codes() throws {
    let secret = "eyJhbGciOi"
    for rejection in [
      TokenRejection.algorithmNotAllowed(found: secret), .wrongIssuer(found: secret),
      .wrongAudience(found: [secret]),
      .wrongType(found: secret), .missingClaim(secret), .malformedClaim(secret),
    ] {
      #expect(!rejection.code.rawValue.contains(secret))
    }
    let documented: Set<String> = [
      "malformedToken", "encryptedToken", "algorithmNotAllowed", "wrongIssuer", "wrongAudience", "expired",
      "lifetimeTooLong", "tooOld", "missingClaim", "malformedClaim", "wrongType", "unknownKey",
      "signatureMismatch",
      "notYetValid", "issuedInFuture", "boundToken",
    ]
    #expect(Set(TokenRejection.Code.allCases.map(\.rawValue)) == documented)
    let fingerprint = TokenVerifier(profiles: []).fingerprint(Array("abc".utf8)[...])
    // SHA-256 of "abc" begins ba7816bf (FIPS 180-2, appendix B.1).
    #expect(fingerprint == Array("ba7816bf".utf8))
  }
}
