import JSON
import TestTokens
import TestSupport
import Testing

@testable import JOSE

/// Random input from a seeded generator, the same in each run. There must be no trap, and a reason for each refusal.
@Suite("Properties")
struct PropertyTests {
  private static let names = [
    "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "azp", "token_use", "auth_time", "events", "nonce", "x",
    "",
    "\u{e9}", "\u{0}",
  ]

  private static let texts = [
    "", "u1", "api", TokenForge.issuer, "\u{0}", "\u{7f}", "\u{85}", "caf\u{e9}", "\u{1f600}", "\u{fffd}",
    "\n", "access",
  ]

  private static let numbers = [
    "0", "-0", "1", "-1", "1.5", "1e3", "1E-3", "1800000000", "1800000600", "1800000600.999", "253402300799",
    "253402300800", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809",
    "1e18", "1e19", "1e400", "1e-400", "0.0000000000000000000000001", "123456789012345678901234567890e-20",
    "1e99999999999999999999", "0e99999999999999999999",
  ]

  private static func value(_ generator: inout SeededGenerator, depth: Int = 0) -> JSONTree {
    switch Int.random(in: 0..<(depth < 4 ? 10 : 7), using: &generator) {
    case 0...2: .number(numbers.randomElement(using: &generator) ?? "0")
    case 3...4: .string(texts.randomElement(using: &generator) ?? "")
    case 5: .boolean(Bool.random(using: &generator))
    case 6: .null
    case 7...8:
      .array((0..<Int.random(in: 0..<4, using: &generator)).map { _ in value(&generator, depth: depth + 1) })
    default: object(&generator, depth: depth + 1)
    }
  }

  private static func object(_ generator: inout SeededGenerator, depth: Int = 0) -> JSONTree {
    var tree = JSONTree.object([])
    for _ in 0..<Int.random(in: 0..<8, using: &generator) {
      tree[names.randomElement(using: &generator) ?? ""] = value(&generator, depth: depth)
    }
    return tree
  }

  /// All rules together, so that each check sees each kind of value.
  private static func gatekeeper() throws -> Gatekeeper {
    Gatekeeper(
      profile: try Gatekeeper.profile(
        leewaySeconds: 60, maximumLifetimeSeconds: 3600, maximumAgeSeconds: 3600,
        rules: [.authorizedParty, .absent("events"), .atMostBytes("sub", 128)], principal: ClaimPath("x.y")),
      keys: try Gatekeeper.standard().keys)
  }

  @Test(
    "random claims, signed by the issuer, are accepted only if they are valid",
    arguments: [UInt64(1), 2, 3, 4])
  func randomClaims(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let gatekeeper = try Self.gatekeeper()
    let good = try JSONTree(parsing: Array(TokenForge.goodClaims.utf8))
      .with([("x", .object([.init(name: "y", value: .string("p1"))]))])
    var (accepted, refused) = (0, 0)
    for _ in 0..<500 {
      // Two of three start with the claims of a good token, because otherwise nearly all would be refused for iss.
      var claims = Int.random(in: 0..<3, using: &generator) == 0 ? Self.object(&generator) : good
      for _ in 0..<Int.random(in: 0..<3, using: &generator) {
        claims[Self.names.randomElement(using: &generator) ?? ""] = Self.value(&generator)
      }
      let verdict = gatekeeper.verdict(
        on: try TokenForge.token(
          header: TokenForge.header("ES256", kid: "es256"),
          claims: String(decoding: claims.bytes(), as: UTF8.self), key: TestKeys.made().es256))
      #expect((verdict.token == nil) == (verdict.rejection != nil))
      guard let token = verdict.token else {
        refused += 1
        continue
      }
      accepted += 1
      #expect(claims["iss"] == .string(TokenForge.issuer))
      #expect(claims["events"] == nil)
      #expect(token.expiresAt + 60 > TokenForge.now)
      #expect(1...128 ~= (token.subject ?? []).count && (token.subject ?? []).allSatisfy { $0 >= 0x20 })
    }
    #expect(accepted > 50)
    #expect(refused > 100)
  }

  @Test("random texts are refused", arguments: [UInt64(11), 12])
  func randomTexts(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_....eyJ".utf8)
    let gatekeeper = try Self.gatekeeper()
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<64, using: &generator)
      let isRaw = Int.random(in: 0..<4, using: &generator) == 0
      let text = (0..<count).map { _ in
        isRaw ? UInt8.random(in: 0...255, using: &generator) : alphabet.randomElement(using: &generator) ?? 0
      }
      let verdict = gatekeeper.verdict(on: text)
      #expect(verdict.rejection != nil)
      #expect(verdict.signatureChecks == 0)
    }
  }

  @Test("random headers never select a key of another party", arguments: [UInt64(21), 22])
  func randomHeaders(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let attacker = try TestKeys.made().attackerES256
    let names = ["alg", "kid", "typ", "cty", "crit", "b64", "jwk", "jku", "x5c", "enc", "zip"]
    let words = ["ES256", "RS256", "HS256", "none", "es256", "rsa", "JWT", "at+jwt", ""]
    for _ in 0..<1000 {
      var header = try JSONTree(parsing: Array(TokenForge.header("ES256", kid: "es256").utf8))
      for _ in 0..<Int.random(in: 0..<4, using: &generator) {
        header[names.randomElement(using: &generator) ?? ""] =
          Bool.random(using: &generator)
          ? .string(words.randomElement(using: &generator) ?? "") : Self.value(&generator)
      }
      let text = try TokenForge.token(
        header: header.bytes(), payload: TokenForge.goodClaims.utf8, key: attacker)
      #expect(try Gatekeeper.standard().verdict(on: text).rejection != nil)
    }
  }

  @Test("random key sets are accepted or refused without a trap", arguments: [UInt64(31), 32])
  func randomKeySets(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let good = try TestKeys.made().published.compactMap(\.publicJWK)
    let names = ["kty", "kid", "use", "alg", "key_ops", "crv", "x", "y", "n", "e", "d", "k"]
    let words = ["RSA", "EC", "OKP", "oct", "sig", "enc", "RS256", "ES256", "P-256", "AQAB", "AA", ""]
    for _ in 0..<500 {
      let keys = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
        var key = good.randomElement(using: &generator) ?? .null
        for _ in 0..<Int.random(in: 0..<3, using: &generator) {
          key[names.randomElement(using: &generator) ?? ""] =
            Bool.random(using: &generator)
            ? .string(words.randomElement(using: &generator) ?? "") : Self.value(&generator)
        }
        return key
      }
      do throws(KeySetError) {
        let set = try KeySet(parsing: JSONTree.keySet(keys).bytes())
        #expect(set.keys.count + set.unusable.count + set.mergedMembers == keys.count)
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }
}
