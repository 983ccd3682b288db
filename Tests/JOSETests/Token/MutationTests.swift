import TestTokens
import Testing

@testable import JOSE

/// Every change of a good token is refused with a reason and without a trap.
@Suite("Mutation")
struct MutationTests {
  /// Replacements for a byte: its neighbors in the alphabet, dots, letters of every class, and bytes outside the
  /// alphabet.
  private static func replacements(for byte: UInt8) -> [UInt8] {
    let values: [UInt8] = [
      byte ^ 1, byte ^ 2, byte ^ 0x20, byte ^ 0x80, 0x2E, 0x41, 0x61, 0x39, 0x5F, 0x00, 0x22, 0xFF,
    ]
    return Set(values).subtracting([byte]).sorted()
  }

  static let signers = ["rsa", "es256", "es512", "ed25519"]

  private static func token(_ signer: String) throws -> [UInt8] {
    let key = try #require(TestKeys.made().published.first { $0.id == signer })
    return try TokenForge.token(header: TokenForge.header(key.algorithm.rawValue, kid: key.id), key: key)
  }

  @Test("every byte of a good token is changed to several values", arguments: signers)
  func bytes(signer: String) throws {
    let good = try Self.token(signer)
    let gatekeeper = try Gatekeeper.standard()
    #expect(gatekeeper.verdict(on: good).rejection == nil)
    var reasons: [TokenRejection.Code: Int] = [:]
    for index in good.indices {
      for value in Self.replacements(for: good[index]) {
        var text = good
        text[index] = value
        let verdict = gatekeeper.verdict(on: text)
        #expect(verdict.token == nil, "byte \(index) as \(value)")
        if let rejection = verdict.rejection { reasons[rejection.code, default: 0] += 1 }
      }
    }
    // Both kinds of refusal have occurred: by form and by signature.
    #expect(reasons[.malformedToken, default: 0] > good.count)
    #expect(reasons[.signatureMismatch, default: 0] > 0)
  }

  @Test("every bit of a good signature is flipped", arguments: signers)
  func signatureBits(signer: String) throws {
    let parts = TokenForge.segments(of: try Self.token(signer))
    let gatekeeper = try Gatekeeper.standard()
    let signature = try #require(Base64URL.decode(parts[2]))
    for bit in 0..<signature.count * 8 {
      var changed = signature
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let text = parts[0] + [0x2E] + parts[1] + [0x2E] + TokenForge.base64url(changed)
      #expect(gatekeeper.verdict(on: text).rejection == .signatureMismatch, "bit \(bit)")
    }
  }

  @Test("every prefix and every suffix of a good token", arguments: signers)
  func parts(signer: String) throws {
    let good = try Self.token(signer)
    let gatekeeper = try Gatekeeper.standard()
    let secondDot = try #require(good.lastIndex(of: 0x2E))
    for length in good.indices {
      for (text, isPrefix) in [(good.prefix(length), true), (good.suffix(length), false)] {
        let verdict = gatekeeper.verdict(on: Array(text))
        #expect(verdict.token == nil)
        // A shortened signature is empty or has another length; every other part is malformed.
        let mayReachKey = isPrefix && length > secondDot + 1
        let code = verdict.rejection?.code
        #expect(
          code == .malformedToken || code == .algorithmNotAllowed
            || (mayReachKey && code == .signatureMismatch))
        #expect(verdict.signatureChecks == 0)
      }
    }
  }

  @Test("every byte is removed, doubled, or swapped with the next", arguments: signers)
  func edits(signer: String) throws {
    let good = try Self.token(signer)
    let gatekeeper = try Gatekeeper.standard()
    for index in good.indices.dropLast() {
      var (removed, doubled, swapped) = (good, good, good)
      removed.remove(at: index)
      doubled.insert(good[index], at: index)
      swapped.swapAt(index, index + 1)
      for text in [removed, doubled, swapped] where text != good {
        #expect(gatekeeper.verdict(on: text).token == nil, "byte \(index)")
      }
    }
  }

  @Test("a token combined from parts of two good tokens is refused")
  func mixedParts() throws {
    let first = TokenForge.segments(of: try TokenForge.token())
    let second = TokenForge.segments(of: try TokenForge.token(claims: TokenForge.claims([("sub", "\"u2\"")])))
    let gatekeeper = try Gatekeeper.standard()
    for text in [[first[0], first[1], second[2]], [second[0], second[1], first[2]]] {
      let rejection = gatekeeper.verdict(on: Array(text.joined(separator: [0x2E]))).rejection
      #expect(rejection == .signatureMismatch)
    }
  }

  /// Members that change the meaning of a signature. They are refused even in a token signed by the issuer.
  static let refusedMembers: [(member: String, rejection: TokenRejection)] =
    ["crit", "b64"].map { ($0, .malformedToken(.unsupportedHeaderMember($0))) }
    + ["enc", "zip", "epk", "p2c", "p2s", "apu", "apv", "iv", "tag"].map { ($0, .encryptedToken) }

  static let values = ["\"x\"", "null", "false", "true", "0", "[]", "{}", "[\"exp\"]"]

  @Test("encryption and extension members are refused", arguments: 0..<refusedMembers.count, values)
  func headerMember(index: Int, value: String) throws {
    let (member, rejection) = Self.refusedMembers[index]
    let forgery = Forgery(member, header: TokenForge.header(adding: "\"\(member)\":\(value)"), rejection)
    try forgery.check()
    #expect(try Gatekeeper.standard().verdict(on: forgery.token()).signatureChecks == 0)
    // Names are compared byte for byte.
    try Forgery("other case", header: TokenForge.header(adding: "\"\(member.uppercased())\":\(value)"), nil)
      .check()
  }

  @Test(
    "unused header members are ignored",
    arguments: ["jwk", "jku", "x5u", "x5c", "x5t", "x5t#S256", "iss", "x"], values)
  func ignoredMember(member: String, value: String) throws {
    try Forgery(member, header: TokenForge.header(adding: "\"\(member)\":\(value)"), nil).check()
  }
}
