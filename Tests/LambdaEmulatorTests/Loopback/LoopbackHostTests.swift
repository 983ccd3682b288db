@testable import GatewayModel
import Testing

/// The values of `Host` and `Origin` that belong to this machine.
@Suite struct LoopbackHostTests {
  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:8080", "127.1.2.3", "127.255.255.255:65535", "localhost", "LOCALHOST:1",
    "localhost:0", "api.localhost:8080", "RestApi.localhost", "a.b-c.localhost", "[::1]:8080", "[::1]",
  ]) func acceptsLoopbackNames(_ host: String) { #expect(LoopbackHost.isLoopback(host)) }

  @Test(arguments: [
    "", ":", ":80", ".", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "notlocalhost",
    "xlocalhost", ".localhost", "a..localhost", "localhost.", "localhost:", "localhost:x", "localhost:80:80",
    "localhost:65536", "localhost:080000", "localhost:+80", "localhost:80@evil.example", "localhost/",
    "localhost@evil.example", "evil.example@localhost", "evil.example\u{0}.localhost",
    "evil example.localhost",
    "localhost://evil.example", "localhost#.evil.example", "localhost,evil.example", "\u{E9}.localhost",
    "128.0.0.1", "127.0.0", "127.0.0.256", "127.0.0.1.", "127.0.0.01", "127.0.0.+1", "127.0.0.-1",
    "0127.0.0.1", "127..0.1", "127.0.0.0x1", "0.0.0.0", "127.1", "2130706433", "[::1].evil.example",
    "[::1]x", "[::1]:", "[::1]:x", "[::1]]", "[::1", "[::2]", "[::]", "[]", "[::1%25lo]", "::1",
    "[::ffff:127.0.0.1]",
  ]) func refusesOtherNames(_ host: String) { #expect(!LoopbackHost.isLoopback(host)) }

  @Test(arguments: [
    ("http://localhost:3000", true), ("http://localhost", true), ("https://app.localhost", true),
    ("http://127.0.0.1:5173", true), ("http://[::1]:3000", true), ("null", false), ("", false),
    ("x://localhost://evil.example", false), ("x://localhost", false), ("file://localhost", false),
    ("http://localhost://evil.example", false), ("http://[::1].evil.example", false),
    ("http://localhost/", false), ("http://localhost?x", false), ("http://user@localhost", false),
    ("http://localhost.evil.example", false), ("http://evil.example", false), ("http:/localhost", false),
    ("//localhost", false), ("localhost", false), ("http://", false), ("http://localhost:", false),
    ("http://localhost http://evil.example", false), ("http://localhost,http://evil.example", false),
    (" http://localhost", false),
  ]) func recognizesPagesOfThisMachine(_ origin: String, _ isLoopback: Bool) {
    #expect(LoopbackHost.isLoopback(origin: origin) == isLoopback)
  }

  @Test(arguments: [
    ("RestApi.localhost:8080", "restapi.localhost"), ("127.0.0.1", "127.0.0.1"), ("[::1]:1", "[::1]"),
    ("[::1].evil.example", nil), ("a:b", nil), ("RestApi.localhost@evil.example", nil),
  ]) func returnsTheNameBeforeThePort(_ host: String, _ name: String?) {
    #expect(LoopbackHost.name(of: host) == name)
  }
}
