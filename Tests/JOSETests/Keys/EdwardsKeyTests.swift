import JSON
import TestTokens
import Testing

@testable import JOSE

/// Validation of Ed25519 keys, row B15 of the catalog and RFC 8037 section 2.
@Suite("B. Ed25519 keys")
struct EdwardsKeyTests {
  private func flaw(_ changes: [(String, JSONTree?)]) throws -> KeyFlaw? {
    let keys = try TestKeys.made()
    let set = try Gatekeeper.keySet([
      try #require(keys.ed25519.publicJWK).with(changes), try #require(keys.rsa.publicJWK),
    ])
    return set.unusable.first?.flaw
  }

  @Test("B15 a key has 32 bytes", arguments: [0, 1, 31, 33, 57, 64])
  func length(count: Int) throws {
    let text = TokenForge.base64url(text: [UInt8](repeating: 9, count: count))
    let expected = count == 0 ? MemberFlaw.empty : .length(count, expected: 32)
    #expect(try flaw([("x", .string(text))]) == .malformedMember("x", expected))
    #expect(try flaw([]) == nil)
  }

  @Test(
    "B15 Ed25519 is the only accepted curve of the type OKP",
    arguments: [
      ("X25519", KeyFlaw.unsupportedCurve), ("X448", .unsupportedCurve), ("Ed448", .unsupportedCurve),
      ("ed25519", .unsupportedCurve),
    ])
  func curves(name: String, expected: KeyFlaw) throws {
    #expect(try flaw([("crv", .string(name))]) == expected)
    #expect(try flaw([("crv", nil)]) == .malformedMember("crv", .missing))
  }

  @Test(
    "B15 alg is one of the two names of the curve's algorithm",
    arguments: ["EdDSA", "Ed25519", "Ed448", "ES256"])
  func algorithm(name: String) throws {
    let isGood = name == "EdDSA" || name == "Ed25519"
    #expect(try flaw([("alg", .string(name))]) == (isGood ? nil : .algorithmMismatch))
  }

  /// The points whose order divides 8, in every encoding: RFC 7748 section 4.1 and "Taming the Many EdDSAs", table 6.
  static let smallOrder: [String] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  ]

  @Test("B15 points of small order are refused with either sign", arguments: smallOrder)
  func smallOrderPoint(hexadecimal: String) throws {
    var key = stride(from: 0, to: 64, by: 2).compactMap { index in
      UInt8(hexadecimal.dropFirst(index).prefix(2), radix: 16)
    }
    for _ in 0..<2 {
      #expect(try flaw([("x", .string(TokenForge.base64url(text: key)))]) == .smallOrder)
      key[31] ^= 0x80
    }
  }

  @Test("B15 a y past the field is not a valid encoding of a point", arguments: UInt8(0xEF)...0xFF)
  func nonCanonical(low: UInt8) throws {
    let key = [low] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    #expect(
      try flaw([("x", .string(TokenForge.base64url(text: key)))]) == .malformedMember("x", .notCanonical))
  }
}
