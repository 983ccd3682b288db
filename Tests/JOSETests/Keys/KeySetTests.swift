import JSON
import TestTokens
import Testing

@testable import JOSE

/// Key sets as a whole, and the selection of a key for a token.
@Suite("B. Key sets")
struct KeySetTests {
  private static func header(_ algorithm: String, kid: String?) throws -> TokenHeader {
    let text = kid.map { TokenForge.header(algorithm, kid: $0) } ?? #"{"alg":"\#(algorithm)"}"#
    return try CompactJWS(parsing: TokenForge.token(header: text)).header
  }

  private static func jwk(_ key: SigningKey, _ changes: [(String, JSONTree?)] = []) throws -> JSONTree {
    try #require(key.publicJWK).with(changes)
  }

  @Test(
    "texts that are not key sets are refused",
    arguments: [
      ("", KeySetError.notJSON(.unexpectedEnd(offset: 0))),
      ("<html>", .notJSON(.unexpectedByte(0x3C, offset: 0))),
      ("{\"keys\":[]}x", .notJSON(.trailingBytes(offset: 11))),
      ("{\"keys\":[],\"keys\":[]}", .notJSON(.duplicateName(offset: 11))),
      ("{\"keys\":[{\"kty\":\"RSA\",\"\\u006bty\":\"EC\"}]}", .notJSON(.duplicateName(offset: 22))),
      ("\u{feff}{\"keys\":[]}", .noUsableKey([])),
      ("\u{feff}\u{feff}{\"keys\":[]}", .notJSON(.byteOrderMark)),
      ("\u{feff}", .notJSON(.unexpectedEnd(offset: 0))),
      ("[]", .notAKeySet), ("{}", .notAKeySet), ("{\"Keys\":[]}", .notAKeySet),
      ("{\"keys\":{}}", .notAKeySet),
      ("{\"keys\":null}", .notAKeySet), ("\"keys\"", .notAKeySet), ("{\"keys\":[]}", .noUsableKey([])),
      (
        "{\"keys\":[{}]}",
        .noUsableKey([KeySet.UnusableKey(keyID: nil, flaw: .malformedMember("kty", .missing))])
      ),
    ])
  func malformed(text: String, expected: KeySetError) {
    #expect(throws: expected) { try KeySet(parsing: Array(text.utf8)) }
  }

