import JSON
import TestSupport
import Testing

@testable import TestTokens

/// The effect of each damage on an RS256 or ES256 token, compared with the undamaged token.
@Suite struct TokenDamageTests {
  /// RS256 signatures are deterministic, so the tokens differ only by the damage.
  private static func pair(
    _ damage: String, algorithm: String = "RS256"
  ) throws -> (good: DissectedToken, damaged: DissectedToken) {
    let recipe = #""claims":{"sub":"user1","n":7},"algorithm":"\#(algorithm)""#
    return (DissectedToken(try mint(recipe)), DissectedToken(try mint(recipe + ",\"damage\":\(damage)")))
  }

  @Test("flips one bit of the signature")
  func signature() throws {
    let (good, damaged) = try Self.pair(#""signature""#)
    #expect(good.segments[..<2] == damaged.segments[..<2])
    let bits = zip(good.signature, damaged.signature).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
    #expect(bits == 1)
    #expect(good.signature.count == damaged.signature.count)
  }

  @Test("changes one byte of the payload, which remains valid JSON")
  func payload() throws {
    let (good, damaged) = try Self.pair(#""payload""#)
    #expect(damaged.payloadText == #"{"sub":"user2","n":7}"#)
    #expect([damaged.segments[0], damaged.segments[2]] == [good.segments[0], good.segments[2]])
  }

  @Test(
    "changes another byte if sub cannot be changed",
    arguments: [
      (#"{\"a\":1}"#, #"{"a":2}"#), (#"{\"sub\":\"\",\"x\":\"b\"}"#, #"{"sub":"","x":"a"}"#),
      (#"{\"sub\":\"u!\",\"x\":true}"#, #"{"sub":"u!","x":trua}"#), (#"{\"sub\":\"A\"}"#, #"{"sub":"a"}"#),
      (#"{\"sub\":\"a\"}"#, #"{"sub":"b"}"#), (#"{\"sub\":\"9\"}"#, #"{"sub":"1"}"#),
    ])
  func payloadWithoutSubject(_ payload: String, _ expected: String) throws {
    let token = DissectedToken(try mint(#""rawPayload":"\#(payload)","damage":"payload""#))
    #expect(token.payloadText == expected)
  }

  @Test("changes the text of the token")
  func text() throws {
    let (good, _) = try Self.pair("[]")
    func damaged(_ damage: String) throws -> [String] { try Self.pair("\"\(damage)\"").damaged.segments }
    let (header, payload, signature) = (good.segments[0], good.segments[1], good.segments[2])
    #expect(try damaged("dropSignature") == [header, payload, ""])
    #expect(try damaged("twoSegments") == [header, payload])
    #expect(try damaged("extraSegment") == [header, payload, signature, "e30"])
    #expect(try damaged("padding") == [header, payload, signature + "="])
    #expect(try damaged("truncate") == [header, payload, String(signature.prefix(171))])
    let plus = signature.prefix(171) + "+" + signature.dropFirst(172)
    #expect(try damaged("badBase64") == [header, payload, String(plus)])
    let half = payload.count / 2
    #expect(
      try damaged("whitespace") == [header, payload.prefix(half) + " " + payload.dropFirst(half), signature])
  }

  @Test("sets an unused bit: another text for the same bytes")
  func trailingBits() throws {
    let (good, damaged) = try Self.pair(#""trailingBits""#)
    #expect(good.segments[2] != damaged.segments[2])
    #expect(good.segments[2].dropLast() == damaged.segments[2].dropLast())
    #expect(good.signature == damaged.signature)
    #expect(Base64URL.decode(Array(damaged.segments[2].utf8)) == nil)
  }

  @Test("makes a signature of zeros", arguments: [("RS256", 256), ("ES256", 64)])
  func zeroSignature(_ algorithm: String, _ count: Int) throws {
    let (_, damaged) = try Self.pair(#""zeroSignature""#, algorithm: algorithm)
    #expect(damaged.signature == [UInt8](repeating: 0, count: count))
  }

  @Test("makes the DER form of an ECDSA signature", arguments: ["ES256", "ES384", "ES512"])
  func derSignature(_ algorithm: String) throws {
    let (_, damaged) = try Self.pair(#""derSignature""#, algorithm: algorithm)
    let name = try #require(DevelopmentKeyName(rawValue: algorithm.lowercased()))
    let stranger = try PublicKey(try #require(try SharedKeys.all()[name].publicJWK))
    #expect(
      try stranger.verifies(damaged.signature, over: damaged.signingInput, algorithm, isSequence: true))
  }

  @Test("applies several damages in their order")
  func order() throws {
    let (good, damaged) = try Self.pair(#"["extraSegment","extraSegment","dropSignature"]"#)
    #expect(damaged.segments == [good.segments[0], good.segments[1], "", "e30", "e30"])
  }

  @Test(
    "reports why a damage is impossible",
    arguments: [
      (#"["twoSegments","padding"]"#, "RS256", TokenDamage.padding, "segment 3 is empty or missing"),
      (#"["dropSignature","truncate"]"#, "RS256", .truncate, "segment 3 is empty or missing"),
      (#"["padding","signature"]"#, "RS256", .signature, "the signature is no longer base64url"),
      (#""derSignature""#, "EdDSA", .derSignature, "a signature of EdDSA has no DER form"),
      (#""trailingBits""#, "ES384", .trailingBits, "a signature of this length has no unused bits"),
      (#"["whitespace","payload"]"#, "RS256", .payload, "the payload has no letter or digit to change"),
    ])
  func impossible(_ damages: String, _ algorithm: String, _ damage: TokenDamage, _ reason: String) {
    #expect(throws: TokenMintError.damageImpossible(name: "good", damage, reason: reason)) {
      try Self.pair(damages, algorithm: algorithm)
    }
  }
}
