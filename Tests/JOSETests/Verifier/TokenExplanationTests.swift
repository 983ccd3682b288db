import Foundation
import JSON
import TestSupport
import TestTokens
import Testing

@testable import JOSE

/// The verdict of an explanation equals the verifier's verdict, and all its checks are checks of the verifier.
@Suite("Token explanation")
struct TokenExplanationTests {
  /// The explanation of a token, and the verdict of the verifier.
  private struct Comparison {
    let explanation: TokenExplanation
    let verdict: Gatekeeper.Verdict

    init(_ text: [UInt8], _ gatekeeper: Gatekeeper, at now: Int64 = TokenForge.now) {
      explanation = gatekeeper.explanation(of: text, at: now)
      verdict = gatekeeper.verdict(on: text, at: now)
    }

    /// Checks that the first failure equals the rejection, and that a token is accepted only if all checks passed.
    func check(_ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(explanation.firstFailure == verdict.rejection, comment, sourceLocation: sourceLocation)
      #expect(explanation.rejection == verdict.rejection, comment, sourceLocation: sourceLocation)
      #expect(explanation.isAccepted == (verdict.token != nil), comment, sourceLocation: sourceLocation)
      let allPassed = explanation.steps.allSatisfy { $0.result == .passed }
      #expect(allPassed == explanation.isAccepted, comment, sourceLocation: sourceLocation)
    }
  }

  /// All limits and rules together, so that every check runs.
  private static func strictGatekeeper() throws -> Gatekeeper {
    Gatekeeper(
      profile: try IssuerProfile(
        name: "strict", issuers: [TokenForge.issuer], audience: .audience(["api"]),
        algorithms: [.rs256, .es256], maximumLifetimeSeconds: 3600, maximumAgeSeconds: 600,
        claimRules: [
          .absent("events"), .present("jti"), .equals("use", "access"), .atMostBytes("sub", 20),
          .inPast("auth_time"), .authorizedParty,
        ], principal: ClaimPath("user.id"), requiresKeyID: true),
      keys: try Gatekeeper.standard().keys)
  }