  @Test("at most 64 keys and 256 KiB")
  func limits() throws {
    let key = try TestKeys.made().es256
    func keys(_ count: Int) throws -> [JSONTree] {
      try (0..<count).map { try Self.jwk(key, [("kid", .string("k\($0)"))]) }
    }
    #expect(try Gatekeeper.keySet(keys(64)).keys.count == 64)
    #expect(throws: KeySetError.tooManyKeys(65, limit: 64)) { try Gatekeeper.keySet(keys(65)) }
    let document = JSONTree.keySet(try keys(1)).bytes()
    let blanks = [UInt8](repeating: 0x20, count: (256 << 10) - document.count)
    #expect(try KeySet(parsing: document + blanks).keys.count == 1)
    #expect(throws: KeySetError.notJSON(.tooLarge(bytes: (256 << 10) + 1, limit: 256 << 10))) {
      try KeySet(parsing: document + blanks + [0x20])
    }
  }

  @Test("unusable keys do not affect the usable keys")
  func unusableKeys() throws {
    let keys = try TestKeys.made()
    let set = try Gatekeeper.keySet([
      .null, .object([.init(name: "kty", value: .string("AKP"))]),
      try Self.jwk(keys.rsa, [("use", .string("enc")), ("kid", .string("encryption"))]),
      try Self.jwk(keys.rsa),
      try Self.jwk(keys.es384, [("alg", .string("ECDH-ES")), ("kid", .string("agreement"))]),
      try Self.jwk(keys.es256), keys.ed25519.privateJWK,
    ])
    #expect(set.keys.map(\.keyID) == [Array("rsa".utf8), Array("es256".utf8)])
    #expect(
      set.unusable == [
        .init(keyID: nil, flaw: .notAnObject), .init(keyID: nil, flaw: .unsupportedType),
        .init(keyID: Array("encryption".utf8), flaw: .notForSignatures(member: "use")),
        .init(keyID: Array("agreement".utf8), flaw: .algorithmMismatch),
        .init(keyID: Array("ed25519".utf8), flaw: .privateKeyPublished),
      ])
    let gatekeeper = Gatekeeper(profile: try Gatekeeper.profile(), keys: set)
    #expect(gatekeeper.verdict(on: try TokenForge.token()).rejection == nil)
  }

  @Test("kid is matched exactly, and never without the algorithm")
  func selectionByKeyID() throws {
    let set = try Gatekeeper.standard().keys
    for key in try TestKeys.made().published {
      let header = try Self.header(key.algorithm.rawValue, kid: key.id)
      #expect(set.key(for: header)?.keyID == Array(key.id.utf8))
      #expect(set.key(for: try Self.header("RS384", kid: key.id)) == nil)
      #expect(set.key(for: try Self.header(key.algorithm.rawValue, kid: key.id + "x")) == nil)
      #expect(set.key(for: try Self.header(key.algorithm.rawValue, kid: key.id.uppercased())) == nil)
    }
  }

  @Test("a token without kid gets the only fitting key, or none")
  func selectionWithoutKeyID() throws {
    let keys = try TestKeys.made()
    let unnamed: [(String, JSONTree?)] = [("kid", nil)]
    for (members, algorithm, finds) in [
      ([try Self.jwk(keys.rsa)], "RS256", true), ([try Self.jwk(keys.rsa, unnamed)], "RS256", true),
      ([try Self.jwk(keys.rsa), try Self.jwk(keys.es256)], "RS256", true),
      ([try Self.jwk(keys.rsa), try Self.jwk(keys.es256)], "ES256", true),
      ([try Self.jwk(keys.rsa), try Self.jwk(keys.es256)], "PS256", false),
      (
        [try Self.jwk(keys.rsa), try Self.jwk(keys.attackerRSA, [("kid", .string("second"))])], "RS256", false
      ),
      ([try Self.jwk(keys.rsa, unnamed), try Self.jwk(keys.attackerRSA, unnamed)], "RS256", false),
      ([try Self.jwk(keys.rsa, [("alg", nil)]), try Self.jwk(keys.attackerRSA, unnamed)], "RS256", false),
      ([try Self.jwk(keys.rsa, [("alg", nil)]), try Self.jwk(keys.attackerRSA, unnamed)], "PS256", true),
    ] as [([JSONTree], String, Bool)] {
      let set = try Gatekeeper.keySet(members)
      #expect((set.key(for: try Self.header(algorithm, kid: nil)) != nil) == finds)
    }
  }

  @Test("a key without kid is not found by a kid")
  func unnamedKey() throws {
    let set = try Gatekeeper.keySet([try Self.jwk(TestKeys.made().rsa, [("kid", nil)])])
    #expect(set.key(for: try Self.header("RS256", kid: "rsa")) == nil)
    let gatekeeper = Gatekeeper(profile: try Gatekeeper.profile(), keys: set)
    try Forgery("named", .unknownKey).check(gatekeeper)
    try Forgery("unnamed", header: #"{"alg":"RS256"}"#, nil).check(gatekeeper)
  }

  @Test("kids that look the same but have different bytes are different")
  func similarKeyIDs() throws {
    let keys = try TestKeys.made()
    let set = try Gatekeeper.keySet([
      try Self.jwk(keys.rsa, [("kid", .string("caf\u{e9}"))]),
      try Self.jwk(keys.attackerRSA, [("kid", .string("cafe\u{301}"))]),
    ])
    #expect(set.keys.count == 2)
    #expect(set.unusable.isEmpty)
  }

  @Test("each flaw has a stable name")
  func codes() {
    let flaws: [(KeyFlaw, String)] = [
      (.notAnObject, "notAnObject"), (.malformedMember("x", .missing), "malformedMember"),
      (.notForSignatures(member: "use"), "notForSignatures"), (.privateKeyPublished, "privateKeyPublished"),
      (.symmetric, "symmetric"), (.unsupportedType, "unsupportedType"),
      (.unsupportedCurve, "unsupportedCurve"),
      (.algorithmMismatch, "algorithmMismatch"), (.rsaBits(1), "rsaBits"), (.rsaExponent, "rsaExponent"),
      (.roca, "roca"), (.notOnCurve, "notOnCurve"), (.smallOrder, "smallOrder"),
      (.duplicateKeyID, "duplicateKeyID"), (.refusedByLibcrypto, "refusedByLibcrypto"),
    ]
    for (flaw, code) in flaws { #expect(flaw.code == code) }
  }
}
