import Foundation
import TestTokens
import Testing

@testable import JOSE

/// RFC 9449 section 4.3: every rule of a proof, and the order of the checks.
///
/// The rows follow the rules of the public test suites of auth0/node-oauth2-jwt-bearer and panva/oauth4webapi. Where
/// those accept more, this authorizer is stricter: user information and dot segments in `htu` are refused, not
/// resolved; `htm` has the letters of the method; one space follows the scheme; `cnf.jkt` has 43 characters.
@Suite("DPoP proofs")
struct ProofTests {
  static let header: [(name: String, value: String?, flaw: ProofFlaw?)] = [
    ("typ", nil, .wrongType), ("typ", #""JWT""#, .wrongType), ("typ", #""DPoP+jwt""#, .wrongType),
    ("typ", #""dpop+jwt ""#, .wrongType), ("typ", #""application/dpop+jwt""#, .wrongType),
    ("typ", #""at+jwt""#, .wrongType), ("typ", "1", .form(.malformedToken)),
    ("typ", "null", .form(.malformedToken)),
    ("alg", nil, .form(.malformedToken)), ("alg", #""none""#, .algorithmNotAllowed),
    ("alg", #""HS256""#, .algorithmNotAllowed), ("alg", #""ES384""#, .algorithmNotAllowed),
    ("alg", #""RS256""#, .algorithmNotAllowed), ("alg", #""es256""#, .algorithmNotAllowed),
    ("alg", #"["ES256"]"#, .form(.malformedToken)),
    // The key has another type than the algorithm needs.
    ("alg", #""EdDSA""#, .keyRefused(.algorithmMismatch)),
    ("alg", #""Ed25519""#, .keyRefused(.algorithmMismatch)),
    ("crit", #"["exp"]"#, .form(.malformedToken)), ("b64", "false", .form(.malformedToken)),
    ("zip", #""DEF""#, .form(.encryptedToken)), ("cty", #""JWT""#, .form(.malformedToken)),
    ("cty", #""dpop+jwt""#, nil),
    ("kid", #""any""#, nil), ("kid", "1", .form(.malformedToken)),
    ("jwk", nil, .keyMissing), ("jwk", "null", .keyMissing), ("jwk", "[]", .keyMissing),
    ("jwk", "\"\"", .keyMissing),
    ("jwk", "{}", .keyRefused(.malformedMember("kty", .missing))),
    ("jwk", #"{"kty":"oct","k":"c2VjcmV0"}"#, .keyRefused(.symmetric)),
    ("jwk", #"{"kty":"EC","crv":"P-256K","x":"AA","y":"AA"}"#, .keyRefused(.unsupportedCurve)),
    ("x5c", #"["AA=="]"#, nil), ("jku", #""https://evil.example.com""#, nil),
  ]

  @Test("a changed header has its outcome", arguments: header)
  func headers(name: String, value: String?, flaw: ProofFlaw?) throws {
    #expect(try ProofForge.flaw(ProofForge().withHeader(name, value).text()) == flaw)
  }

  static let claims: [(name: String, value: String?, flaw: ProofFlaw?)] = [
    ("jti", nil, .missingClaim("jti")), ("jti", "\"\"", .malformedClaim("jti")),
    ("jti", "1", .malformedClaim("jti")),
    ("jti", "null", .malformedClaim("jti")), ("jti", "\"\(String(repeating: "j", count: 128))\"", nil),
    ("jti", "\"\(String(repeating: "j", count: 129))\"", .malformedClaim("jti")),
    ("jti", "\"\(String(repeating: "\\u00e9", count: 64))\"", nil),
    ("jti", "\"\(String(repeating: "\\u00e9", count: 65))\"", .malformedClaim("jti")),
    ("htm", nil, .missingClaim("htm")), ("htm", "\"\"", .malformedClaim("htm")),
    ("htm", "[\"GET\"]", .malformedClaim("htm")),
    ("htm", #""POST""#, .wrongMethod), ("htm", #""get""#, .wrongMethod), ("htm", #""GET ""#, .wrongMethod),
    ("htm", #""GE""#, .wrongMethod), ("htm", #""HEAD""#, .wrongMethod), ("htm", #""*""#, .wrongMethod),
    ("htm", #""\u0047ET""#, nil),
    ("htu", nil, .missingClaim("htu")), ("htu", "7", .malformedClaim("htu")),
    ("htu", "\"\"", .malformedClaim("htu")),
    ("iat", nil, .missingClaim("iat")), ("iat", "\"\(ProofForge.now)\"", .malformedClaim("iat")),
    ("iat", "null", .malformedClaim("iat")), ("iat", "-1", .malformedClaim("iat")),
    ("iat", "1e300", .malformedClaim("iat")), ("iat", "\(ProofForge.now).0", nil),
    ("ath", nil, .missingClaim("ath")), ("ath", "\"\"", .malformedClaim("ath")),
    ("ath", "true", .malformedClaim("ath")),
    ("ath", "\"\(String(repeating: "A", count: 43))\"", .wrongToken),
    ("ath", "\"\(String(repeating: "A", count: 42))\"", .malformedClaim("ath")),
    ("ath", "\"\(String(repeating: "A", count: 43))=\"", .malformedClaim("ath")),
    // What a proof says of its own life holds.
    ("exp", "\(ProofForge.now - 6)", .tooOld), ("exp", "\(ProofForge.now - 5)", .tooOld),
    ("exp", "\(ProofForge.now - 4)", nil), ("exp", "\"soon\"", .malformedClaim("exp")),
    ("nbf", "\(ProofForge.now + 5)", nil), ("nbf", "\(ProofForge.now + 6)", .inFuture),
    ("nonce", "\"n\"", nil), ("sub", "\"u\"", nil), ("cnf", "{}", nil),
  ]

  @Test("a changed claim has its outcome", arguments: claims)
  func changedClaims(name: String, value: String?, flaw: ProofFlaw?) throws {
    #expect(try ProofForge.flaw(ProofForge().withClaim(name, value).text()) == flaw)
  }

  /// 60 s and 5 s are the defaults; fractions are rounded to the stricter side.
  @Test(
    "the clock at each edge",
    arguments: [
      ("0", nil), ("-60", nil), ("-65", nil), ("-66", .tooOld), ("-65.5", .tooOld), ("-64.5", nil),
      ("5", nil),
      ("4.5", nil), ("5.5", .inFuture), ("6", .inFuture), ("-86400", .tooOld), ("86400", .inFuture),
    ] as [(String, ProofFlaw?)])
  func clock(offset: String, flaw: ProofFlaw?) throws {
    let number = try #require(Double(offset))
    let text = String(format: "%.1f", Double(ProofForge.now) + number)
    #expect(try ProofForge.flaw(ProofForge().withClaim("iat", text).text()) == flaw)
  }

  @Test(
    "the window follows the settings",
    arguments: [
      (1, 0, 0, nil), (1, 0, -1, nil), (1, 0, -2, .tooOld), (1, 0, 1, .inFuture), (300, 60, -360, nil),
      (300, 60, -361, .tooOld), (300, 60, 60, nil), (300, 60, 61, .inFuture),
    ] as [(Int64, Int64, Int64, ProofFlaw?)])
  func window(age: Int64, leeway: Int64, offset: Int64, flaw: ProofFlaw?) throws {
    let policy = try #require(ProofPolicy(maximumAgeSeconds: age, leewaySeconds: leeway))
    let text = try ProofForge().withClaim("iat", "\(ProofForge.now + offset)").text()
    #expect(try ProofForge.flaw(text, policy: policy) == flaw)
  }

  @Test("a policy has asymmetric algorithms and numbers in their ranges")
  func policies() {
    #expect(ProofPolicy()?.windowSeconds == 70)
    #expect(ProofPolicy(algorithms: []) == nil)
    #expect(ProofPolicy(algorithms: [.es256, .hs256]) == nil)
    for age in [0, 301] as [Int64] { #expect(ProofPolicy(maximumAgeSeconds: age) == nil) }
    for leeway in [-1, 61] as [Int64] { #expect(ProofPolicy(leewaySeconds: leeway) == nil) }
  }

  @Test("each allowed algorithm verifies with its key, and no other")
  func algorithms() throws {
    let keys = try TestKeys.made()
    let policy = try #require(ProofPolicy(algorithms: Algorithm.allCases.filter { !$0.isSymmetric }))
    let signers: [(SigningKey, SigningAlgorithm)] = [
      (keys.es256, .es256), (keys.es384, .es384), (keys.es512, .es512), (keys.ed25519, .edDSA),
      (keys.rsa, .rs256),
      (keys.rsa, .rs384), (keys.rsa, .rs512), (keys.rsa, .ps256), (keys.rsa, .ps384), (keys.rsa, .ps512),
    ]
    for (key, algorithm) in signers {
      let proof = try ProofForge(key, algorithm).text()
      #expect(try ProofForge.flaw(proof, key: key, policy: policy) == nil, "\(algorithm)")
      let other = algorithm == .es256 ? keys.ed25519 : keys.es256
      #expect(try ProofForge.flaw(proof, key: other, policy: policy) == .wrongKey, "\(algorithm)")
    }
    // EdDSA and Ed25519 mean the same signature.
    let named = try ProofForge(keys.ed25519).withHeader("alg", #""Ed25519""#).text()
    #expect(try ProofForge.flaw(named, key: keys.ed25519) == nil)
  }

  @Test("another key, another signer and no signature are rejected")
  func signatures() throws {
    let keys = try TestKeys.made()
    // The thief's own key.
    #expect(try ProofForge.flaw(ProofForge(keys.attackerES256).text()) == .wrongKey)
    // The thief's signature under the client's key.
    #expect(try ProofForge.flaw(ProofForge().text(signer: keys.attackerES256)) == .signatureMismatch)
    let segments = TokenForge.segments(of: try ProofForge().text())
    #expect(try ProofForge.flaw(segments[0] + [0x2E] + segments[1]) == .form(.malformedToken))
    #expect(try ProofForge.flaw(segments[0] + [0x2E] + segments[1] + [0x2E]) == .form(.malformedToken))
  }

  @Test("a private member in jwk is rejected", arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
  func privateMembers(name: String) throws {
    let jwk = String(try ProofForge.jwk(of: TestKeys.made().es256).dropLast()) + ",\"\(name)\":\"AA\"}"
    #expect(
      try ProofForge.flaw(ProofForge().withHeader("jwk", jwk).text())
        == .keyRefused(name == "k" ? .symmetric : .privateKeyPublished))
  }

  @Test("numbers of a key have one spelling")
  func spellings() throws {
    let keys = try TestKeys.made()
    let policy = try #require(ProofPolicy(algorithms: [.es256, .rs256]))
    let jwk = try ProofForge.jwk(of: keys.rsa)
    for exponent in ["AQAB=", "AAEAAQ", "+QAB"] {
      let changed = jwk.replacing("\"AQAB\"", with: "\"\(exponent)\"")
      let flaw = try ProofForge.flaw(
        ProofForge(keys.rsa).withHeader("jwk", changed).text(), key: keys.rsa, policy: policy)
      #expect(changed != jwk)
      #expect(flaw == .keyRefused(.malformedMember("e", .notBase64)), "\(exponent)")
    }
  }

  @Test("a weak key is rejected although it is the client's")
  func weak() throws {
    let policy = try #require(ProofPolicy(algorithms: [.rs256]))
    let key = try SigningKey.generate(.rs256, id: "weak", modulusBits: 1024)
    #expect(
      try ProofForge.flaw(ProofForge(key).text(), key: key, policy: policy) == .keyUnusable(.rsaBits(1024)))
  }

  @Test("sizes and repeated headers")
  func sizes() throws {
    let room = DPoPProof.maximumBytes - (try ProofForge().withClaim("pad", "\"\"").text().count)
    let whole = try ProofForge().withClaim("pad", "\"\(String(repeating: "p", count: room * 3 / 4 - 3))\"")
      .text()
    #expect(whole.count <= DPoPProof.maximumBytes)
    #expect(try ProofForge.flaw(whole) == nil)
    #expect(try ProofForge.flaw([UInt8](repeating: 0x61, count: DPoPProof.maximumBytes + 1)) == .tooLarge)
    let proof = try ProofForge().text()
    #expect(try ProofForge.flaw(proof + [0x2C] + proof) == .repeated)
    #expect(try ProofForge.flaw(proof + [0x2C]) == .repeated)
    for text in [[], [0x20] + proof, proof + [0x20], Array("DPoP ".utf8) + proof] {
      #expect(try ProofForge.flaw(text) == .form(.malformedToken))
    }
  }

  @Test("a request without method, host or comparable path is rejected")
  func unknownRequest() throws {
    #expect(try ProofForge.flaw(ProofForge().text(), target: nil) == .requestUnknown)
    let origins = try #require(ProofForge.target).origins
    #expect(ProofTarget(method: [], path: [0x2F], origins: origins) == nil)
    #expect(ProofTarget(method: [0x47], path: [], origins: origins) == nil)
    #expect(ProofTarget(method: [0x47], path: [0x2F], origins: []) == nil)
    #expect(ProofTarget(method: [0x47], path: Array("/a/../b".utf8), origins: origins) == nil)
  }

  /// Each row breaks one more check than the row before it, from the last check to the first.
  @Test("the checks have one order, and only the last one uses cryptography")
  func order() throws {
    let keys = try TestKeys.made()
    var proof = try ProofForge()
    var verifier = try #require(PossessionVerifier())
    let policy = try #require(ProofPolicy())
    let bound = try ProofForge.thumbprint(of: keys.es256)
    func check(_ expected: ProofCheck, signer: SigningKey) throws {
      let before = verifier.signatureChecks
      do throws(ProofFlaw) {
        let text: [UInt8]
        do { text = try proof.text(signer: signer) } catch { throw .tooLarge }
        _ = try verifier.verify(
          text, for: ProofForge.target, token: ProofForge.token, boundTo: bound, policy, at: ProofForge.now)
        Issue.record("accepted")
      } catch {
        #expect(error.check == expected)
        #expect(error.description.hasPrefix(expected.rawValue + ": "))
      }
      #expect(verifier.signatureChecks - before == (expected == .signature ? 1 : 0))
    }
    let thief = keys.attackerES256
    try check(.signature, signer: thief)
    proof = proof.withHeader("jwk", try ProofForge.jwk(of: thief))
    try check(.thumbprint, signer: thief)
    proof = proof.withClaim("ath", "\"\(String(repeating: "A", count: 43))\"")
    try check(.token, signer: thief)
    proof = proof.withClaim("iat", "0")
    try check(.time, signer: thief)
    proof = proof.withClaim("htu", "\"https://other.example.com/\"")
    try check(.url, signer: thief)
    proof = proof.withClaim("htm", "\"PUT\"")
    try check(.method, signer: thief)
    proof = proof.withClaim("jti", nil)
    try check(.claims, signer: thief)
    proof = proof.withHeader("jwk", nil)
    try check(.key, signer: thief)
    proof = proof.withHeader("alg", #""HS256""#)
    try check(.algorithm, signer: thief)
    proof = proof.withHeader("typ", nil)
    try check(.type, signer: thief)
    proof = proof.withHeader("crit", "[]")
    try check(.form, signer: thief)
    proof = proof.withClaim("pad", "\"\(String(repeating: "p", count: 4096))\"")
    try check(.header, signer: thief)
  }

  @Test("the fingerprint depends on key, identifier and URL alone")
  func fingerprints() throws {
    let keys = try TestKeys.made()
    func fingerprint(_ proof: ProofForge, path: String = "/prod/pets") throws -> [UInt8] {
      var verifier = try #require(PossessionVerifier())
      let target = ProofTarget(
        method: Array("GET".utf8), path: Array(path.utf8), origins: try #require(ProofForge.target).origins)
      return try verifier.verify(
        proof.text(), for: target, token: ProofForge.token, boundTo: ProofForge.thumbprint(of: proof.key),
        try #require(ProofPolicy()), at: ProofForge.now
      ).fingerprint
    }
    let first = try fingerprint(ProofForge())
    #expect(first.count == 32)
    #expect(try fingerprint(ProofForge().withClaim("iat", "\(ProofForge.now - 3)")) == first)
    #expect(
      try fingerprint(ProofForge().withClaim("htu", #""HTTPS://API.example.com:443/%70rod/pets?q""#)) == first
    )
    #expect(try fingerprint(ProofForge().withClaim("jti", "\"other\"")) != first)
    #expect(try fingerprint(ProofForge(keys.attackerES256)) != first)
    let other = try ProofForge().withClaim("htu", #""https://api.example.com/prod/dogs""#)
    #expect(try fingerprint(other, path: "/prod/dogs") != first)
  }
}
