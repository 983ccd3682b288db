import TestTokens
import Testing
import TestSupport

@testable import JOSE

/// Attacks on the signature, rows B8, B9 and B12 to B18 of the catalog.
@Suite("B. Signatures")
struct SignatureAttackTests {
  /// A change of a valid signature.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable ([UInt8]) -> [UInt8]

    init(_ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
      testDescription = name
      self.change = change
    }
  }

  /// The verdict on a token with a changed signature. Also checks that the unchanged token is accepted.
  private func rejection(_ key: SigningKey, _ change: ([UInt8]) -> [UInt8]) throws -> Gatekeeper.Verdict {
    let good = try TokenForge.token(
      header: TokenForge.header(key.algorithm.rawValue, kid: key.id), key: key)
    #expect(try Gatekeeper.standard().verdict(on: good).rejection == nil)
    let parts = TokenForge.segments(of: good)
    let signature = change(try #require(Base64URL.decode(parts[2])))
    return try Gatekeeper.standard().verdict(
      on: parts[0] + [0x2E] + parts[1] + [0x2E] + TokenForge.base64url(signature))
  }

  static let zero: [Case] = [
    Case("r = 0 and s = 0") { [UInt8](repeating: 0, count: $0.count) },
    Case("r = 0") { [UInt8](repeating: 0, count: $0.count / 2) + $0.suffix($0.count / 2) },
    Case("s = 0") { $0.prefix($0.count / 2) + [UInt8](repeating: 0, count: $0.count / 2) },
    Case("r = s = 1") { signature in
      let half = [UInt8](repeating: 0, count: signature.count / 2 - 1) + [1]
      return half + half
    },
    Case("all ones") { [UInt8](repeating: 0xFF, count: $0.count) },
  ]

  @Test("B8 psychic signatures", arguments: zero)
  func psychicSignatures(change: Case) throws {
    let keys = try TestKeys.made()
    for key in [keys.es256, keys.es384, keys.es512] {
      let verdict = try rejection(key, change.change)
      #expect(verdict.rejection == .signatureMismatch)
      // libcrypto is called only for 1 ≤ r, s < n.
      #expect(verdict.signatureChecks == (change.testDescription == "r = s = 1" ? 1 : 0))
    }
  }

  @Test("B8 r and s are below the order of the group", arguments: Curve.allCases)
  func orderOfGroup(curve: Curve) {
    let order = curve.order
    let one = [UInt8](repeating: 0, count: order.count - 1) + [1]
    let below = Array(order.dropLast()) + [order[order.count - 1] - 1]
    let above = Array(order.dropLast()) + [order[order.count - 1] + 1]
    #expect(ECDSASignature(one + one, curve) != nil)
    #expect(ECDSASignature(below + below, curve) != nil)
    for number in [order, above, [UInt8](repeating: 0xFF, count: order.count)] {
      #expect(ECDSASignature(number + one, curve) == nil)
      #expect(ECDSASignature(one + number, curve) == nil)
    }
  }

  static let lengths: [Case] = [
    Case("one byte short") { $0.dropLast() },
    Case("first byte removed") { Array($0.dropFirst()) },
    Case("two bytes short") { $0.dropLast(2) },
    Case("a zero before it") { [0] + $0 },
    Case("a zero after it") { $0 + [0] },
    Case("a zero before both halves") { [0] + $0.prefix($0.count / 2) + [0] + $0.suffix($0.count / 2) },
    Case("twice") { $0 + $0 },
    Case("half") { Array($0.prefix($0.count / 2)) },
    Case("one byte") { Array($0.prefix(1)) },
  ]

  private static func der(_ signature: [UInt8]) -> [UInt8] {
    let half = signature.count / 2
    func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      let digits = bytes.drop { $0 == 0 }
      let content = (digits.first ?? 0 >= 0x80 ? [0] : []) + digits
      return [0x02, UInt8(content.count)] + content
    }
    let content = integer(signature[..<half]) + integer(signature[half...])
    return [0x30] + (content.count < 128 ? [] : [0x81]) + [UInt8(content.count)] + content
  }

  @Test("B9 ES* signatures have a fixed length", arguments: lengths + [Case("DER") { der($0) }])
  func lengthOfECDSA(change: Case) throws {
    let keys = try TestKeys.made()
    for key in [keys.es256, keys.es384, keys.es512] {
      let verdict = try rejection(key, change.change)
      #expect(verdict.rejection == .signatureMismatch)
      #expect(verdict.signatureChecks == 0)
    }
  }

  @Test("B13 RSA signatures are as long as the modulus", arguments: lengths)
  func lengthOfRSA(change: Case) throws {
    let verdict = try rejection(TestKeys.made().rsa, change.change)
    #expect(verdict.rejection == .signatureMismatch)
    #expect(verdict.signatureChecks == 0)
  }

  @Test("B13 a signature number above the modulus is refused")
  func addedModulus() throws {
    let key = try TestKeys.made().rsa
    let verdict = try rejection(key) { [UInt8](repeating: 0xFF, count: $0.count) }
    #expect(verdict.rejection == .signatureMismatch)
    let zero = try rejection(key) { [UInt8](repeating: 0, count: $0.count) }
    #expect(zero.rejection == .signatureMismatch)
    let one = try rejection(key) { [UInt8](repeating: 0, count: $0.count - 1) + [1] }
    #expect(one.rejection == .signatureMismatch)
  }

  @Test("B15 Ed25519 signatures have 64 bytes", arguments: lengths)
  func lengthOfEdwards(change: Case) throws {
    let verdict = try rejection(TestKeys.made().ed25519, change.change)
    #expect(verdict.rejection == .signatureMismatch)
    #expect(verdict.signatureChecks == 0)
  }

  @Test("B15 S is below the order of the group, so a signature has no second valid form")
  func malleabilityOfEdwards() throws {
    // L = 2^252 + 27742317777372353535851937790883648493 (RFC 8032 section 5.1), little-endian.
    let order: [UInt8] = [
      0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ]
    let verdict = try rejection(TestKeys.made().ed25519) { signature in
      var carry = 0
      let moved = zip(signature.suffix(32), order).map { digit, summand in
        let sum = Int(digit) + Int(summand) + carry
        carry = sum >> 8
        return UInt8(truncatingIfNeeded: sum)
      }
      return signature.prefix(32) + moved
    }
    #expect(verdict.rejection == .signatureMismatch)
    #expect(verdict.signatureChecks == 1)
  }

  @Test(
    "B16 a secret is at least as long as the digest, and is not PEM text",
    arguments: [(Algorithm.hs256, 32), (.hs384, 48), (.hs512, 64)])
  func secrets(algorithm: Algorithm, minimum: Int) throws {
    #expect(
      try SharedSecret([UInt8](repeating: 7, count: minimum), for: [algorithm]).algorithms == [algorithm])
    for count in [0, 1, minimum - 1] {
      #expect(throws: SharedSecret.Flaw.tooShort(algorithm: algorithm, bytes: count, minimum: minimum)) {
        try SharedSecret([UInt8](repeating: 7, count: count), for: [algorithm])
      }
    }
    let pem = String(decoding: try TestKeys.made().edwardsPEM, as: UTF8.self)
    for text in [pem, "\n \t\r" + pem, "-----BEGIN CERTIFICATE-----" + String(repeating: "A", count: 64)] {
      #expect(throws: SharedSecret.Flaw.looksLikePEM) { try SharedSecret(Array(text.utf8), for: [algorithm]) }
    }
  }

  @Test("B17 a truncated or extended tag is refused", arguments: [1, 8, 16, 31, 33, 64])
  func truncatedTag(bytes: Int) throws {
    let material = [UInt8](repeating: 7, count: 32)
    let key = try SigningKey(secret: material, algorithm: .hs256, id: "rsa")
    let secret = try SharedSecret(material, for: [.hs256])
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(algorithms: [.hs256]), keys: try Gatekeeper.standard().keys)
    let good = try TokenForge.token(header: TokenForge.header("HS256"), key: key)
    #expect(gatekeeper.verdict(on: good, secret: secret).rejection == nil)
    let parts = TokenForge.segments(of: good)
    let tag = try #require(Base64URL.decode(parts[2]))
    let changed = Array((tag + tag).prefix(bytes))
    let verdict = gatekeeper.verdict(
      on: parts[0] + [0x2E] + parts[1] + [0x2E] + TokenForge.base64url(changed), secret: secret)
    #expect(verdict.rejection == .signatureMismatch)
    #expect(verdict.signatureChecks == 0)
  }

  @Test("B17 a change of any bit of a tag is refused", arguments: 0..<32)
  func changedTag(index: Int) throws {
    let material = [UInt8](repeating: 7, count: 32)
    let key = try SigningKey(secret: material, algorithm: .hs256, id: "rsa")
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(algorithms: [.hs256]), keys: try Gatekeeper.standard().keys)
    let parts = TokenForge.segments(of: try TokenForge.token(header: TokenForge.header("HS256"), key: key))
    for bit in 0..<8 {
      var tag = try #require(Base64URL.decode(parts[2]))
      tag[index] ^= 1 << UInt8(bit)
      let verdict = gatekeeper.verdict(
        on: parts[0] + [0x2E] + parts[1] + [0x2E] + TokenForge.base64url(tag),
        secret: try SharedSecret(material, for: [.hs256]))
      #expect(verdict.rejection == .signatureMismatch)
    }
  }

  /// B12 and B14 need signatures that only Wycheproof contains: PSS with another salt or MGF1, PKCS #1 without NULL.
  @Test(
    "B12, B14, B18 other salts, other MGF1 digests and a missing NULL are refused",
    .enabled(if: Wycheproof.isPresent, Comment(rawValue: SharedMaterial.absence)),
    arguments: Wycheproof.signatureFiles.filter { $0.isNegative || $0.algorithm.rawValue.hasPrefix("RS") })
  func paddings(file: Wycheproof.File) throws {
    #expect(try Wycheproof.signatures(file).differences == Set(file.exceptions.keys))
  }
}
