import Testing

@testable import JOSE

/// RFC 3986 sections 6.2.2 and 6.2.3: equivalent spellings are equal, all others are not.
@Suite("URLs of proofs")
struct ResourceURLTests {
  static let normal = "https://api.example.com/prod/pets/a%2Fb~c"

  static let equal = [
    normal, "HTTPS://api.example.com/prod/pets/a%2Fb~c", "https://API.EXAMPLE.COM/prod/pets/a%2Fb~c",
    "hTTps://Api.Example.Com/prod/pets/a%2Fb~c", "https://api.example.com:443/prod/pets/a%2Fb~c",
    "https://api.example.com:/prod/pets/a%2Fb~c", "https://api.example.com/prod/pets/a%2fb~c",
    "https://api.example.com/prod/pets/a%2fb%7Ec", "https://api.example.com/prod/pets/a%2fb%7ec",
    "https://api.example.com/%70rod/pets/a%2Fb~c", "https://api.example.com/prod/%70%65%74%73/a%2Fb~c",
    "https://api.example.com/prod/pets/%61%2F%62~%63", normal + "?", normal + "?q=1", normal + "#",
    normal + "#f",
    normal + "?q=/../x#y?z", normal + "?a%zz", normal + "#?",
  ]

  @Test("equivalent spellings are equal", arguments: equal)
  func equivalent(spelling: String) throws {
    let url = try #require(ResourceURL(parsing: Array(spelling.utf8)))
    #expect(url.text == Array(Self.normal.utf8))
    #expect(try ProofForge.flaw(Self.proof(spelling), target: try Self.target()) == nil)
  }

  static let different = [
    "http://api.example.com/prod/pets/a%2Fb~c", "http://api.example.com:443/prod/pets/a%2Fb~c",
    "https://api.example.com:80/prod/pets/a%2Fb~c", "https://api.example.com:8443/prod/pets/a%2Fb~c",
    "https://example.com/prod/pets/a%2Fb~c", "https://api.example.com.evil.org/prod/pets/a%2Fb~c",
    "https://api.example.co/prod/pets/a%2Fb~c", "https://api-example.com/prod/pets/a%2Fb~c",
    "https://xn--pi-yia.example.com/prod/pets/a%2Fb~c",
    "https://127.0.0.1/prod/pets/a%2Fb~c", "https://[::1]/prod/pets/a%2Fb~c",
    "https://api.example.com/prod/pets/a/b~c", "https://api.example.com/prod/pets/a%252Fb~c",
    "https://api.example.com/prod/pets/a%2Fb%257Ec", "https://api.example.com/Prod/pets/a%2Fb~c",
    "https://api.example.com/prod/pets/a%2Fb~c/", "https://api.example.com/prod/pets/a%2Fb~",
    "https://api.example.com//prod/pets/a%2Fb~c", "https://api.example.com/prod//pets/a%2Fb~c",
    "https://api.example.com/prod/pets/a%2Fb~c//", "https://api.example.com/prod/pets;v=1/a%2Fb~c",
    "https://api.example.com/pets/a%2Fb~c", "https://api.example.com/prod", "https://api.example.com/",
    "https://api.example.com", "https://api.example.com?/prod/pets/a%2Fb~c",
    "https://api.example.com/prod/pets/a%5Cb~c",
    "https://api.example.com/prod/pets/a%00b~c", "https://api.example.com/prod/pets/a%2Fb~c%20",
    "https://api.example.com/https://api.example.com/prod/pets/a%2Fb~c",
  ]

  @Test("other URLs are different", arguments: different)
  func unequal(spelling: String) throws {
    #expect(ResourceURL(parsing: Array(spelling.utf8)) != nil)
    #expect(try ProofForge.flaw(Self.proof(spelling), target: try Self.target()) == .wrongURL)
  }

  static let invalid = [
    "", "/prod/pets", "//api.example.com/prod", "api.example.com/prod", "https:/api.example.com/",
    "https:///prod",
    "https:api.example.com", "https://", "https://:443/", "ftp://api.example.com/",
    "javascript://api.example.com/",
    "https ://api.example.com/", " https://api.example.com/", "https://api.example.com/ ",
    "https://user@api.example.com/", "https://user:pw@api.example.com/", "https://@api.example.com/",
    "https://api.example.com@evil.org/", "https://api.example.com:443@evil.org/",
    "https://api.example.com./prod", "https://.api.example.com/", "https://api..example.com/",
    "https://api.example.com:0443/", "https://api.example.com:0/", "https://api.example.com:65536/",
    "https://api.example.com:443000/", "https://api.example.com:000443/",
    "https://api.example.com:443:443/", "https://api.example.com:+443/", "https://api.example.com:4a3/",
    "https://api%2Eexample.com/", "https://%61pi.example.com/", "https://api.example.com\\prod/",
    "https://api.example.com/a\\b", "https://api.example.com/a|b", "https://api.example.com/a<b>",
    "https://api.example.com/a\"b", "https://api.example.com/{id}", "https://api.example.com/a[b]",
    "https://api.example.com/a^b", "https://api.example.com/a`b", "https://api.example.com/%",
    "https://api.example.com/%2", "https://api.example.com/%zz", "https://api.example.com/a%",
    "https://api.example.com/./a", "https://api.example.com/a/.", "https://api.example.com/..",
    "https://api.example.com/a/../b", "https://api.example.com/a/%2e%2e/b",
    "https://api.example.com/a/.%2E/b",
    "https://api.example.com/%2e", "https://api.example.com/a/%2E%2e", "https://[::1/", "https://[]/",
    "https://[::1]x/", "https://[fe80::1%25en0]/", "https://api.example.com/\u{e9}",
    "https://b\u{fc}cher.example/",
    "https://api.example.com/a\tb", "https://api.example.com/a\nb", "https://api.example.com/\u{0}",
  ]

