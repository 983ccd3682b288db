import JSON
import TestSupport
import Testing

@testable import TestTokens

/// Keys, their signatures and their JWKs, checked with OpenSSL and against the RFCs.
@Suite struct SigningKeyTests {
  private static let message = Array("header.payload".utf8)

  @Test(
    "makes signatures that OpenSSL verifies",
    arguments: SigningAlgorithm.allCases.filter { $0.keyKind != .secret })
  func signs(_ algorithm: SigningAlgorithm) throws {
    let key = try SharedKeys.all()[DevelopmentKeyName(for: algorithm)]
    let jwk = try #require(key.publicJWK)
    let stranger = try PublicKey(jwk)
    let signature = try key.signature(over: Self.message)
    #expect(try stranger.verifies(signature, over: Self.message, algorithm.rawValue))
    #expect(try !stranger.verifies(signature, over: Self.message + [0], algorithm.rawValue))
  }

  @Test("makes the same HMAC as OpenSSL", arguments: [SigningAlgorithm.hs256, .hs384, .hs512])
  func authenticates(_ algorithm: SigningAlgorithm) throws {
    for secret in [[], [0x61], Array("a secret of thirty-two characters".utf8)] {
      let key = try SigningKey(secret: secret, algorithm: algorithm, id: "x")
      let expected = hmac("SHA" + algorithm.rawValue.suffix(3), secret: secret, Self.message)
      #expect(try key.signature(over: Self.message) == expected)
      #expect(expected.count * 8 == Int(algorithm.rawValue.suffix(3)))
      #expect(key.publicJWK == nil)
    }
  }

  @Test(
    "makes ECDSA and Ed25519 signatures of a fixed length",
    arguments: [(SigningAlgorithm.es256, 64), (.es384, 96), (.es512, 132), (.edDSA, 64)])
  func fixedLength(_ algorithm: SigningAlgorithm, _ count: Int) throws {
    let key = try SharedKeys.all()[DevelopmentKeyName(for: algorithm)]
    // One in 256 P-256 signatures has a half with a leading zero byte, so 300 signatures include some.
    for number in 0..<300 {
      #expect(try key.signature(over: Array(number.description.utf8)).count == count)
    }
  }

  @Test("signs with another algorithm only if it uses the same kind of key")
  func otherAlgorithm() throws {
    let key = try SharedKeys.all()[.rs256]
    let signature = try key.signature(over: Self.message, using: .ps384)
    let stranger = try PublicKey(try #require(key.publicJWK))
    #expect(try stranger.verifies(signature, over: Self.message, "PS384"))
    for algorithm in [SigningAlgorithm.es256, .hs256, .edDSA] {
      #expect(throws: SigningKeyError.algorithmDoesNotFitKey(algorithm)) {
        try key.signature(over: Self.message, using: algorithm)
      }
    }
    let es256 = try SharedKeys.all()[.es256]
    #expect(throws: SigningKeyError.algorithmDoesNotFitKey(.es384)) {
      try es256.signature(over: Self.message, using: .es384)
    }
  }

  @Test(
    "writes the members of the public JWK and nothing private",
    arguments: [
      (SigningAlgorithm.rs256, ["kty", "kid", "alg", "use", "n", "e"]),
      (.es512, ["kty", "kid", "alg", "use", "crv", "x", "y"]),
      (.edDSA, ["kty", "kid", "alg", "use", "crv", "x"]),
    ])
  func publicShape(_ algorithm: SigningAlgorithm, _ names: [String]) throws {
    let jwk = try #require(try SharedKeys.all()[DevelopmentKeyName(for: algorithm)].publicJWK)
    #expect(jwk.names == names)
    #expect(jwk.text("alg") == algorithm.rawValue)
    #expect(jwk.text("use") == "sig")
    #expect(try PublicKey(jwk).isValid)
  }

  @Test("writes the modulus and the exponent in the minimum number of bytes")
  func rsaShape() throws {
    let jwk = try #require(try SharedKeys.all()[.rs256].publicJWK)
    #expect(jwk.octets("n").count == 256)
    #expect(try #require(jwk.octets("n").first) >= 0x80)
    #expect(jwk.text("e") == "AQAB")
  }

  @Test(
    "writes coordinates in full length",
    arguments: [(SigningAlgorithm.es256, 32), (.es384, 48), (.es512, 66)])
  func coordinateLength(_ algorithm: SigningAlgorithm, _ count: Int) throws {
    let jwk = try SharedKeys.all()[DevelopmentKeyName(for: algorithm)].privateJWK
    for member in ["x", "y", "d"] { #expect(jwk.octets(member).count == count) }
  }

  @Test("keeps the leading zeros of a coordinate")
  func leadingZero() throws {
    // The probability is 1 in 128 for each key; with 20,000 keys the test fails by chance once in 10^68.
    for _ in 0..<20_000 {
      let key = try SigningKey.generate(.es256, id: "x")
      let jwk = try #require(key.publicJWK)
      #expect(jwk.octets("x").count == 32)
      #expect(jwk.octets("y").count == 32)
      guard jwk.octets("x").first == 0 || jwk.octets("y").first == 0 else { continue }
      let signature = try SigningKey(privateJWK: key.privateJWK).signature(over: Self.message)
      #expect(try PublicKey(jwk).verifies(signature, over: Self.message, "ES256"))
      return
    }
    Issue.record("no coordinate with a leading zero")
  }

  @Test("generates RSA keys of the requested size", arguments: [1024, 1536, 3072])
  func modulusSize(_ bits: Int) throws {
    let key = try SigningKey.generate(.rs256, id: "x", modulusBits: bits)
    let stranger = try PublicKey(try #require(key.publicJWK))
    #expect(stranger.bitCount == bits)
    let signature = try key.signature(over: Self.message)
    #expect(signature.count == bits / 8)
    #expect(try stranger.verifies(signature, over: Self.message, "RS256"))
  }

  @Test("refuses RSA keys of other sizes", arguments: [0, 512, 1023, 8193, Int.max])
  func modulusOutOfRange(_ bits: Int) {
    #expect(throws: SigningKeyError.modulusOutOfRange(bits: bits)) {
      try SigningKey.generate(.rs256, id: "x", modulusBits: bits)
    }
  }

  @Test("reports a modulus that is too small for PS512")
  func paddingDoesNotFit() throws {
    let key = try SigningKey.generate(.ps512, id: "x", modulusBits: 1024)
    let error = #expect(throws: SigningKeyError.self) { try key.signature(over: Self.message) }
    #expect(error.map { caseName($0) } == "libcrypto")
  }

  @Test("does not generate secrets, and does not accept a secret for a key pair")
  func secrets() {
    #expect(throws: SigningKeyError.secretNeeded(.hs256)) { try SigningKey.generate(.hs256, id: "x") }
    #expect(throws: SigningKeyError.algorithmDoesNotFitKey(.rs256)) {
      try SigningKey(secret: [1], algorithm: .rs256, id: "x")
    }
  }

  @Test("writes the public key as PEM")
  func pem() throws {
    let text = try #require(try SharedKeys.all()[.rs256].publicKeyPEM())
    #expect(text.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
    #expect(text.hasSuffix("-----END PUBLIC KEY-----\n"))
    #expect(try SharedKeys.all()[.hs256].publicKeyPEM() == nil)
  }
}

