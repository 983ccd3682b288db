import JSON
import TestTokens
import Testing

@testable import JOSE

/// Validation of single keys, rows B4 to B7, B11 and B15 of the catalog.
@Suite("B. Key validation")
struct KeyGateTests {
  /// The flaw of a key; `nil` if it is usable.
  ///
  /// The key set also contains a good key, which must always be usable.
  private func flaw(_ key: JSONTree, policy: KeyPolicy = KeyPolicy()) throws -> KeyFlaw? {
    let goodKey = try #require(TestKeys.made().ed25519.publicJWK)
    let set = try Gatekeeper.keySet([key, goodKey], policy: policy)
    #expect(set.keys.contains { $0.keyID == Array("ed25519".utf8) })
    #expect(set.keys.count + set.unusable.count == 2)
    return set.unusable.first?.flaw
  }

  private static func rsa(_ changes: [(String, JSONTree?)]) throws -> JSONTree {
    try #require(TestKeys.made().rsa.publicJWK).with(changes)
  }

  private static func ec(_ changes: [(String, JSONTree?)]) throws -> JSONTree {
    try #require(TestKeys.made().es256.publicJWK).with(changes)
  }

  private static func bytes(_ member: String, of key: JSONTree) throws -> [UInt8] {
    guard case .string(let text)? = key[member] else { throw KeyFlaw.malformedMember(member, .missing) }
    return try #require(Base64URL.decode(Array(text.utf8)))
  }

  private static func text(_ bytes: [UInt8]) -> JSONTree { .string(TokenForge.base64url(text: bytes)) }

  /// An odd number with this number of bits, enough for the checks of a modulus up to its size.
  private static func number(bits: Int) -> [UInt8] {
    let bytes = (bits + 7) / 8
    return [UInt8(1 << ((bits - 1) % 8))] + [UInt8](repeating: 0x5A, count: bytes - 2) + [0x0D]
  }

  @Test("B4 good keys of every kind are usable")
  func goodKeys() throws {
    for key in try TestKeys.made().published where key.id != "ed25519" {
      #expect(try flaw(#require(key.publicJWK)) == nil, "\(key.id)")
    }
  }

  private static let otherUse = KeyFlaw.notForSignatures(member: "use")
  private static let otherOperations = KeyFlaw.notForSignatures(member: "key_ops")

  static let descriptions: [(name: String, value: JSONTree?, flaw: KeyFlaw?)] = [
    ("use", nil, nil), ("use", .string("sig"), nil), ("use", .string("enc"), otherUse),
    ("use", .string("SIG"), otherUse), ("use", .string(""), otherUse),
    ("use", .null, otherUse), ("use", .array([.string("sig")]), otherUse),
    ("key_ops", .array([.string("verify")]), nil),
    ("key_ops", .array([.string("sign")]), otherOperations), ("key_ops", .array([]), otherOperations),
    ("key_ops", .array([.string("encrypt"), .string("wrapKey")]), otherOperations),
    ("key_ops", .string("verify"), .malformedMember("key_ops", .notAList)),
    ("key_ops", .null, .malformedMember("key_ops", .notAList)),
    ("alg", nil, nil), ("alg", .string("PS256"), nil), ("alg", .string("ES256"), .algorithmMismatch),
    ("alg", .string("HS256"), .algorithmMismatch), ("alg", .string("none"), .algorithmMismatch),
    ("alg", .string("rs256"), .algorithmMismatch), ("alg", .string("RSA-OAEP"), .algorithmMismatch),
    ("alg", .string(""), .algorithmMismatch), ("alg", .null, .malformedMember("alg", .notText)),
    ("kty", nil, .malformedMember("kty", .missing)), ("kty", .null, .malformedMember("kty", .notText)),
    ("kty", .string("rsa"), .unsupportedType), ("kty", .string("AKP"), .unsupportedType),
    ("kty", .string("oct"), .symmetric), ("kty", .string("EC"), .malformedMember("crv", .missing)),
    ("kid", nil, nil), ("kid", .number("1"), .malformedMember("kid", .notText)),
    ("kid", .string(""), .malformedMember("kid", .empty)),
    ("kid", .string(String(repeating: "k", count: 256)), nil),
    ("kid", .string(String(repeating: "k", count: 257)), .malformedMember("kid", .tooLong(limit: 256))),
    ("x5c", .array([.string("MIIB")]), nil), ("unknown", .object([]), nil),
    ("k", .string("AAAA"), .symmetric), ("d", .string("AAAA"), .privateKeyPublished),
    ("p", .string(""), .privateKeyPublished), ("q", .null, .privateKeyPublished),
    ("dp", .string("AAAA"), .privateKeyPublished), ("dq", .string("AAAA"), .privateKeyPublished),
    ("qi", .string("AAAA"), .privateKeyPublished), ("oth", .array([]), .privateKeyPublished),
  ]

