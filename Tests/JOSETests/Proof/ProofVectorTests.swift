import JSON
import Testing

@testable import JOSE

/// The examples of RFC 9449, RFC 7638, RFC 8037 and RFC 8705.
@Suite("Examples of proofs, thumbprints and certificates in RFCs")
struct ProofVectorTests {
  /// RFC 9449 section 7.1, figures 13 and 14.
  static let proof = [
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0R",
    "scEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMj",
    "U2In19.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9w",
    "cm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtz",
    "bVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA",
  ].joined()
  static let token = Array("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU".utf8)
  /// Section 6.1.
  static let jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
  static let issuedAt: Int64 = 1_562_262_618

  private static func flaw(
    method: String = "GET", path: String = "/protectedresource", host: String = "resource.example.org",
    token: [UInt8] = token, at now: Int64 = issuedAt
  ) throws -> ProofFlaw? {
    var verifier = try #require(PossessionVerifier())
    let target = ProofTarget(
      method: Array(method.utf8), path: Array(path.utf8),
      origins: [try #require(WebOrigin(host: Array(host.utf8)))])
    let policy = try #require(ProofPolicy())
    do throws(ProofFlaw) {
      _ = try verifier.verify(
        Array(proof.utf8), for: target, token: token, boundTo: try thumbprint(), policy, at: now)
      return nil
    } catch {
      return error
    }
  }

  private static func thumbprint() throws(ProofFlaw) -> Thumbprint {
    guard let thumbprint = Thumbprint(Array(jkt.utf8)) else { throw .wrongKey }
    return thumbprint
  }

  @Test("RFC 9449 section 7.1: the proof belongs to its token, key, method, URL and time")
  func request() throws {
    #expect(try Self.flaw() == nil)
    #expect(try Self.flaw(method: "POST") == .wrongMethod)
    #expect(try Self.flaw(path: "/") == .wrongURL)
    #expect(try Self.flaw(host: "example.org") == .wrongURL)
    #expect(try Self.flaw(token: Self.token + [0x20]) == .wrongToken)
    #expect(try Self.flaw(at: Self.issuedAt + 66) == .tooOld)
  }

  static let keys: [(name: String, jwk: String, thumbprint: String)] = [
    (
      "RFC 7638 section 3.1",
      #"{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJE"#
        + "CPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaS"
        + "qzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBn"
        + #"iIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#,
      "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
    ),
    (
      "RFC 8037 appendix A.3",
      #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
      "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    ),
    (
      "RFC 9449 section 6.1",
      #"{"kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","#
        + #""y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA","crv":"P-256"}"#, jkt
    ),
  ]

  @Test("thumbprints depend on the required members alone", arguments: keys)
  func thumbprints(name: String, jwk: String, thumbprint: String) throws {
    var reader = KeyMaterialReader(try JSONDocument(parsing: Array(jwk.utf8), limits: .token).root)
    let input = try reader.material().thumbprintInput
    let digest = try #require(Digester()?.digest(.sha256, of: input[...]))
    #expect(Thumbprint(digest: digest)?.text == Array(thumbprint.utf8))
  }

  /// RFC 8705 appendix A, figures 5 and 6.
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAx
    ODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzENMAsGA1UEAwwEbXRsczBZMBMGByqG
    SM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ
    /Au08/coZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8wCgYIKoZIzj0EAwID
    SQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWUVeORWz83AiEA5x2eXZOV
    bUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY=
    -----END CERTIFICATE-----
    """
  static let certificateHash = "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0"

  @Test("RFC 8705 appendix A: the certificate has the hash in cnf", arguments: ["", "\n"])
  func certificates(end: String) throws {
    let verifier = try #require(PossessionVerifier())
    let certificate = try #require(ClientCertificate(pem: Array((Self.certificate + end).utf8)))
    let bound = try #require(Thumbprint(Array(Self.certificateHash.utf8)))
    let other = try #require(Thumbprint(Array(Self.jkt.utf8)))
    #expect(verifier.isBound(bound, to: certificate))
    #expect(!verifier.isBound(other, to: certificate))
  }
}