  private static let strictClaims: [(String, String?)] = [
    ("jti", #""j""#), ("use", #""access""#), ("auth_time", "\(TokenForge.now)"), ("azp", #""api""#),
    ("user", #"{"id":"u1"}"#),
  ]

  @Test func aGoodTokenPassesEveryCheck() throws {
    let text = try TokenForge.token(claims: TokenForge.claims(Self.strictClaims))
    let comparison = Comparison(text, try Self.strictGatekeeper())
    comparison.check("good")
    #expect(comparison.explanation.isAccepted)
    #expect(
      comparison.explanation.steps.map { $0.check.name } == [
        "size", "segments", "header", "headerMembers", "algorithmName", "keyID", "typeName",
        "signatureEncoding", "payload", "issuer", "algorithm", "requiredKeyID", "type", "expiry", "notBefore",
        "issuedAt",
        "lifetime", "age", "key", "signature", "audience", "rule", "rule", "rule", "rule", "rule", "rule",
        "subject", "principal", "binding",
      ])
  }

  @Test func firstFailureOfRandomTokensEqualsTheRejection() throws {
    let gatekeeper = try Self.strictGatekeeper()
    var random = SeededGenerator(seed: 7)
    var codes: Set<TokenRejection.Code> = []
    var accepted = 0
    for round in 0..<1500 {
      let claims = Self.strictClaims + Self.changes(of: Self.claimValues, upTo: 3, &random)
      let header = Self.changes(of: Self.headerValues, upTo: 2, &random)
      // Signatures of RSA take thirty times as long.
      let isRSA = round.isMultiple(of: 8)
      let names = isRSA ? (#""RS256""#, #""rsa""#) : (#""ES256""#, #""es256""#)
      let text = try TokenForge.token(
        header: Self.object([("alg", names.0), ("kid", names.1)] + header), claims: TokenForge.claims(claims),
        key: isRSA
          ? TestKeys.made().rsa
          : round % 20 == 1 ? TestKeys.made().attackerES256 : TestKeys.made().es256)
      let comparison = Comparison(text, gatekeeper)
      comparison.check("round \(round): \(claims) \(header)")
      if let rejection = comparison.verdict.rejection { codes.insert(rejection.code) } else { accepted += 1 }
    }
    // Every kind of rejection must have occurred, otherwise the comparison proves little.
    #expect(codes == Set(TokenRejection.Code.allCases))
    #expect(accepted > 20)
  }

  @Test func firstFailureOfDamagedTokensEqualsTheRejection() throws {
    let gatekeeper = try Gatekeeper.standard()
    let good = try TokenForge.token(key: TestKeys.made().es256, using: .es256)
    let text = try TokenForge.token(
      header: TokenForge.header("ES256", kid: "es256"), key: TestKeys.made().es256)
    Comparison(text, gatekeeper).check("good")
    Comparison(good, gatekeeper).check("the header of another key")
    for index in text.indices {
      for byte in [text[index] ^ 1, 0x2E, 0x41, 0x3D] {
        var changed = text
        changed[index] = byte
        Comparison(changed, gatekeeper).check("byte \(index) is \(byte)")
      }
      Comparison(Array(text[..<index]), gatekeeper).check("the first \(index) bytes")
    }
    let long = text + [UInt8](repeating: 0x41, count: CompactJWS.maximumBytes)
    Comparison(long, gatekeeper).check("too long")
  }

  @Test func firstFailureOfDevelopmentTokensEqualsTheRejection() throws {
    let file = Checkout.root.appending(path: "events/tokens.json")
    let recipes = try TokenRecipes(parsing: Array(Data(contentsOf: file)))
    let keys = try SharedKeys.all()
    let mint = TokenMint(recipes: recipes, keys: keys, now: TokenForge.now)
    let apple = try IssuerPreset(parsing: "apple")
    let gatekeeper = Gatekeeper(
      profile: try IssuerProfile(
        name: "apple", issuers: apple.issuers, audience: .audience(["com.example.cyclejournal"]),
        algorithms: apple.algorithms, types: apple.types,
        maximumLifetimeSeconds: apple.maximumLifetimeSeconds, claimRules: apple.claimRules),
      keys: try KeySet(parsing: keys.publicKeySet.bytes()))
    #expect(recipes.names.count > 20)
    for name in recipes.names {
      Comparison(Array(try mint.token(named: name).utf8), gatekeeper).check("\(name)")
    }
  }

  @Test func checksContinueAfterTheFirstFailure() throws {
    let claims = TokenForge.claims([
      ("iss", "\"\(TokenForge.issuer)/\""), ("exp", "\(TokenForge.now - 100)"), ("aud", #""other""#),
      ("sub", nil),
    ])
    let text = try TokenForge.token(claims: claims, key: TestKeys.made().attackerRSA)
    let explanation = Comparison(text, try Gatekeeper.standard()).explanation
    #expect(
      explanation.failures == ["issuer", "expiry", "signature", "audience", "subject"],
      "\(explanation.steps)")
    #expect(explanation.issuer?.position == 0)
  }

  @Test func checksWithoutTheirInputAreNotReached() throws {
    let gatekeeper = try Gatekeeper.standard()
    let noAlgorithm = try TokenForge.token(header: #"{"alg":"none","kid":"rsa"}"#)
    #expect(Comparison(noAlgorithm, gatekeeper).explanation.unreached == ["algorithm", "key", "signature"])
    let text = Comparison(Array("text".utf8), gatekeeper).explanation
    #expect(text.failures == ["segments"])
    #expect(text.steps.count { $0.result == .notReached } == text.steps.count - 2)
    let badDates = try TokenForge.token(claims: TokenForge.claims([("exp", "null"), ("iat", "null")]))
    let limited = Gatekeeper(
      profile: try Gatekeeper.profile(maximumLifetimeSeconds: 60, maximumAgeSeconds: 60),
      keys: gatekeeper.keys)
    #expect(Comparison(badDates, limited).explanation.unreached == ["lifetime", "age"])
  }

  @Test func aTokenWithoutAnIssuerListsTheChecksOfAPlainProfile() throws {
    let steps = Comparison(try TokenForge.token(), try Gatekeeper.standard()).explanation.steps
    let checks = steps.map(\.check).drop { $0 != .issuer }.dropFirst()
    #expect(Array(checks) == TokenExplanation.checksOfEveryProfile)
  }

  @Test func withoutKeysAllOtherChecksRun() throws {
    let profiles = [try Gatekeeper.profile()]
    let good = try TokenExplanation(of: TokenForge.token(), profiles: profiles, at: TokenForge.now) { _ in nil
    }
    #expect(!good.isAccepted)
    #expect(good.rejection == nil)
    #expect(good.unreached == ["key", "signature"])
    let expired = try TokenExplanation(
      of: TokenForge.token(), profiles: profiles, at: TokenForge.now + 600
    ) { _ in nil }
    #expect(
      expired.rejection == .expired(at: TokenForge.now + 600, now: TokenForge.now + 600))
  }

  @Test func subjectIsNotCheckedForTokensWithoutOne() throws {
    let preset = IssuerPreset.appleNotification
    for principal in [preset.principal.flatMap { ClaimPath($0) }, nil] {
      let gatekeeper = Gatekeeper(
        profile: try IssuerProfile(
          name: preset.name, issuers: preset.issuers, audience: .audience(["api"]),
          algorithms: preset.algorithms, claimRules: preset.claimRules, principal: principal,
          hasSubject: preset.hasSubject),
        keys: try Gatekeeper.standard().keys)
      let text = try TokenForge.token(
        claims: TokenForge.claims([
          ("iss", "\"\(preset.issuers[0])\""), ("sub", nil), ("jti", #""j""#), ("events", #""{}""#),
        ]))
      let comparison = Comparison(text, gatekeeper)
      comparison.check("\(principal?.text ?? "sub")")
      #expect(comparison.explanation.isAccepted == (principal != nil))
      let checks = comparison.explanation.steps.map(\.check)
      #expect(checks.suffix(2) == [.principal(gatekeeper.profile.principal), .binding])
    }
  }

  @Test func issuerThatDiffersByASlashIsTheProbableProfile() throws {
    let other = try IssuerProfile(
      name: "other", issuers: ["https://other.example.com"], audience: .audience(["api"]),
      algorithms: [.rs256])
    let profiles = [other, try Gatekeeper.profile()]
    let keys = try Gatekeeper.standard().keys
    func explanation(_ issuer: String) throws -> TokenExplanation {
      let text = try TokenForge.token(claims: TokenForge.claims([("iss", "\"\(issuer)\"")]))
      return TokenExplanation(of: text, profiles: profiles, at: TokenForge.now) { _ in .keys(keys) }
    }
    #expect(try explanation(TokenForge.issuer).issuer?.position == 1)
    #expect(try explanation(TokenForge.issuer).isAccepted)
    #expect(try explanation(TokenForge.issuer + "/").issuer?.position == 1)
    #expect(try explanation(TokenForge.issuer + "/").failures == ["issuer"])
    #expect(try explanation("https://unknown.example.com").issuer == nil)
    #expect(try explanation("https://unknown.example.com").rejection?.code == .wrongIssuer)
  }

  @Test func explainsTokensWithASecret() throws {
    let bytes = Array("a secret of at least 32 bytes, for tests".utf8)
    let signer = try SigningKey(secret: bytes, algorithm: .hs256, id: "")
    let profile = try Gatekeeper.profile(algorithms: [.hs256])
    let secret = try SharedSecret(bytes, for: [.hs256])
    let wrong = try SharedSecret(bytes + [1], for: [.hs256])
    let text = try TokenForge.token(header: #"{"alg":"HS256"}"#, key: signer)
    func explanation(_ secret: SharedSecret) -> TokenExplanation {
      TokenExplanation(of: text, profiles: [profile], at: TokenForge.now) { _ in .secret(secret) }
    }
    #expect(explanation(secret).isAccepted)
    #expect(explanation(wrong).firstFailure == .signatureMismatch)
    #expect(explanation(wrong).rejection == .signatureMismatch)
  }

  // MARK: Changes

  private static let now = TokenForge.now

  private static let claimValues: [(String, [String?])] = [
    ("iss", [nil, "1", #""https://id.example.com/""#, #""""#]),
    ("sub", [nil, #""""#, #""u\u0000""#, "[]", #""012345678901234567890""#, #""another""#]),
    ("aud", [nil, "[]", #"["api"]"#, #"["x","api"]"#, #""x""#, "{}", #"["api",1]"#]),
    ("exp", [nil, "\(now - 60)", "\(now - 61)", "\(now + 3660)", "\(now + 3661)", #""1""#, "1e300", "0.5"]),
    ("nbf", ["\(now + 60)", "\(now + 61)", "null", "-1"]),
    ("iat", [nil, "\(now + 60)", "\(now + 61)", "\(now - 660)", "\(now - 661)", "true"]),
    ("jti", [nil, "1"]), ("use", [nil, #""id""#, "1"]), ("events", [#""x""#, "null"]),
    ("auth_time", [nil, "\(now + 61)", #""x""#]), ("azp", [nil, #""x""#, "1"]),
    ("user", [nil, "{}", #"{"id":1}"#, #"{"id":""}"#]),
    ("cnf", [nil, "{}", "null", #"{"jkt":1}"#, #"{"jkt":"\#(TokenBindingTests.jkt)"}"#]),
  ]

  private static let headerValues: [(String, [String?])] = [
    ("alg", [nil, #""ES256""#, #""ES256""#, #""none""#, #""RS256""#, #""ES512""#, #""HS256""#, "1"]),
    ("kid", [nil, #""other""#, #""rsa""#, #""""#, "1"]),
    ("typ", [#""JWT""#, #""jwt""#, #""application/at+JWT""#, #""logout+jwt""#, "1"]),
    ("crit", ["[]"]), ("zip", [#""DEF""#]), ("cty", [#""JWT""#, "1", #""x""#]),
    ("jwk", ["{}"]),
  ]

  /// Random members, each with one of its values.
  private static func changes(
    of table: [(String, [String?])], upTo count: Int, _ random: inout SeededGenerator
  ) -> [(String, String?)] {
    (0..<Int.random(in: 0...count, using: &random)).compactMap { _ in
      guard let (name, values) = table.randomElement(using: &random),
        let value = values.randomElement(using: &random)
      else { return nil }
      return (name, value)
    }
  }

  /// An object in which a later member overrides an earlier one with the same name.
  private static func object(_ members: [(String, String?)]) -> String {
    var names: [String] = []
    var values: [String: String] = [:]
    for (name, value) in members {
      if !names.contains(name) { names.append(name) }
      values[name] = value
    }
    let texts = names.compactMap { name in values[name].map { "\"\(name)\":\($0)" } }
    return "{" + texts.joined(separator: ",") + "}"
  }
}

extension TokenExplanation {
  fileprivate var failures: [String] {
    steps.filter { if case .failed = $0.result { true } else { false } }.map { $0.check.name }
  }

  fileprivate var unreached: [String] { steps.filter { $0.result == .notReached }.map { $0.check.name } }
}
