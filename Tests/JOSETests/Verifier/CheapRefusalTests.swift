import Testing

@testable import JOSE

/// Row B19: a token that is refused for its form, size, algorithm, issuer, type or times never reaches libcrypto.
@Suite("B. Cheap refusals first")
struct CheapRefusalTests {
  private static let now = TokenForge.now

  static let cheap: [Forgery] = [
    Forgery("alg", header: TokenForge.header("none"), .algorithmNotAllowed(found: "none")),
    Forgery("HMAC", header: TokenForge.header("HS256"), .algorithmNotAllowed(found: "HS256")),
    Forgery(
      "crit", header: TokenForge.header(adding: #""crit":[]"#),
      .malformedToken(.unsupportedHeaderMember("crit"))),
    Forgery("enc", header: TokenForge.header(adding: #""enc":"A128GCM""#), .encryptedToken),
    Forgery(
      "typ", header: TokenForge.header(adding: #""typ":"logout+jwt""#), .wrongType(found: "logout+jwt")),
    Forgery("kid", header: TokenForge.header(kid: "unknown"), .unknownKey),
    Forgery("other algorithm", header: TokenForge.header("PS256"), .unknownKey),
    Forgery("payload", claims: "[]", .malformedToken(.notAnObject(.payload))),
    Forgery("iss", claims: TokenForge.claims([("iss", "\"x\"")]), .wrongIssuer(found: "x")),
    Forgery("no iss", claims: TokenForge.claims([("iss", nil)]), .missingClaim("iss")),
    Forgery("exp", claims: TokenForge.claims([("exp", "\(now)")]), .expired(at: now, now: now)),
    Forgery("no exp", claims: TokenForge.claims([("exp", nil)]), .missingClaim("exp")),
    Forgery(
      "exp of the wrong type", claims: TokenForge.claims([("exp", "\"\(now + 9)\"")]), .malformedClaim("exp")),
    Forgery("nbf", claims: TokenForge.claims([("nbf", "\(now + 1)")]), .notYetValid(from: now + 1, now: now)),
    Forgery(
      "iat", claims: TokenForge.claims([("iat", "\(now + 1)")]), .issuedInFuture(at: now + 1, now: now)),
    Forgery(
      "lifetime", claims: TokenForge.claims([("exp", "\(now + 9000)")]),
      .lifetimeTooLong(seconds: 9000, limit: 3600)),
    Forgery("age", claims: TokenForge.claims([("iat", "\(now - 700)")]), .tooOld(seconds: 700, limit: 600)),
  ]

  private static func gatekeeper() throws -> Gatekeeper {
    Gatekeeper(
      profile: try Gatekeeper.profile(maximumLifetimeSeconds: 3600, maximumAgeSeconds: 600),
      keys: try Gatekeeper.standard().keys)
  }

  @Test("B19 no signature check for tokens that are refused without one", arguments: cheap)
  func cheapRefusal(forgery: Forgery) throws {
    let verdict = try Self.gatekeeper().verdict(on: forgery.token())
    #expect(verdict.rejection == forgery.rejection)
    #expect(verdict.signatureChecks == 0)
  }

  @Test(
    "B19 no signature check for a malformed token",
    arguments: ["", ".", "..", "....", "a.b.c", "Bearer x.y.z", "{}", String(repeating: "A", count: 20_000)])
  func brokenShape(text: String) throws {
    let verdict = try Self.gatekeeper().verdict(on: Array(text.utf8))
    #expect(verdict.rejection != nil)
    #expect(verdict.signatureChecks == 0)
  }

  @Test("B19 no signature check for a signature of the wrong length", arguments: [1, 255, 257, 512])
  func signatureLength(bytes: Int) throws {
    let text = TokenForge.token(header: TokenForge.goodHeader, signature: [UInt8](repeating: 1, count: bytes))
    let verdict = try Self.gatekeeper().verdict(on: text)
    #expect(verdict.rejection == .signatureMismatch)
    #expect(verdict.signatureChecks == 0)
  }

  @Test("B19 the counter counts one check for a good token and for a forged one")
  func counter() throws {
    let keys = try TestKeys.made()
    for key in [keys.rsa, keys.attackerRSA] {
      #expect(try Self.gatekeeper().verdict(on: TokenForge.token(key: key)).signatureChecks == 1)
    }
  }

  @Test("B19 errors of audience and kind are reported only for tokens with a valid signature")
  func claimsAfterSignature() throws {
    let attacker = try TestKeys.made().attackerRSA
    for changes: [(String, String?)] in [[("aud", "\"other\"")], [("aud", nil)], [("sub", "1")]] {
      let claims = TokenForge.claims(changes)
      let forged = try Self.gatekeeper().verdict(on: TokenForge.token(claims: claims, key: attacker))
      #expect(forged.rejection == .signatureMismatch)
      let genuine = try Self.gatekeeper().verdict(on: TokenForge.token(claims: claims))
      #expect(genuine.rejection != .signatureMismatch)
      #expect(genuine.rejection != nil)
    }
  }

  @Test("B19 a verifier counts the checks of all its tokens")
  func sum() throws {
    var verifier = TokenVerifier(profiles: [try Gatekeeper.profile()])
    let key = try #require(Gatekeeper.standard().keys.keys.first)
    let candidate = try verifier.candidate(
      try UnverifiedToken(parsing: TokenForge.token()), at: Self.now)
    #expect(verifier.signatureChecks == 0)
    for count in 1...3 {
      _ = try verifier.verify(candidate, with: key, at: Self.now)
      #expect(verifier.signatureChecks == count)
    }
  }
}
