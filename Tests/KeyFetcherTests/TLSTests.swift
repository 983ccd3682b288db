import CLibssl
import KeyFetcher
import LoopbackTLS
import TestSupport
import Testing

@Suite("Key sets over TLS")
struct TLSTests {
  private static let keys = Array(#"{"keys":[]}"#.utf8)

  /// One fetch from a server of this form; with `trusts`, the fetcher gets its CA.
  private static func fetch(
    _ form: TLSServer.Form, executable: String, host: String = "127.0.0.1", trusts: Bool = true,
    variables: [String: String] = [:]
  ) throws -> (result: KeyFetchResult, requests: [String]) {
    let folder = try TemporaryFolder()
    let authority = folder.path("authority.pem")
    let server = try KeyServer(.answer(body: keys), tls: try TLSServer(form, authorityFile: authority))
    defer { server.stop() }
    let fetcher = KeyFetcher(executable: executable, certificateFile: trusts ? authority : nil) { name in
      variables[name].map { $0 == "authority" ? authority : $0 }
    }
    return (try fetcher.fetch("https://\(host):\(server.port)/keys"), server.requests)
  }

  @Test("A certificate of the configured CA is trusted", arguments: Executables.all)
  func trustsItsCA(executable: String) throws {
    for (host, version) in [("127.0.0.1", TLS1_3_VERSION), ("localhost", TLS1_2_VERSION)] {
      let form = TLSServer.Form(highestVersion: version)
      let (result, requests) = try Self.fetch(form, executable: executable, host: host)
      #expect(result == .success(KeySetResponse(body: Self.keys, maximumAgeSeconds: nil)))
      #expect(requests.count == 1)
    }
  }

  @Test("The CA in SSL_CERT_FILE is trusted, as in every program with OpenSSL", arguments: Executables.all)
  func trustsVariable(executable: String) throws {
    let (result, _) = try Self.fetch(
      TLSServer.Form(), executable: executable, trusts: false, variables: ["SSL_CERT_FILE": "authority"])
    #expect(result.keySet?.body == Self.keys, "\(result)")
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var form = TLSServer.Form()
    var trusts = true
    let curlCode: Int
  }

  static let refused: [Refused] = [
    Refused(testDescription: "an unknown CA", trusts: false, curlCode: 60),
    Refused(
      testDescription: "another host's certificate", form: .init(names: "DNS:id.example.com,IP:127.0.0.2"),
      curlCode: 60),
    Refused(testDescription: "a certificate that has expired", form: .init(validUntil: -60), curlCode: 60),
    Refused(
      testDescription: "a certificate that is not valid yet", form: .init(validFrom: 1800), curlCode: 60),
  ]

  @Test(
    "An invalid certificate is refused before a request is sent", arguments: refused, Executables.all)
  func refuses(_ refused: Refused, executable: String) throws {
    let (result, requests) = try Self.fetch(refused.form, executable: executable, trusts: refused.trusts)
    #expect(result.error?.code == "fetchTLS", "\(result)")
    #expect(result.error?.curlCode == refused.curlCode, "\(result)")
    #expect(requests.isEmpty)
  }

  @Test("TLS 1.1 is refused, even if OpenSSL is configured to allow it", arguments: Executables.all)
  func refusesOldTLS(executable: String) throws {
    let folder = try TemporaryFolder()
    let authority = folder.path("authority.pem")
    let form = TLSServer.Form(highestVersion: TLS1_1_VERSION)
    let server = try KeyServer(.answer(body: Self.keys), tls: try TLSServer(form, authorityFile: authority))
    defer { server.stop() }
    let configuration = try folder.write(
      """
      openssl_conf = settings
      [settings]
      ssl_conf = ssl
      [ssl]
      system_default = everything
      [everything]
      MinProtocol = TLSv1
      CipherString = ALL:@SECLEVEL=0

      """, to: "openssl.cnf")
    let run = try folder.run(
      executable, ["--ca-file", authority, "https://127.0.0.1:\(server.port)/"],
      environment: ["OPENSSL_CONF": configuration])
    #expect(run.status == 13)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("fetch-keys: fetchTLS: curl 35: "), "\(run.errors)")
    #expect(server.requests.isEmpty)
  }
}
