import JSON
import Testing

@testable import JOSE

/// A verifier parses a token with a known header as one with an unknown header, and only verified tokens make a header
/// known.
@Suite("Headers of verified tokens")
struct VerifiedHeadersTests {
  /// A verifier that has verified these tokens.
  private static func verifier(after tokens: [[UInt8]]) throws -> TokenVerifier {
    let gatekeeper = try Gatekeeper.standard()
    var verifier = TokenVerifier(profiles: [gatekeeper.profile])
    for token in tokens { _ = try verify(token, &verifier, gatekeeper) }
    return verifier
  }

  private static func verify(
    _ text: [UInt8], _ verifier: inout TokenVerifier, _ gatekeeper: Gatekeeper
  ) throws(TokenRejection) -> VerifiedToken {
    let candidate = try verifier.candidate(try verifier.token(parsing: text), at: TokenForge.now)
    guard let key = gatekeeper.keys.key(for: candidate.token.header) else { throw .unknownKey }
    return try verifier.verify(candidate, with: key, at: TokenForge.now)
  }

  /// The parts of a parsed token, or the reason why it is refused.
  private struct Outcome: Equatable {
    var parts: [[UInt8]?] = []
    var refusal: TokenRejection?

    init(_ parse: () throws(TokenRejection) -> UnverifiedToken) {
      do throws(TokenRejection) {
        let token = try parse()
        let (jws, header) = (token.jws, token.header)
        parts = [
          Array(header.algorithm.rawValue.utf8), header.keyID, header.type, jws.unverifiedPayload,
          jws.signature,
          Array(jws.text[jws.signingInput]), token.unverifiedClaims.source,
        ]
      } catch {
        refusal = error
      }
    }
  }

  private static func differences(_ texts: [[UInt8]], _ verifier: TokenVerifier) -> [String] {
    texts.filter { text in
      Outcome { () throws(TokenRejection) in try verifier.token(parsing: text) }
        != Outcome { () throws(TokenRejection) in try UnverifiedToken(parsing: text) }
    }.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("every change of one byte of a token with a known header has the same result")
  func changedBytes() throws {
    let header = TokenForge.header("ES256", kid: "es256", adding: #""typ":"JWT""#)
    let good = try TokenForge.token(header: header, key: TestKeys.made().es256)
    let verifier = try Self.verifier(after: [good])
    #expect(verifier.headers.entry(for: good) != nil)
    var texts = [good]
    for index in good.indices {
      texts.append(Array(good[..<index]))
      texts.append(Array(good[index...]))
      for byte in Array(".=A_\u{0}\u{7F}".utf8) {
        var text = good
        text[index] = byte
        texts.append(text)
        texts.append(good[..<index] + [byte] + good[index...])
      }
    }
    #expect(Self.differences(texts, verifier) == [])
  }

  /// Payloads after a known header.
  private static let payloads = [
    "", "{}", "[]", "null", "\"text\"", "{", #"{"iss":"a","iss":"b"}"#, #"{"iss":1}"#, "{} ", "{}x",
    String(repeating: "[", count: 20),
  ]

  @Test("every payload and signature behind a known header has the same result", arguments: payloads)
  func payload(_ payload: String) throws {
    let verifier = try Self.verifier(after: [try TokenForge.token()])
    let header = TokenForge.base64url(TokenForge.goodHeader.utf8)
    let signed = header + [0x2E] + TokenForge.base64url(payload.utf8)
    let texts = ["", ".", ".QQ", ".Q", ".QR", "..", ".QQ.", ".QQ.QQ", ".QQ.QQ.QQ", ".Q=", ".+/"].map {
      signed + Array($0.utf8)
    }
    #expect(Self.differences(texts, verifier) == [])
    let large = signed + [0x2E] + [UInt8](repeating: 0x41, count: CompactJWS.maximumBytes)
    #expect(Self.differences([large], verifier) == [])
  }

  /// Headers that begin like a known one, or mean the same with other bytes.
  private static let headers = [
    #"{"alg":"RS256","kid":"rsa"} "#, #"{"kid":"rsa","alg":"RS256"}"#,
    #"{"alg":"RS256","kid":"rsa","crit":[]}"#,
    #"{"alg":"RS256","kid":"RSA"}"#, #"{"alg":"none","kid":"rsa"}"#, #"{"alg":"RS256","kid":"rsa"}}"#,
    #"{"alg":"RS256","kid":"rsa","kid":"rsa"}"#, "", "{}",
  ]

  @Test("another header than a known one is parsed", arguments: headers)
  func otherHeader(_ header: String) throws {
    let verifier = try Self.verifier(after: [try TokenForge.token()])
    let text = TokenForge.token(header: header, signature: [1])
    #expect(verifier.headers.entry(for: text) == nil)
    #expect(Self.differences([text], verifier) == [])
  }

  @Test("only a verified token adds its header")
  func unverified() throws {
    let keys = try TestKeys.made()
    let gatekeeper = try Gatekeeper.standard()
    var verifier = TokenVerifier(profiles: [gatekeeper.profile])
    let refused: [(token: [UInt8], reason: TokenRejection.Code)] = [
      (try TokenForge.token(key: keys.attackerRSA), .signatureMismatch),
      (TokenForge.token(header: TokenForge.goodHeader, signature: [1]), .signatureMismatch),
      (try TokenForge.token(claims: TokenForge.claims([("aud", "\"other\"")])), .wrongAudience),
      (try TokenForge.token(claims: TokenForge.claims([("sub", nil)])), .missingClaim),
      (try TokenForge.token(claims: TokenForge.claims([("exp", "1")])), .expired),
      (try TokenForge.token(header: TokenForge.header(kid: "other")), .unknownKey),
    ]
    for (token, reason) in refused {
      #expect(
        throws: TokenRejection.self, performing: { try Self.verify(token, &verifier, gatekeeper) }
      ).map { #expect($0.code == reason) }
      #expect(verifier.headers.entry(for: token) == nil)
    }
    let good = try TokenForge.token()
    _ = try Self.verify(good, &verifier, gatekeeper)
    #expect(verifier.headers.entry(for: good)?.header.keyID == Array("rsa".utf8))
  }

  @Test("the oldest header is replaced at the limit")
  func limit() throws {
    let tokens = try (0...VerifiedHeaders.maximumHeaders).map {
      try TokenForge.token(header: TokenForge.header(adding: #""typ":"JWT","n":\#($0)"#))
    }
    let verifier = try Self.verifier(after: tokens)
    #expect(
      tokens.map { verifier.headers.entry(for: $0) != nil } == [false] + tokens.dropFirst().map { _ in true })
  }

  @Test("a header above the limit is not added", arguments: [(300, true), (400, false)])
  func size(padding: Int, isAdded: Bool) throws {
    let pad = String(repeating: "n", count: padding)
    let token = try TokenForge.token(header: TokenForge.header(adding: #""pad":"\#(pad)""#))
    #expect((try Self.verifier(after: [token]).headers.entry(for: token) != nil) == isAdded)
  }

  @Test(
    "the fingerprint of a key identifier is the same for a known header",
    arguments: ["rsa", "es256", "other"])
  func fingerprint(keyID: String) throws {
    let verifier = try Self.verifier(after: [try TokenForge.token()])
    let keyID = Array(keyID.utf8)
    #expect(verifier.fingerprint(ofKeyID: keyID) == verifier.fingerprint(keyID[...]))
  }
}