  @Test("what is no absolute URL, or has two readings, is refused", arguments: invalid)
  func refused(spelling: String) {
    #expect(ResourceURL(parsing: Array(spelling.utf8)) == nil)
  }

  @Test("paths of events are normalized in the same way")
  func paths() {
    func normal(_ path: String) -> String? {
      URLPath(parsing: Array(path.utf8)[...]).map { String(decoding: $0.text, as: UTF8.self) }
    }
    #expect(normal("/") == "/")
    #expect(normal("/%7euser/%2f%c3%a9") == "/~user/%2F%C3%A9")
    #expect(normal("/a/...") == "/a/...")
    #expect(normal("/.well-known/x") == "/.well-known/x")
    for path in ["", "a", "/a b", "/a?b", "/a#b", "/é", "/a/..", "/./a", "/a/%2E", "/%"] {
      #expect(normal(path) == nil)
    }
  }

  /// The path of an event, that of `htu`, and whether they are equal if the first is as sent, and if it may be decoded.
  static let requests: [(event: String, htu: String, sent: Bool, decoded: Bool)] = [
    ("/a", "/a", true, true), ("/a%20b", "/a%20b", true, true), ("/a%2fb", "/a%2Fb", true, true),
    ("/a b", "/a%20b", false, true), ("/é", "/%C3%A9", false, true), ("/é", "/%c3%a9", false, true),
    ("/50%", "/50%25", false, true), ("/a%zz", "/a%25zz", false, true), ("/a?b", "/a%3Fb", false, true),
    ("/a b/c", "/a%20b%2Fc", false, true), ("/{id}", "/%7Bid%7D", false, true),
    // A path that looks like a URL without scheme, or like a whole one, is a path.
    ("//x", "//x", true, true), ("//x", "/x", false, false), ("//x/a", "/a", false, false),
    ("/https://x.example/a", "/https://x.example/a", true, true),
    ("/https://x.example/a", "/a", false, false),
    // Decoded once, not twice.
    ("/%61dmin", "/admin", true, false), ("/%61dmin", "/%61dmin", true, false),
    ("/%61dmin", "/%2561dmin", false, true), ("/%2561dmin", "/%61dmin", false, false),
    ("/a b", "/a%2520b", false, false), ("/a b%20c", "/a%20b%20c", false, false),
    ("/a b", "/a+b", false, false), ("/a b", "/a", false, false), ("/A b", "/a%20b", false, false),
    ("/a\u{FFFD}", "/a%FF", false, false),
    // Dot segments, in any reading.
    ("/a b/../c", "/a%20b%2F..%2Fc", false, false), ("/a b/.", "/a%20b%2F.", false, false),
    ("/a b/%2e%2e/c", "/a%20b/%252e%252e/c", false, false), ("/..", "/..", false, false),
    ("/a/..%2fb c", "/a%2F..%252fb%20c", false, false), ("a b", "/a%20b", false, false),
  ]

  @Test("a path that was decoded once is compared with the decoded path of the URL", arguments: requests)
  func decodedPaths(_ row: (event: String, htu: String, sent: Bool, decoded: Bool)) {
    let url = ResourceURL(parsing: Array("https://api.example.com\(row.htu)".utf8))
    for (mayBeDecoded, expected) in [(false, row.sent), (true, row.decoded)] {
      let path = RequestPath(Array(row.event.utf8), mayBeDecoded: mayBeDecoded)
      let isEqual = url.flatMap { url in path.map { $0.isPath(of: url) } } ?? false
      #expect(isEqual == expected, "decoded: \(mayBeDecoded)")
    }
  }

  static let origins: [(text: String, normal: String?)] = [
    ("https://api.example.com", "https://api.example.com"),
    ("HTTPS://API.example.com:443", "https://api.example.com"),
    ("https://api.example.com:8443", "https://api.example.com:8443"),
    ("http://localhost:80", "http://localhost"),
    ("http://127.0.0.1:3000", "http://127.0.0.1:3000"), ("http://[::1]:3000", "http://[::1]:3000"),
    ("https://api_1.example.com", "https://api_1.example.com"),
    ("https://api.example.com/", nil), ("https://api.example.com/v1", nil),
    ("https://api.example.com?x", nil),
    ("https://api.example.com#x", nil), ("https://*.example.com", nil), ("https://u@api.example.com", nil),
    ("api.example.com", nil), ("*", nil), ("", nil), ("null", nil), ("wss://api.example.com", nil),
  ]

  @Test("an origin is scheme, host and port, and nothing else", arguments: origins)
  func originTexts(text: String, normal: String?) {
    #expect(WebOrigin(parsing: Array(text.utf8)).map { String(decoding: $0.text, as: UTF8.self) } == normal)
  }

  @Test("this machine is recognized by its whole name")
  func loopback() {
    for (text, isLoopback) in [
      ("http://localhost", true), ("http://localhost:3000", true), ("https://127.0.0.1:1", true),
      ("http://[::1]", true), ("http://localhost.evil.org", false), ("http://127.0.0.10", false),
      ("https://api.example.com", false),
    ] { #expect(WebOrigin(parsing: Array(text.utf8))?.isLoopback == isLoopback, "\(text)") }
  }

  private static func proof(_ url: String) throws -> [UInt8] {
    try ProofForge().withClaim("htu", "\"\(url)\"").text()
  }

  private static func target() throws -> ProofTarget? {
    ProofTarget(
      method: Array("GET".utf8), path: Array("/prod/pets/a%2Fb~c".utf8),
      origins: try #require(ProofForge.target).origins)
  }
}
