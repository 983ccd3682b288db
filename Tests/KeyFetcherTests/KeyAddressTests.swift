import KeyFetcher
import Testing

@Suite("Addresses of key sets")
struct KeyAddressTests {
  @Test(
    "An https address is accepted and not changed",
    arguments: [
      "https://appleid.apple.com/auth/keys", "https://id.example.com:8443/jwks?p=a%2Fb&c=d",
      "https://ID.Example.com/", "https://192.0.2.1/keys", "https://[2001:db8::1]:443/keys",
      "https://xn--bcher-kva.example/a/../b", "https://localhost.example.com/keys",
      "https://127.0.0.1.example/keys", "https://a/" + String(repeating: "b", count: 2038),
    ])
  func takesHTTPS(_ text: String) throws {
    let address = try KeyAddress(parsing: text, development: false)
    #expect(address.text == text)
    #expect(address.scheme == .https)
    #expect(!address.isLoopback)
  }

  @Test(
    "Loopback addresses, also with plain http, are accepted only for development",
    arguments: [
      "http://127.0.0.1:8080/keys", "http://127.255.0.9/keys", "http://[::1]:8080/keys",
      "http://localhost/keys",
      "http://LocalHost:1/keys", "http://[0:0:0:0:0:0:0:1]/keys", "https://localhost/keys",
      "https://127.0.0.1:8443/keys",
    ])
  func takesLoopbackInDevelopment(_ text: String) throws {
    #expect(try KeyAddress(parsing: text, development: true).isLoopback)
    #expect { try KeyAddress(parsing: text, development: false) } throws: { error in
      (error as? KeyAddressError)?.code == "keyAddressLoopback"
    }
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let text: String
    let code: String
    var testDescription: String { "\(text.prefix(40)) \(code)" }
    init(_ text: String, _ code: String) { (self.text, self.code) = (text, code) }
  }

  @Test(
    "Invalid and misleading addresses are refused, also for development",
    arguments: [
      Refused("", "keyAddressEmpty"),
      Refused("https://a/" + String(repeating: "b", count: 2039), "keyAddressTooLong"),
      Refused("https://id.example.com/a b", "keyAddressByte"),
      Refused("https://id.example.com/keys\n", "keyAddressByte"),
      Refused(" https://id.example.com/keys", "keyAddressByte"),
      Refused("https://id.example.com\\@evil.example/", "keyAddressByte"),
      Refused("https:\\\\id.example.com/", "keyAddressByte"),
      Refused("https://id.example.com/\u{0}", "keyAddressByte"),
      Refused("https://bücher.example/", "keyAddressByte"),
      Refused("id.example.com/keys", "keyAddressScheme"),
      Refused("HTTPS://id.example.com/keys", "keyAddressScheme"),
      Refused("Http://localhost/keys", "keyAddressScheme"),
      Refused("file:///etc/passwd", "keyAddressScheme"),
      Refused("https:/id.example.com/keys", "keyAddressScheme"),
      Refused("https://127.0.0.1@evil.example/keys", "keyAddressUserinfo"),
      Refused("http://localhost:80@evil.example/", "keyAddressUserinfo"),
      Refused("https://@id.example.com/", "keyAddressUserinfo"),
      Refused("https:///keys", "keyAddressHost"),
      Refused("https://id..example.com/", "keyAddressHost"),
      Refused("https://id.example.com./", "keyAddressHost"),
      Refused("https://-a.example/", "keyAddressHost"),
      Refused("https://a_b.example/", "keyAddressHost"),
      Refused("https://%6cocalhost/", "keyAddressHost"),
      Refused("https://" + String(repeating: "a", count: 64) + ".example/", "keyAddressHost"),
      Refused("http://127.1/", "keyAddressHost"),
      Refused("http://2130706433/", "keyAddressHost"),
      Refused("http://0x7f000001/", "keyAddressHost"),
      Refused("http://0x7f.0.0.1/", "keyAddressHost"),
      Refused("http://0177.0.0.1/", "keyAddressHost"),
      Refused("http://127.0.0.01/", "keyAddressHost"),
      Refused("http://127.0.0.256/", "keyAddressHost"),
      Refused("http://127.0.0.1.2/", "keyAddressHost"),
      Refused("http://::1/", "keyAddressHost"),
      Refused("http://[::1/", "keyAddressHost"),
      Refused("http://[::1]evil.example/", "keyAddressHost"),
      Refused("http://[::1%25lo]/", "keyAddressHost"),
      Refused("https://id.example.com:/", "keyAddressPort"),
      Refused("https://id.example.com:0/", "keyAddressPort"),
      Refused("https://id.example.com:0443/", "keyAddressPort"),
      Refused("https://id.example.com:65536/", "keyAddressPort"),
      Refused("https://id.example.com:443:1/", "keyAddressPort"),
      Refused("https://id.example.com", "keyAddressPath"),
      Refused("https://id.example.com?keys", "keyAddressPath"),
      Refused("https://id.example.com/%2", "keyAddressPath"),
      Refused("https://id.example.com/%zz", "keyAddressPath"),
      Refused("https://id.example.com/[a]", "keyAddressPath"),
      Refused("https://id.example.com/keys#a", "keyAddressFragment"),
      Refused("http://id.example.com/keys", "keyAddressPlainHTTP"),
      Refused("http://localhost.evil.com/", "keyAddressPlainHTTP"),
      Refused("http://127.0.0.1.nip.io/", "keyAddressPlainHTTP"),
      Refused("http://[::ffff:127.0.0.1]/", "keyAddressPlainHTTP"),
      Refused("http://0.0.0.0/", "keyAddressPlainHTTP"),
    ])
  func refuses(_ refused: Refused) {
    #expect { try KeyAddress(parsing: refused.text, development: true) } throws: { error in
      (error as? KeyAddressError)?.code == refused.code
    }
  }

  @Test(
    "addresses of the machine itself or its link are refused for a deployed function",
    arguments: [
      "127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "x.localhost", "0.0.0.0", "0.1.2.3",
      "169.254.169.254",
      "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[::ffff:169.254.169.254]",
      "[fe80::1]",
    ])
  func localHosts(host: String) throws {
    let error = #expect(throws: KeyAddressError.self) {
      try KeyAddress(parsing: "https://\(host)/jwks", development: false)
    }
    #expect(error?.code == "keyAddressLoopback")
    #expect(throws: Never.self) { try KeyAddress(parsing: "https://\(host)/jwks", development: true) }
  }

  @Test(
    "other addresses are accepted for a deployed function",
    arguments: ["1.2.3.4", "[2001:db8::1]", "[::ffff:1.2.3.4]", "localhost.example.com"])
  func remoteHosts(host: String) throws {
    #expect(throws: Never.self) { try KeyAddress(parsing: "https://\(host)/jwks", development: false) }
  }
}