  @Test("B4 use, key_ops, alg, kty, kid and private members", arguments: 0..<descriptions.count)
  func description(index: Int) throws {
    let (name, value, expected) = Self.descriptions[index]
    #expect(try flaw(Self.rsa([(name, value)])) == expected)
  }

  @Test("B4 a private key of any kind in the set is refused")
  func privateKeys() throws {
    for key in try TestKeys.made().published where key.id != "ed25519" {
      #expect(try flaw(key.privateJWK) == .privateKeyPublished)
    }
  }

  @Test(
    "B4 a member of the list that is not an object",
    arguments: [JSONTree.null, .string("key"), .array([]), .number("1")])
  func noObject(value: JSONTree) throws { #expect(try flaw(value) == .notAnObject) }

  @Test(
    "B5, B6 a modulus has 2048 to 8192 bits, counted exactly",
    arguments: [
      (512, false), (1024, false), (2040, false), (2047, false), (2048, true), (2049, true), (3072, true),
      (4096, true), (8192, true), (8193, false), (16384, false),
    ])
  func modulusSize(bits: Int, isGood: Bool) throws {
    #expect(
      try flaw(Self.rsa([("n", Self.text(Self.number(bits: bits)))])) == (isGood ? nil : .rsaBits(bits)))
  }

  @Test(
    "B5 a real key of 1024 bits and its tokens are refused; one of 2304 bits is accepted",
    arguments: [1024, 2304])
  func realSizes(bits: Int) throws {
    let key = try SigningKey.generate(.rs256, id: "sized", modulusBits: bits)
    #expect(try flaw(#require(key.publicJWK)) == (bits < 2048 ? .rsaBits(bits) : nil))
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(),
      keys: try Gatekeeper.keySet([
        try #require(key.publicJWK), try #require(TestKeys.made().ed25519.publicJWK),
      ]))
    let text = try TokenForge.token(header: TokenForge.header(kid: "sized"), key: key)
    #expect(gatekeeper.verdict(on: text).rejection == (bits < 2048 ? .unknownKey : nil))
  }

  static let moduli: [(name: String, change: @Sendable ([UInt8]) -> JSONTree?, flaw: MemberFlaw)] = [
    ("absent", { _ in nil }, .missing), ("null", { _ in .null }, .notText),
    ("number", { _ in .number("3") }, .notText), ("empty", { _ in .string("") }, .empty),
    ("zero", { _ in .string("AA") }, .zero), ("zeros", { _ in .string("AAAA") }, .zero),
    ("even", { text($0.dropLast() + [0x10]) }, .even),
    ("too little padding", { .string(TokenForge.base64url(text: $0) + "=") }, .notBase64),
    ("too much padding", { .string(TokenForge.base64url(text: $0) + "===") }, .notBase64),
    ("only padding", { _ in .string("==") }, .notBase64),
    ("padding inside", { .string("==" + TokenForge.base64url(text: $0)) }, .notBase64),
    ("white space", { .string(" " + TokenForge.base64url(text: $0)) }, .notBase64),
    ("a line feed", { .string(TokenForge.base64url(text: $0) + "\n") }, .notBase64),
    ("two alphabets", { .string("-_+/" + TokenForge.base64url(text: $0)) }, .notBase64),
    ("trailing bits", { .string(String(TokenForge.base64url(text: $0).dropLast()) + "_") }, .notBase64),
  ]

  @Test("B5 invalid moduli, each with its flaw", arguments: 0..<moduli.count)
  func modulus(index: Int) throws {
    let (_, change, expected) = Self.moduli[index]
    let number = try Self.bytes("n", of: #require(TestKeys.made().rsa.publicJWK))
    #expect(try flaw(Self.rsa([("n", change(number))])) == .malformedMember("n", expected))
  }

  static let exponents: [(bytes: [UInt8], standard: KeyFlaw?, with3: KeyFlaw?)] = [
    ([1, 0, 1], nil, nil), ([1, 0, 3], nil, nil), ([0xFF, 0xFF, 0xFF, 0xFF], nil, nil),
    ([3], .rsaExponent, nil), ([17], .rsaExponent, nil), ([0xFF, 0xFF], .rsaExponent, nil),
    ([1], .rsaExponent, .rsaExponent), ([2], .rsaExponent, .rsaExponent), ([4], .rsaExponent, .rsaExponent),
    ([1, 0, 0], .rsaExponent, .rsaExponent), ([1, 0, 2], .rsaExponent, .rsaExponent),
    ([1, 0, 0, 0, 1], .rsaExponent, .rsaExponent),
    ([UInt8](repeating: 0xFF, count: 256), .rsaExponent, .rsaExponent),
    ([0], .malformedMember("e", .zero), .malformedMember("e", .zero)),
    ([0, 1, 0, 1], nil, nil), ([0, 3], .rsaExponent, nil), ([0, 1], .rsaExponent, .rsaExponent),
    ([], .malformedMember("e", .empty), .malformedMember("e", .empty)),
  ]

  @Test(
    "B6 an exponent is odd and from 65537 (3 by option) to 2^32, in any encoding",
    arguments: 0..<exponents.count)
  func exponent(index: Int) throws {
    let (bytes, standard, with3) = Self.exponents[index]
    let key = try Self.rsa([("e", Self.text(bytes))])
    #expect(try flaw(key) == standard)
    #expect(try flaw(key, policy: KeyPolicy(minimumRSAExponent: 3)) == with3)
  }

  @Test("B6 no policy allows e = 1: every text would be its own signature", arguments: [UInt64(0), 1, 2])
  func exponentFloor(minimum: UInt64) throws {
    let policy = KeyPolicy(minimumRSAExponent: minimum)
    #expect(policy.minimumRSAExponent == 3)
    #expect(try flaw(Self.rsa([("e", Self.text([1]))]), policy: policy) == .rsaExponent)
    #expect(try flaw(Self.rsa([("e", Self.text([3]))]), policy: policy) == nil)
  }

  /// 65537 to the power of 200 has the fingerprint modulo every prime, in 3201 bits; so has Wycheproof's
  /// `json_web_key_test.json` tcId 7.
  static let powerOf65537 = (0..<200).reduce([1]) { power, _ in product(power, [1, 0, 1]) }
  /// The primes from 3 to 167.
  static let fingerprintPrimes = (3...167).filter { number in
    (2..<14).allSatisfy { number == $0 || number % $0 != 0 }
  }

  @Test("B7 a modulus with the ROCA fingerprint is refused")
  func roca() throws {
    #expect(Self.powerOf65537.count == 401)
    #expect(try flaw(Self.rsa([("n", Self.text(Self.powerOf65537))])) == .roca)
  }

  @Test(
    "B7 a modulus that lacks the ROCA fingerprint for one prime is accepted", arguments: fingerprintPrimes)
  func notROCA(prime: Int) throws {
    // A multiple of 2 and of the other primes changes the remainder by this one only, in the end to 0.
    let step = Self.fingerprintPrimes.filter { $0 != prime }.reduce([2]) { Self.product($0, [UInt8($1)]) }
    var modulus = Self.powerOf65537
    while modulus.reduce(0, { ($0 << 8 | Int($1)) % prime }) != 0 { modulus = Self.sum(modulus, step) }
    #expect(try flaw(Self.rsa([("n", Self.text(modulus))])) == nil)
  }

  /// - Parameter right: shorter than `left`.
  private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var sum = left
    var carry = 0
    for index in 1...left.count {
      carry += Int(left[left.count - index]) + (index <= right.count ? Int(right[right.count - index]) : 0)
      sum[left.count - index] = UInt8(carry & 0xFF)
      carry >>= 8
    }
    return sum
  }

  private static func product(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var digits = [Int](repeating: 0, count: left.count + right.count)
    for (i, a) in left.reversed().enumerated() {
      for (j, b) in right.reversed().enumerated() { digits[i + j] += Int(a) * Int(b) }
    }
    var carry = 0
    let bytes = digits.map { digit -> UInt8 in
      carry += digit
      defer { carry >>= 8 }
      return UInt8(carry & 0xFF)
    }
    return Array(bytes.reversed().drop { $0 == 0 })
  }

  private static func length(_ member: String, _ count: Int, _ expected: Int) -> KeyFlaw {
    .malformedMember(member, .length(count, expected: expected))
  }

  static let points: [(name: String, changes: [(String, JSONTree?)], flaw: KeyFlaw)] = [
    ("no crv", [("crv", nil)], .malformedMember("crv", .missing)),
    ("crv of another curve", [("crv", .string("P-384"))], length("x", 32, 48)),
    ("secp256k1", [("crv", .string("secp256k1"))], .unsupportedCurve),
    ("p-256", [("crv", .string("p-256"))], .unsupportedCurve),
    ("Ed25519", [("crv", .string("Ed25519"))], .unsupportedCurve),
    ("no x", [("x", nil)], .malformedMember("x", .missing)),
    ("no y", [("y", nil)], .malformedMember("y", .missing)),
    ("short x", [("x", text([UInt8](repeating: 1, count: 31)))], length("x", 31, 32)),
    ("long x", [("x", text([UInt8](repeating: 1, count: 33)))], length("x", 33, 32)),
    ("short y", [("y", text([UInt8](repeating: 1, count: 31)))], length("y", 31, 32)),
    ("long y", [("y", text([0] + [UInt8](repeating: 1, count: 32)))], length("y", 33, 32)),
    (
      "zero point",
      [("x", text([UInt8](repeating: 0, count: 32))), ("y", text([UInt8](repeating: 0, count: 32)))],
      .notOnCurve
    ),
    ("off the curve", [("y", text([UInt8](repeating: 1, count: 32)))], .notOnCurve),
    ("past the field", [("x", text([UInt8](repeating: 0xFF, count: 32)))], .notOnCurve),
    ("alg of another curve", [("alg", .string("ES384"))], .algorithmMismatch),
    ("alg of RSA", [("alg", .string("RS256"))], .algorithmMismatch),
    ("alg ES256K", [("alg", .string("ES256K"))], .algorithmMismatch),
    ("compressed form", [("y", .boolean(true))], .malformedMember("y", .notText)),
  ]

  @Test("B10, B11 coordinates have the curve's length and are on the curve", arguments: 0..<points.count)
  func point(index: Int) throws {
    let (name, changes, expected) = Self.points[index]
    #expect(try flaw(Self.ec(changes)) == expected, "\(name)")
  }

  @Test("B11 a P-256 point with crv P-384, padded to its length, is refused")
  func otherCurve() throws {
    let key = try #require(TestKeys.made().es256.publicJWK)
    let zeros = [UInt8](repeating: 0, count: 16)
    let padded = try ["x", "y"].map { Self.text(zeros + (try Self.bytes($0, of: key))) }
    let changes: [(String, JSONTree?)] = [
      ("crv", .string("P-384")), ("x", padded[0]), ("y", padded[1]), ("alg", .string("ES384")),
    ]
    #expect(try flaw(key.with(changes)) == .notOnCurve)
  }
}
