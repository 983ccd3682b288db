import JSON
import TestTokens
import Testing

@testable import JOSE

/// Attacks on the binding of key and algorithm, rows B1 to B4 and B10 of the catalog. The validation of single keys
/// (B4 to B7, B11) is tested in `KeyGateTests`.
@Suite("B. Algorithm and key")
struct AlgorithmAttackTests {
  static let hmac: [SigningAlgorithm] = [.hs256, .hs384, .hs512]

  @Test("B1 a public key is never an HMAC secret", arguments: hmac)
  func algorithmConfusion(algorithm: SigningAlgorithm) throws {
    let keys = try TestKeys.made()
    let jwk = try #require(keys.ed25519.publicJWK).bytes()
    for material in [keys.edwardsPEM, jwk] {
      let key = try SigningKey(secret: material, algorithm: algorithm, id: "ed25519")
      let text = try TokenForge.token(header: TokenForge.header(algorithm.rawValue, kid: key.id), key: key)
      let verdict = try Gatekeeper.standard().verdict(on: text)
      #expect(verdict.rejection == .algorithmNotAllowed(found: algorithm.rawValue))
      #expect(verdict.signatureChecks == 0)
    }
  }

  @Test("B1 a key set never provides a secret, for any values of its members")
  func noSecretFromKeySet() throws {
    let good = try #require(TestKeys.made().rsa.publicJWK)
    let secret = try SigningKey(secret: [UInt8](repeating: 7, count: 64), algorithm: .hs256, id: "oct")
      .privateJWK
    let keys = try Gatekeeper.keySet([
      secret, secret.with([("kid", .string("typed")), ("kty", .string("RSA"))]),
      good.with([("kid", .string("named")), ("alg", .string("HS256"))]), good,
    ])
    #expect(keys.keys.map(\.keyID) == [Array("rsa".utf8)])
    #expect(keys.unusable.map(\.flaw) == [.symmetric, .symmetric, .algorithmMismatch])
  }