/// Reading of private JWKs.
@Suite struct PrivateJWKTests {
  @Test("reads its own output", arguments: DevelopmentKeyName.allCases)
  func roundTrip(_ name: DevelopmentKeyName) throws {
    let key = try SharedKeys.all()[name]
    let copy = try SigningKey(privateJWK: key.privateJWK)
    #expect(copy.privateJWK == key.privateJWK)
    #expect(copy.publicJWK == key.publicJWK)
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let key: DevelopmentKeyName, member: String, value: JSONTree?, error: SigningKeyError
    var testDescription: String { "\(key.rawValue): \(member)" }

    init(_ key: DevelopmentKeyName, _ member: String, _ value: String?, _ error: SigningKeyError? = nil) {
      self.key = key
      self.member = member
      self.value = value.map { .string($0) }
      self.error = error ?? .malformedJWK(member: member)
    }
  }

  @Test(
    "refuses a member that is missing or malformed",
    arguments: [
      Change(.rs256, "kty", nil), Change(.rs256, "kty", "DSA"), Change(.rs256, "kid", nil),
      Change(.rs256, "alg", nil), Change(.rs256, "alg", "none"), Change(.rs256, "n", nil),
      Change(.rs256, "n", ""), Change(.rs256, "n", "AAAB"), Change(.rs256, "n", "a b"),
      Change(.rs256, "e", "AQAB="), Change(.rs256, "d", nil), Change(.rs256, "qi", nil),
      Change(.es256, "crv", "P-224"), Change(.es256, "x", "AQAB"), Change(.es256, "d", nil),
      Change(.eddsa, "crv", "Ed448"), Change(.eddsa, "d", "AQAB"), Change(.hs256, "k", nil),
      Change(.hs256, "k", "YR"), Change(.rs256, "alg", "ES256", .algorithmDoesNotFitKey(.es256)),
      Change(.es256, "alg", "ES384", .algorithmDoesNotFitKey(.es384)),
    ])
  func malformed(_ change: Change) throws {
    var jwk = try SharedKeys.all()[change.key].privateJWK
    jwk[change.member] = change.value
    #expect(throws: change.error) { try SigningKey(privateJWK: jwk) }
  }

  @Test(
    "refuses a public and a private half of different keys",
    arguments: [
      (DevelopmentKeyName.rs256, DevelopmentKeyName.forged, ["n"]), (.es256, .forgedES256, ["d"]),
    ])
  func inconsistent(_ name: DevelopmentKeyName, _ other: DevelopmentKeyName, _ members: [String]) throws {
    var jwk = try SharedKeys.all()[name].privateJWK
    let stranger = try SharedKeys.all()[other].privateJWK
    for member in members { jwk[member] = stranger[member] }
    let error = #expect(throws: SigningKeyError.self) { try SigningKey(privateJWK: jwk) }
    #expect(error == .inconsistentJWK || error.map { caseName($0) } == "libcrypto")
  }
}
