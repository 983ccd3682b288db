import Foundation
import TestSupport
import Testing

@testable import TestTokens

/// Certificates: what events say about them, and the development certificate of `serve --tls`.
@Suite struct X509CertificateTests {
  static let day: Int64 = 86_400

  static func server() throws -> X509Certificate.Server {
    try X509Certificate.makeServer(
      names: "DNS:localhost,IP:127.0.0.1", validity: testTime..<testTime + 30 * day)
  }

  /// The certificate of RFC 8705 appendix A, and its thumbprint there.
  static let example = """
    MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAx
    ODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzENMAsGA1UEAwwEbXRsczBZMBMGByqG
    SM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ
    /Au08/coZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8wCgYIKoZIzj0EAwID
    SQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWUVeORWz83AiEA5x2eXZOV
    bUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY=
    """

  @Test func theExampleOfTheStandard() throws {
    let pem = "-----BEGIN CERTIFICATE-----\n\(Self.example)\n-----END CERTIFICATE-----\n"
    let certificate = try #require(X509Certificate(pem: Array(pem.utf8)))
    #expect(try certificate.thumbprint() == "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0")
    #expect(certificate.subject == "CN=mtls")
    #expect(certificate.issuer == "CN=mtls")
    #expect(certificate.serialNumber == [2])
    #expect(certificate.notBefore == "Oct 18 12:37:09 2018 GMT")
    #expect(certificate.notAfter == "May  2 12:37:09 2022 GMT")
    #expect(certificate.end == 1_651_495_029)
    #expect(X509Certificate(pem: Array(certificate.pem.utf8)) == certificate)
  }

  @Test func theServerIsSignedByTheAuthority() throws {
    let server = try Self.server()
    let certificate = try #require(X509Certificate(pem: server.certificate))
    let authority = try #require(X509Certificate(pem: server.authority))
    #expect(certificate.issuer == authority.subject)
    #expect(certificate.subject == "CN=authorizer-local")
    #expect(certificate.serialNumber.count == 16)
    #expect(certificate.serialNumber != authority.serialNumber)
    #expect(certificate.end == testTime + 30 * Self.day)
    #expect(String(decoding: server.key, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
  }

  @Test func otherTextsAreNoCertificates() throws {
    let good = try #require(X509Certificate(pem: try Self.server().certificate))
    for end in [0, 1, good.bytes.count / 2, good.bytes.count - 1] {
      #expect(X509Certificate(bytes: Array(good.bytes[..<end])) == nil)
    }
    #expect(X509Certificate(bytes: good.bytes + [0]) == nil)
    for text in [
      "", "x", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
      "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----",
      "-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----",
    ] {
      #expect(X509Certificate(pem: Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test func theDevelopmentCertificateIsKeptUntilItIsAboutToExpire() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    let first = try DevelopmentCertificate(in: path, at: testTime)
    #expect(first.authorityPath == path + "/tls-ca.pem")
    for name in ["tls.json", "tls-ca.pem"] {
      let mode = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions]
      #expect(mode as? Int == 0o600, "\(name)")
    }
    #expect(try DevelopmentCertificate(in: path, at: testTime + 394 * Self.day) == first)
    let second = try DevelopmentCertificate(in: path, at: testTime + 396 * Self.day)
    #expect(second.certificate != first.certificate)
    #expect(second.key != first.key)
  }

  @Test(arguments: ["", "{}", "x", #"{"version":1,"authority":"a","certificate":"b","key":"c"}"#])
  func damagedFiles(_ text: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("keys")
    _ = try DevelopmentCertificate(in: path, at: testTime)
    try Data(text.utf8).write(to: URL(filePath: path + "/tls.json"))
    let error = #expect(throws: DevelopmentKeysError.self) {
      try DevelopmentCertificate(in: path, at: testTime)
    }
    #expect(error.map { caseName($0) } == "damaged")
  }
}
