import Testing

@testable import LambdaRuntime

@Suite("AWS_LAMBDA_RUNTIME_API")
struct RuntimeEndpointTests {
  static let loopback = UInt32(0x7F00_0001).bigEndian

  struct Form: CustomTestStringConvertible {
    let text: String
    let address: SocketAddress?
    let authority: String
    let prefix: String
    var testDescription: String { text }
  }

  static let forms = [
    Form(
      text: "127.0.0.1:9001", address: .ipv4(loopback, port: 9001), authority: "127.0.0.1:9001", prefix: ""),
    Form(text: "127.0.0.1", address: .ipv4(loopback, port: 80), authority: "127.0.0.1", prefix: ""),
    Form(
      text: "169.254.100.1:9001", address: .ipv4(UInt32(0xA9FE_6401).bigEndian, port: 9001),
      authority: "169.254.100.1:9001", prefix: ""),
    Form(
      text: "http://127.0.0.1:9000/.rt", address: .ipv4(loopback, port: 9000), authority: "127.0.0.1:9000",
      prefix: "/.rt"),
    Form(text: "HTTP://127.0.0.1/", address: .ipv4(loopback, port: 80), authority: "127.0.0.1", prefix: ""),
    Form(
      text: "127.0.0.1:5050/a%20b/c//", address: .ipv4(loopback, port: 5050), authority: "127.0.0.1:5050",
      prefix: "/a%20b/c"),
    Form(
      text: "[::1]:9001", address: SocketAddress(ipv6: "::1", port: 9001), authority: "[::1]:9001", prefix: ""
    ),
    Form(
      text: "http://[::]:9000/.rt", address: .ipv6(SIMD16(), port: 9000), authority: "[::]:9000",
      prefix: "/.rt"),
    Form(text: "[::1]", address: SocketAddress(ipv6: "::1", port: 80), authority: "[::1]", prefix: ""),
  ]

  @Test("each form of Lambda and emulators is accepted", arguments: forms)
  func form(_ form: Form) throws {
    let endpoint = try RuntimeEndpoint(parsing: form.text)
    #expect(endpoint.addresses == [form.address])
    #expect(endpoint.authority == form.authority)
    #expect(endpoint.pathPrefix == form.prefix)
  }

  @Test(
    "localhost is 127.0.0.1, then ::1", arguments: ["localhost:5050/Function", "LocalHost:5050/Function"])
  func localhost(_ text: String) throws {
    let endpoint = try RuntimeEndpoint(parsing: text)
    #expect(
      endpoint.addresses == [
        .ipv4(Self.loopback, port: 5050), try #require(SocketAddress(ipv6: "::1", port: 5050)),
      ])
    #expect(endpoint.pathPrefix == "/Function")
  }

  static let refusals: [(text: String, error: RuntimeEndpointError)] = [
    ("", .empty),
    ("https://127.0.0.1:9001", .unsupportedScheme("https")),
    ("runtime.example.com:80", .hostNameUnsupported("runtime.example.com")),
    ("sandbox", .hostNameUnsupported("sandbox")),
    (":9001", .malformedHost("")),
    ("http:///x", .malformedHost("")),
    ("256.0.0.1:80", .malformedHost("256.0.0.1")),
    ("127.1:80", .malformedHost("127.1")),
    ("::1:9001", .malformedHost("::1:9001")),
    ("[::1:9001", .malformedHost("[::1:9001")),
    ("[::1]9001", .malformedHost("[::1]9001")),
    ("[127.0.0.1]:80", .malformedHost("127.0.0.1")),
    ("[fe80::1%eth0]:80", .malformedHost("fe80::1%eth0")),
    ("user@127.0.0.1:80", .malformedHost("user@127.0.0.1")),
    ("127.0.0.1\u{0}.evil:80", .malformedHost("127.0.0.1\u{0}.evil:80")),
    ("127.0.0.1\r\nX: y", .malformedHost("127.0.0.1\r\nX: y")),
    ("127.0.0.1:", .malformedPort("")),
    ("127.0.0.1:0", .malformedPort("0")),
    ("127.0.0.1:65536", .malformedPort("65536")),
    ("127.0.0.1:+80", .malformedPort("+80")),
    ("127.0.0.1:9001?x", .malformedPath("?x")),
    ("127.0.0.1:9001/a b", .malformedPath("/a b")),
    ("127.0.0.1:9001/a#b", .malformedPath("/a#b")),
    ("127.0.0.1:9001/ü", .malformedPath("/ü")),
  ]

  @Test("an invalid endpoint is refused with its invalid part", arguments: refusals)
  func refusal(_ text: String, _ error: RuntimeEndpointError) {
    #expect(throws: error) { try RuntimeEndpoint(parsing: text) }
  }

  @Test("every error has a unique code and a hint")
  func codes() {
    let errors: [RuntimeEndpointError] = [
      .empty, .unsupportedScheme("x"), .malformedHost("x"), .hostNameUnsupported("x"), .malformedPort("x"),
      .malformedPath("x"),
    ]
    #expect(Set(errors.map(\.code)).count == errors.count)
    #expect(errors.allSatisfy { $0.description.contains("\nhint: ") })
  }
}