  @Test("B1 one issuer cannot have both HMAC and public-key algorithms")
  func mixedIssuer() {
    #expect(throws: IssuerProfile.Flaw.mixedAlgorithms) {
      try Gatekeeper.profile(algorithms: [.rs256, .hs256])
    }
    #expect(throws: SharedSecret.Flaw.notHMAC) {
      try SharedSecret([UInt8](repeating: 7, count: 64), for: [.hs256, .rs256])
    }
    #expect(throws: SharedSecret.Flaw.notHMAC) { try SharedSecret([UInt8](repeating: 7, count: 64), for: []) }
  }

  @Test("B1 an issuer with a secret accepts only its HMAC", arguments: hmac)
  func secretIssuer(algorithm: SigningAlgorithm) throws {
    let material = [UInt8](repeating: 7, count: 64)
    let issued = try #require(Algorithm(rawValue: algorithm.rawValue))
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(algorithms: [issued]), keys: try Gatekeeper.standard().keys)
    let secret = try SharedSecret(material, for: [issued])
    let key = try SigningKey(secret: material, algorithm: algorithm, id: "rsa")
    let good = try TokenForge.token(header: TokenForge.header(algorithm.rawValue), key: key)
    #expect(gatekeeper.verdict(on: good, secret: secret).rejection == nil)
    // An issuer with a secret has no public key, even if a key set is available.
    #expect(gatekeeper.verdict(on: good).rejection == .unknownKey)
    let other = try SigningKey(secret: [UInt8](repeating: 8, count: 64), algorithm: algorithm, id: "rsa")
    let forged = try TokenForge.token(header: TokenForge.header(algorithm.rawValue), key: other)
    #expect(gatekeeper.verdict(on: forged, secret: secret).rejection == .signatureMismatch)
    let signed = try TokenForge.token()
    #expect(gatekeeper.verdict(on: signed, secret: secret).rejection == .algorithmNotAllowed(found: "RS256"))
  }

  @Test("B2 the issuer's list, never the token, limits a JWK without alg")
  func keyWithoutAlgorithm() throws {
    let keys = try TestKeys.made()
    let jwk = try #require(keys.rsa.publicJWK).with([("alg", nil)])
    let set = try Gatekeeper.keySet([jwk])
    for (signed, listed, rejection): (SigningAlgorithm, [Algorithm], TokenRejection?) in [
      (.rs256, [.rs256], nil), (.ps256, [.rs256, .ps256], nil),
      (.ps256, [.rs256], .algorithmNotAllowed(found: "PS256")),
      (.rs512, [.rs256, .es256], .algorithmNotAllowed(found: "RS512")),
    ] {
      let gatekeeper = Gatekeeper(profile: try Gatekeeper.profile(algorithms: listed), keys: set)
      let text = try TokenForge.token(
        header: TokenForge.header(signed.rawValue), key: keys.rsa, using: signed)
      #expect(gatekeeper.verdict(on: text).rejection == rejection)
    }
  }

  @Test("B2 an attacker's first token does not influence the verification of later tokens")
  func noStickyAlgorithm() throws {
    let keys = try TestKeys.made()
    let set = try Gatekeeper.keySet([try #require(keys.rsa.publicJWK).with([("alg", nil)])])
    let key = try #require(set.keys.first)
    var verifier = TokenVerifier(profiles: [try Gatekeeper.profile()])
    for algorithm in [SigningAlgorithm.ps256, .rs256, .ps512, .rs256] {
      let text = try TokenForge.token(
        header: TokenForge.header(algorithm.rawValue), key: keys.rsa, using: algorithm)
      let candidate = try verifier.candidate(try UnverifiedToken(parsing: text), at: TokenForge.now)
      #expect(try verifier.verify(candidate, with: key, at: TokenForge.now).subject == Array("u1".utf8))
    }
  }

  @Test(
    "B3 the header's alg is compared with the JWK's",
    arguments: [SigningAlgorithm.rs384, .rs512, .ps256, .ps512])
  func otherAlgorithmOfTheKey(algorithm: SigningAlgorithm) throws {
    let keys = try TestKeys.made()
    let header = TokenForge.header(algorithm.rawValue)
    let text = try TokenForge.token(header: header, key: keys.rsa, using: algorithm)
    let verdict = try Gatekeeper.standard().verdict(on: text)
    #expect(verdict.rejection == .unknownKey)
    let renamed = try #require(keys.rsa.publicJWK).with([("alg", .string(algorithm.rawValue))])
    let gatekeeper = Gatekeeper(profile: try Gatekeeper.profile(), keys: try Gatekeeper.keySet([renamed]))
    #expect(gatekeeper.verdict(on: text).rejection == nil)
  }

  @Test("B3 a signature with one padding is refused for the other padding")
  func otherPadding() throws {
    let keys = try TestKeys.made()
    let set = try Gatekeeper.keySet([try #require(keys.rsa.publicJWK).with([("alg", nil)])])
    let gatekeeper = Gatekeeper(profile: try Gatekeeper.profile(), keys: set)
    let all: [SigningAlgorithm] = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
    for claimed in all {
      for signed in all {
        let text = try TokenForge.token(
          header: TokenForge.header(claimed.rawValue), key: keys.rsa, using: signed)
        #expect(gatekeeper.verdict(on: text).rejection == (claimed == signed ? nil : .signatureMismatch))
      }
    }
  }

  @Test("B10 one curve per algorithm, and no secp256k1")
  func oneCurve() throws {
    let keys = try TestKeys.made()
    let pairs: [(String, SigningKey)] = [("ES256", keys.es256), ("ES384", keys.es384), ("ES512", keys.es512)]
    for (name, _) in pairs {
      for (own, key) in pairs {
        let text = try TokenForge.token(header: TokenForge.header(name, kid: key.id), key: key)
        let rejection = try Gatekeeper.standard().verdict(on: text).rejection
        #expect(rejection == (name == own ? nil : .unknownKey), "\(name) with the key of \(own)")
      }
    }
    let text = try TokenForge.token(header: TokenForge.header("ES256K", kid: "es256"), key: keys.es256)
    #expect(try Gatekeeper.standard().verdict(on: text).rejection == .algorithmNotAllowed(found: "ES256K"))
  }

  @Test("B10 curves cannot be mixed even if the key has no alg")
  func curveWithoutAlgorithm() throws {
    let keys = try TestKeys.made()
    let jwk = try #require(keys.es384.publicJWK).with([("alg", nil)])
    let gatekeeper = Gatekeeper(profile: try Gatekeeper.profile(), keys: try Gatekeeper.keySet([jwk]))
    let good = try TokenForge.token(header: TokenForge.header("ES384", kid: "es384"), key: keys.es384)
    #expect(gatekeeper.verdict(on: good).rejection == nil)
    let bad = try TokenForge.token(header: TokenForge.header("ES256", kid: "es384"), key: keys.es384)
    #expect(gatekeeper.verdict(on: bad).rejection == .unknownKey)
  }

  @Test("B10 the two names of Ed25519 (RFC 9864) are equivalent, and equal to no other algorithm")
  func edwardsNames() throws {
    let keys = try TestKeys.made()
    for name in ["EdDSA", "Ed25519"] {
      let text = try TokenForge.token(header: TokenForge.header(name, kid: "ed25519"), key: keys.ed25519)
      for listed in [Algorithm.edDSA, .ed25519] {
        let gatekeeper = Gatekeeper(
          profile: try Gatekeeper.profile(algorithms: [listed]), keys: try Gatekeeper.standard().keys)
        #expect(gatekeeper.verdict(on: text).rejection == nil, "\(name) with \(listed.rawValue) in the list")
      }
      for listed in [Algorithm.es256, .rs256] {
        let gatekeeper = Gatekeeper(
          profile: try Gatekeeper.profile(algorithms: [listed]), keys: try Gatekeeper.standard().keys)
        #expect(gatekeeper.verdict(on: text).rejection == .algorithmNotAllowed(found: name))
      }
    }
    let es256 = try TokenForge.token(header: TokenForge.header("ES256", kid: "es256"), key: keys.es256)
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(algorithms: [.edDSA]), keys: try Gatekeeper.standard().keys)
    #expect(gatekeeper.verdict(on: es256).rejection == .algorithmNotAllowed(found: "ES256"))
  }
}
