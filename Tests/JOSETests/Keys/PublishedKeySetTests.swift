import JSON
import TestTokens
import Testing

@testable import JOSE

/// Key sets in the form of real issuers, with generated keys.
@Suite("B. Key sets in the form of real issuers")
struct PublishedKeySetTests {
  /// A key set, the tokens that it verifies, and the tokens that it must refuse.
  struct Shape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let members: @Sendable (TestKeys) throws -> [JSONTree]
    /// Tokens signed with the issuer's key of this type, with this algorithm and `kid`.
    var verifies: [Token] = [Token("RS256", "k")]
    var refuses: [Token] = []
    var deviations: [EncodingDeviation.Kind] = []
    var flaws: [KeyFlaw] = []
  }

  struct Token: Sendable {
    let algorithm: SigningAlgorithm
    let keyID: String?

    init(_ algorithm: String, _ keyID: String?) {
      self.algorithm = SigningAlgorithm(rawValue: algorithm) ?? .hs256
      self.keyID = keyID
    }
  }

  /// Adds the sign octet of Java's `BigInteger.toByteArray`.
  private static func signOctet(_ bytes: [UInt8]) -> [UInt8] { [0] + bytes }

  /// An RSA key with another encoding of its modulus.
  private static func rsa(
    _ keys: TestKeys, _ changes: [(String, JSONTree?)] = [], octets: ([UInt8]) -> [UInt8] = { $0 },
    isStandard: Bool = false, isPadded: Bool = false
  ) throws -> JSONTree {
    let jwk = try jwk(keys.rsa, [("kid", .string("k")), ("use", .string("sig")), ("alg", .string("RS256"))])
    guard case .string(let text)? = jwk["n"] else { throw KeyFlaw.malformedMember("n", .missing) }
    let bytes = try #require(Base64URL.decode(Array(text.utf8)))
    var spelled = TokenForge.base64url(text: octets(bytes))
    if isPadded { spelled += String(repeating: "=", count: (4 - spelled.utf8.count % 4) % 4) }
    if isStandard { spelled = String(spelled.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }) }
    return jwk.with([("n", .string(spelled))] + changes)
  }

  private static func jwk(_ key: SigningKey, _ changes: [(String, JSONTree?)] = []) throws -> JSONTree {
    try #require(key.publicJWK).with(changes)
  }

  private static func named(_ name: String, _ algorithm: String) -> [(String, JSONTree?)] {
    [("kid", .string(name)), ("alg", .string(algorithm))]
  }

  private static let encryption: [(String, JSONTree?)] = [
    ("use", .string("enc")), ("alg", .string("RSA-OAEP")),
  ]

  static let shapes: [Shape] = [
    Shape(
      testDescription: "CILogon: a sign octet, a kid for each algorithm",
      members: { keys in
        try ["RS256", "RS384", "RS512"].map { try rsa(keys, named($0, $0), octets: signOctet) }
      },
      verifies: [Token("RS256", "RS256"), Token("RS384", "RS384"), Token("RS512", "RS512")],
      refuses: [Token("RS256", "RS384"), Token("PS256", "RS256")],
      deviations: [.leadingZero, .leadingZero, .leadingZero]),
    Shape(
      testDescription: "Cloud Foundry UAA: a sign octet, and the same key in PEM",
      members: { keys in
        [try rsa(keys, [("value", .string("-----BEGIN PUBLIC KEY-----"))], octets: signOctet)]
      }, refuses: [Token("RS384", "k")], deviations: [.leadingZero]),
    Shape(
      testDescription: "IBM App ID: a sign octet and no alg",
      members: { keys in [try rsa(keys, [("alg", nil)], octets: signOctet)] },
      refuses: [Token("RS256", "other")], deviations: [.leadingZero]),
    Shape(
      testDescription: "older OpenAM: base64 with padding and a sign octet",
      members: { keys in [try rsa(keys, octets: signOctet, isStandard: true, isPadded: true)] },
      refuses: [Token("RS512", "k")], deviations: [.leadingZero, .padding, .standardAlphabet]),
    Shape(
      testDescription: "Oracle Access Manager: base64url with padding",
      members: { keys in [try rsa(keys, isPadded: true)] }, refuses: [Token("RS384", "k")],
      deviations: [.padding]),
    Shape(
      testDescription: "Keycloak with one imported key: for signatures and for encryption with one kid",
      members: { keys in [try rsa(keys), try rsa(keys, encryption)] },
      refuses: [Token("RS384", "k"), Token("PS256", "k")], flaws: [.notForSignatures(member: "use")]),
    Shape(
      testDescription: "the same, with different material for encryption, as the first member",
      members: { keys in
        [try jwk(keys.attackerRSA, encryption + [("kid", .string("k"))]), try rsa(keys)]
      }, refuses: [Token("RS384", "k")], flaws: [.notForSignatures(member: "use")]),
    Shape(
      testDescription: "OpenAM: one key listed for RS256, RS384 and RS512",
      members: { keys in try ["RS256", "RS384", "RS512"].map { try rsa(keys, named("k", $0)) } },
      verifies: [Token("RS256", "k"), Token("RS384", "k"), Token("RS512", "k"), Token("RS256", nil)],
      refuses: [Token("PS256", "k"), Token("RS256", "other")]),
    Shape(
      testDescription: "the same key twice, once with a sign octet",
      members: { keys in [try rsa(keys), try rsa(keys, octets: signOctet)] },
      verifies: [Token("RS256", "k"), Token("RS256", nil)], refuses: [Token("RS384", "k")],
      deviations: [.leadingZero]),
    Shape(
      testDescription: "the same key with two kids, and a token without kid",
      members: { keys in [try rsa(keys), try rsa(keys, named("other", "RS256"))] },
      verifies: [Token("RS256", "k"), Token("RS256", "other"), Token("RS256", nil)],
      refuses: [Token("RS256", "third")]),
    Shape(
      testDescription: "RSA, EC and Ed25519 with one kid (RFC 7517 section 4.5)",
      members: { keys in
        try [keys.rsa, keys.es256, keys.ed25519].map {
          try jwk($0, [("kid", .string("k")), ("alg", nil)])
        }
      },
      verifies: [Token("RS256", "k"), Token("PS384", "k"), Token("ES256", "k"), Token("EdDSA", "k")],
      refuses: [Token("ES384", "k")]),
    Shape(
      testDescription: "two keys with one kid for different algorithms",
      members: { keys in
        [try rsa(keys), try jwk(keys.attackerRSA, named("k", "RS384"))]
      }, refuses: [Token("RS384", "k"), Token("RS512", "k")]),
    Shape(
      testDescription: "one key for all algorithms, another for one of them: neither is used for that one",
      members: { keys in
        [try rsa(keys, [("alg", nil)]), try jwk(keys.attackerRSA, named("k", "RS384"))]
      }, verifies: [Token("RS256", "k"), Token("PS384", "k")], refuses: [Token("RS384", "k")],
      flaws: [.duplicateKeyID]),
    Shape(
      testDescription: "a bad key with the kid of a good key",
      members: { keys in
        [
          .object([.init(name: "kid", value: .string("k"))]), try rsa(keys, [("e", .string("Aw"))]),
          try rsa(keys),
        ]
      }, refuses: [Token("RS384", "k")], flaws: [.malformedMember("kty", .missing), .rsaExponent]),
  ]

  @Test("D2, S1 key sets verify their tokens", arguments: shapes)
  func shape(_ shape: Shape) throws {
    let keys = try TestKeys.made()
    for members in [try shape.members(keys), try shape.members(keys).reversed()] {
      let set = try Gatekeeper.keySet(members)
      let gatekeeper = Gatekeeper(profile: try Gatekeeper.profile(), keys: set)
      for token in shape.verifies {
        #expect(gatekeeper.verdict(on: try Self.text(token, keys)).rejection == nil, "\(token)")
      }
      for token in shape.refuses {
        let text = try Self.text(token, keys)
        let rejection = gatekeeper.verdict(on: text).rejection
        #expect(rejection == .unknownKey || rejection == .signatureMismatch, "\(token)")
      }
      #expect(
        set.keys.flatMap(\.deviations).map(\.kind.rawValue).sorted()
          == shape.deviations.map(\.rawValue).sorted())
      #expect(set.unusable.map(\.flaw.code).sorted() == shape.flaws.map(\.code).sorted())
      #expect(set.keys.count + set.unusable.count + set.mergedMembers == members.count)
    }
  }

  /// A token signed with the issuer's own key of the algorithm's type, so that the signature is never the reason for a
  /// refusal.
  private static func text(_ token: Token, _ keys: TestKeys) throws -> [UInt8] {
    let name = token.algorithm.rawValue
    let header =
      token.keyID.map { TokenForge.header(name, kid: $0) } ?? #"{"alg":"\#(name)"}"#
    let key =
      switch name.prefix(2) {
      case "RS", "PS": keys.rsa
      case "Ed": keys.ed25519
      default: name == "ES256" ? keys.es256 : keys.es384
      }
    return try TokenForge.token(header: header, key: key, using: token.algorithm)
  }

  /// Members with one kid that make RS256 ambiguous.
  static let ambiguous: [(name: String, members: @Sendable (TestKeys) throws -> [JSONTree])] = [
    ("different material", { [try rsa($0), try jwk($0.attackerRSA, named("k", "RS256"))] }),
    (
      "different material without alg",
      { [try rsa($0), try jwk($0.attackerRSA, [("kid", .string("k")), ("alg", nil)])] }
    ),
    ("the same modulus, another exponent", { [try rsa($0), try rsa($0, [("e", .string("AQAD"))])] }),
    (
      "the same key twice, and different material",
      { [try rsa($0), try rsa($0), try jwk($0.attackerRSA, named("k", "RS256"))] }
    ),
  ]

  @Test("D2 if a token could mean two keys, neither is used", arguments: 0..<ambiguous.count)
  func ambiguity(index: Int) throws {
    let keys = try TestKeys.made()
    let members = try Self.ambiguous[index].members(keys)
    let third = try Self.jwk(keys.es256)
    for order in [members + [third], [third] + members.reversed()] {
      let set = try Gatekeeper.keySet(order)
      let gatekeeper = Gatekeeper(profile: try Gatekeeper.profile(), keys: set)
      #expect(set.unusable.contains { $0.flaw == .duplicateKeyID && $0.keyID == Array("k".utf8) })
      #expect(gatekeeper.verdict(on: try Self.text(Token("RS256", "k"), keys)).rejection == .unknownKey)
      #expect(gatekeeper.verdict(on: try Self.text(Token("RS256", nil), keys)).rejection != nil)
      #expect(gatekeeper.verdict(on: try Self.text(Token("ES256", "es256"), keys)).rejection == nil)
    }
  }

  /// Members with a private half, in addition to a public copy of the same key.
  static let published: [(name: String, member: @Sendable (TestKeys) throws -> JSONTree)] = [
    ("with the same kid", { $0.rsa.privateJWK.with([("kid", .string("k"))]) }),
    ("with another kid", { $0.rsa.privateJWK.with([("kid", .string("other"))]) }),
    ("for encryption", { $0.rsa.privateJWK.with(encryption) }),
    ("with another exponent", { $0.rsa.privateJWK.with([("e", .string("AQAD"))]) }),
    ("with an invalid kid", { $0.rsa.privateJWK.with([("kid", .number("1"))]) }),
    ("only one factor", { try jwk($0.rsa, [("p", $0.rsa.privateJWK["p"])]) }),
  ]

  @Test(
    "D2 a key whose private half is anywhere in the set is not used", arguments: 0..<published.count)
  func publishedPrivateHalf(index: Int) throws {
    let keys = try TestKeys.made()
    let member = try Self.published[index].member(keys)
    for spelled in [try Self.rsa(keys), try Self.rsa(keys, octets: Self.signOctet)] {
      let set = try Gatekeeper.keySet([spelled, member, try Self.jwk(keys.es256)])
      #expect(set.keys.map(\.keyID) == [Array("es256".utf8)])
      #expect(set.unusable.first?.flaw == .privateKeyPublished)
    }
  }

  @Test("D2 a point and its negative share a private half")
  func negativePoints() throws {
    let keys = try TestKeys.made()
    let rsa = try Self.jwk(keys.rsa)
    for (key, changes) in [(keys.es256, []), (keys.ed25519, [("kid", .string("other"))])]
      as [(SigningKey, [(String, JSONTree?)])]
    {
      let set = try Gatekeeper.keySet([try Self.jwk(key), key.privateJWK.with(changes), rsa])
      #expect(set.keys.map(\.keyID) == [Array("rsa".utf8)])
    }
    let x = [UInt8](repeating: 7, count: 32)
    let y = [UInt8](repeating: 9, count: 32)
    #expect(KeyMaterial.ec(.p256, x: x, y: x).sharesPrivateHalf(with: .ec(.p256, x: x, y: y)))
    #expect(!KeyMaterial.ec(.p256, x: x, y: y).sharesPrivateHalf(with: .ec(.p256, x: y, y: y)))
    #expect(KeyMaterial.ed25519(x).sharesPrivateHalf(with: .ed25519(x.dropLast() + [0x87])))
    #expect(!KeyMaterial.ed25519(x).sharesPrivateHalf(with: .ed25519(y)))
    #expect(!KeyMaterial.ed25519(x).sharesPrivateHalf(with: .ec(.p256, x: x, y: y)))
  }

  @Test("S1 encodings that are accepted in key sets are refused in tokens", arguments: ["=", "==", "+", "/"])
  func tokensKeepTheirSpelling(text: String) throws {
    let token = try TokenForge.token()
    let dots = token.indices.filter { token[$0] == 0x2E }
    let gatekeeper = try Gatekeeper.standard()
    for index in [dots[0], dots[1], token.count] {
      let changed = Array(token[..<index]) + Array(text.utf8) + Array(token[index...])
      #expect(gatekeeper.verdict(on: changed).rejection?.code == .malformedToken)
    }
  }

  @Test("S3 a byte order mark before a key set is ignored")
  func byteOrderMark() throws {
    let document = JSONTree.keySet([try Self.jwk(TestKeys.made().rsa)]).bytes()
    let set = try KeySet(parsing: [0xEF, 0xBB, 0xBF] + document)
    #expect(set.keys.count == 1)
    #expect(throws: KeySetError.notJSON(.unexpectedByte(0xEF, offset: 0))) {
      try KeySet(parsing: [0xEF, 0xBB] + document)
    }
  }

  @Test("D1 the error of a set without a usable key contains each key, member and reason")
  func explained() throws {
    let keys = try TestKeys.made()
    let members = [
      try Self.rsa(keys, [("n", .string("not base64"))]), try Self.rsa(keys, [("use", .string("enc"))]),
      try Self.rsa(keys, [("kid", .string("caf\u{e9}\u{1b}[31m")), ("e", nil)]), .null,
    ]
    do throws(KeySetError) {
      _ = try KeySet(parsing: JSONTree.keySet(members).bytes())
      Issue.record("the set has a usable key")
    } catch {
      #expect(
        error.description
          == #"no usable key among 4: key "k": n is not base64url; key "k": use does not allow the key to verify "#
          + #"signatures; key "caf???[31m": e is missing; the key without kid: it is not a JSON object"#)
    }
    let many = [JSONTree](repeating: .object([]), count: 64)
    let flaws = (try? KeySet.members(of: JSONTree.keySet(many).bytes()))?.count
    #expect(flaws == 64)
    #expect(throws: KeySetError.self) { try KeySet(parsing: JSONTree.keySet(many).bytes()) }
  }
}
