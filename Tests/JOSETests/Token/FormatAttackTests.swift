import TestTokens
import Testing

@testable import JOSE

/// Attacks on the compact form, rows A1 to A9 of the catalog.
@Suite("A. Token format")
struct FormatAttackTests {
  @Test("the good token, on which the attacks below are based, is accepted")
  func goodToken() throws {
    let verdict = try Gatekeeper.standard().verdict(on: TokenForge.token())
    #expect(verdict.rejection == nil)
    #expect(verdict.token?.subject == Array("u1".utf8))
    #expect(verdict.signatureChecks == 1)
  }

  @Test(
    "A1 only the exact names of algorithms are accepted",
    arguments: [
      "none", "None", "nOnE", "NONE", "noNE", "", "rs256", "RS256 ", " RS256", "RS-256", "RS25", "RS2566",
    ])
  func algorithmNames(name: String) throws {
    let header = TokenForge.header(name)
    let signed = try TokenForge.token(header: header)
    let unsecured = TokenForge.token(header: header, signature: [])
    for text in [signed, unsecured] {
      let verdict = try Gatekeeper.standard().verdict(on: text)
      #expect(verdict.rejection == .algorithmNotAllowed(found: name))
      #expect(verdict.signatureChecks == 0)
    }
  }

  @Test(
    "A1 an algorithm that is not a string is refused",
    arguments: ["null", "1", "true", "[\"RS256\"]", "{}"])
  func algorithmTypes(value: String) throws {
    try Forgery("alg", header: "{\"alg\":\(value),\"kid\":\"rsa\"}", .malformedToken(.headerMember("alg")))
      .check()
    try Forgery("no alg", header: #"{"kid":"rsa"}"#, .malformedToken(.headerMember("alg"))).check()
  }

  @Test("A1 an empty signature is refused before decoding")
  func emptySignature() throws {
    let verdict = try Gatekeeper.standard().verdict(
      on: TokenForge.token(header: TokenForge.goodHeader, signature: []))
    #expect(verdict.rejection == .malformedToken(.empty(.signature)))
  }

  @Test("A2 JSON serialization is refused")
  func jsonSerialization() throws {
    let parts = TokenForge.segments(of: try TokenForge.token()).map { String(decoding: $0, as: UTF8.self) }
    let flattened = #"{"payload":"\#(parts[1])","protected":"\#(parts[0])","signature":"\#(parts[2])"}"#
    let general =
      #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#
    for text in [flattened, general, "\"\(parts.joined(separator: "."))\""] {
      let verdict = try Gatekeeper.standard().verdict(on: Array(text.utf8))
      #expect(verdict.rejection == .malformedToken(.illegalByte(offset: 0)))
    }
  }

  @Test("A2 any byte outside the alphabet is refused with its offset", arguments: UInt8.min...UInt8.max)
  func alphabet(byte: UInt8) throws {
    var text = try TokenForge.token()
    text[40] = byte
    let isLegal = byte == 0x2E || Base64URL.end(in: [byte], from: 0) == 1
    let rejection = try Gatekeeper.standard().verdict(on: text).rejection
    #expect((rejection == .malformedToken(.illegalByte(offset: 40))) == !isLegal)
  }

  @Test(
    "A3 exactly three segments",
    arguments: [
      ("", 1), ("a", 1), (".", 2), ("a.b", 2), ("a.b.c.d", 4), ("...", 4), ("a.b.c.d.e.f", 6),
      (String(repeating: ".", count: 16384), 16385),
    ])
  func segments(text: String, count: Int) throws {
    let verdict = try Gatekeeper.standard().verdict(on: Array(text.utf8))
    #expect(verdict.rejection == .malformedToken(.segments(count)))
  }

  @Test("A3 empty segments are refused with the name of the segment")
  func emptySegments() throws {
    let parts = TokenForge.segments(of: try TokenForge.token())
    for (index, name) in [TokenFlaw.Segment.header, .payload, .signature].enumerated() {
      var changed = parts
      changed[index] = []
      let verdict = try Gatekeeper.standard().verdict(on: Array(changed.joined(separator: [0x2E])))
      #expect(verdict.rejection == .malformedToken(.empty(name)))
    }
  }

  /// One byte more is not a valid length of base64url, so the test adds two.
  @Test("A4 a token has 16 KiB at most", arguments: [-1, 0, 2])
  func size(difference: Int) throws {
    let size = CompactJWS.maximumBytes + difference
    let frame = try TokenForge.token(claims: TokenForge.claims([("pad", "\"\"")])).count
    // Four characters of base64url encode three bytes, so this searches for the exact size.
    let text = try (0..<8).lazy.map { slack in
      let pad = String(repeating: "x", count: (CompactJWS.maximumBytes - frame) / 4 * 3 - 3 + slack)
      return try TokenForge.token(claims: TokenForge.claims([("pad", "\"\(pad)\"")]))
    }.first { $0.count == size }
    let rejection = try Gatekeeper.standard().verdict(on: #require(text)).rejection
    let tooLarge = TokenRejection.malformedToken(.tooLarge(bytes: size, limit: 16384))
    #expect(rejection == (difference > 0 ? tooLarge : nil))
  }

  @Test("A4 a huge token is refused for its size")
  func hugeToken() throws {
    let text = [UInt8](repeating: 0x2E, count: 1 << 20)
    let verdict = try Gatekeeper.standard().verdict(on: text)
    #expect(verdict.rejection == .malformedToken(.tooLarge(bytes: 1 << 20, limit: 16384)))
  }

  @Test(
    "A5 padding and other alphabets are illegal bytes",
    arguments: ["=", "==", "+", "/", " ", "\n", "%3D", "\\"])
  func otherAlphabets(addition: String) throws {
    let parts = TokenForge.segments(of: try TokenForge.token())
    var offset = 0
    for index in parts.indices {
      offset += parts[index].count
      var changed = parts
      changed[index] += Array(addition.utf8)
      let verdict = try Gatekeeper.standard().verdict(on: Array(changed.joined(separator: [0x2E])))
      #expect(verdict.rejection == .malformedToken(.illegalByte(offset: offset)))
      offset += 1
    }
  }

  @Test("A5 segments have one encoding: unused bits and a length of 1 modulo 4 are refused")
  func canonicalForm() throws {
    // With added spaces, header and payload end in a group with unused bits.
    let header = TokenForge.goodHeader + " "
    let claims =
      TokenForge.goodClaims + String(repeating: " ", count: (4 - TokenForge.goodClaims.utf8.count % 3) % 3)
    let parts = TokenForge.segments(of: try TokenForge.token(header: header, claims: claims))
    #expect(try Gatekeeper.standard().verdict(on: Array(parts.joined(separator: [0x2E]))).rejection == nil)
    for (index, name) in [TokenFlaw.Segment.header, .payload, .signature].enumerated() {
      #expect(parts[index].count % 4 == 2)
      for ending in ["unused bits", "length"] {
        var changed = parts
        if ending == "length" {
          changed[index] += Array("AAA".utf8)
        } else {
          // The next letter of the alphabet has the same upper bits: A, Q, g and w come before B, R, h and x.
          changed[index][parts[index].count - 1] += 1
        }
        let verdict = try Gatekeeper.standard().verdict(on: Array(changed.joined(separator: [0x2E])))
        #expect(verdict.rejection == .malformedToken(.base64url(name)), "\(name) \(ending)")
      }
    }
  }

  @Test("A6 no second text of the same token is accepted, so a list of tokens cannot be bypassed")
  func malleability() throws {
    let text = try TokenForge.token()
    let alphabet = (UInt8.min...UInt8.max).filter { Base64URL.end(in: [$0], from: 0) == 1 }
    let accepted = try alphabet.filter { letter in
      try Gatekeeper.standard().verdict(on: text.dropLast() + [letter]).rejection == nil
    }
    #expect(accepted == [text[text.count - 1]])
  }

  @Test("A7 five segments are an encrypted token")
  func encrypted() throws {
    let parts = TokenForge.segments(of: try TokenForge.token())
    for text in [parts + [[], []], parts + [Array("AA".utf8), Array("AA".utf8)]] {
      let verdict = try Gatekeeper.standard().verdict(on: Array(text.joined(separator: [0x2E])))
      #expect(verdict.rejection == .encryptedToken)
    }
    #expect(try Gatekeeper.standard().verdict(on: Array("....".utf8)).rejection == .encryptedToken)
  }

  @Test("A7 nested tokens are refused", arguments: ["JWT", "jwt", "application/jwt", "Application/JWT"])
  func nested(contentType: String) throws {
    try Forgery(
      contentType, header: TokenForge.header(adding: #""cty":"\#(contentType)""#),
      .malformedToken(.unsupportedHeaderMember("cty"))
    ).check()
    try Forgery("other content", header: TokenForge.header(adding: #""cty":"text/plain""#), nil).check()
    try Forgery(
      "no string", header: TokenForge.header(adding: #""cty":1"#), .malformedToken(.headerMember("cty"))
    )
    .check()
  }

  @Test(
    "A8 a scheme, white space or quotes before a token are refused",
    arguments: [("Bearer ", 6), (" ", 0), ("\t", 0), ("\u{a0}", 0), ("\"", 0)])
  func beforeToken(prefix: String, offset: Int) throws {
    let text = Array(prefix.utf8) + (try TokenForge.token())
    #expect(
      try Gatekeeper.standard().verdict(on: text).rejection == .malformedToken(.illegalByte(offset: offset)))
  }

  @Test("A8 any text after a token is refused", arguments: [" ", "\t", "\r\n", ",", ";", "\0"])
  func afterToken(suffix: String) throws {
    let token = try TokenForge.token()
    for text in [token + Array(suffix.utf8), token + Array(suffix.utf8) + token] {
      let rejection = try Gatekeeper.standard().verdict(on: text).rejection
      #expect(rejection == .malformedToken(.illegalByte(offset: token.count)))
    }
  }

  @Test(
    "A9 crit is refused with any value",
    arguments: [
      "[]", "[\"exp\"]", "[\"b64\"]", "[\"unknown\"]", "[\"alg\",\"alg\"]", "\"exp\"", "null", "true", "{}",
    ])
  func critical(value: String) throws {
    try Forgery(
      value, header: TokenForge.header(adding: #""crit":\#(value),"exp":1"#),
      .malformedToken(.unsupportedHeaderMember("crit"))
    ).check()
    // Only a member with this name is refused, not the text in another place.
    try Forgery("a header without it", header: TokenForge.header(adding: #""x":"crit""#), nil).check()
  }
}
