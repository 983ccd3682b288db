import Testing

@testable import authorizer_local

/// The addresses of the development authorization server in a configuration.
@Suite struct DevelopmentAddressesTests {
  /// The issuer, the audience, the port, and what has another port.
  static let rows: [(issuer: String, audience: String, port: Int, stray: [String])] = [
    ("http://127.0.0.1:8080/dev/oauth", "http://127.0.0.1:8080/Api/prod/mcp", 8080, []),
    (
      "http://127.0.0.1:8080/dev/oauth", "http://127.0.0.1:8080/Api/prod/mcp", 8112,
      ["http://127.0.0.1:8080/dev/oauth", "http://127.0.0.1:8080/Api/prod/mcp"]
    ),
    (
      "http://127.0.0.1:8112/dev/oauth", "http://localhost:8080/Api/prod/mcp", 8112,
      ["http://localhost:8080/Api/prod/mcp"]
    ),
    ("https://localhost:80/dev/oauth", "api", 8080, ["https://localhost:80/dev/oauth"]),
    // Another issuer of this machine has its own port.
    ("http://127.0.0.1:9000/realms/a", "http://127.0.0.1:3000", 8080, []),
    ("https://id.example.com/dev/oauth", "https://api.example.com", 8080, []),
  ]

  @Test("only addresses of the development server can have the wrong port", arguments: rows)
  func stray(_ row: (issuer: String, audience: String, port: Int, stray: [String])) {
    let text = #"{"issuers":[{"issuer":"\#(row.issuer)","audiences":["\#(row.audience)"]}]}"#
    #expect(DevelopmentAddresses.stray(in: text, port: row.port) == row.stray)
  }

  @Test(arguments: ["", "{", #"{"issuers":[{"preset":"apple"}]}"#])
  func nothingElseIsReported(_ text: String) {
    #expect(DevelopmentAddresses.stray(in: text, port: 1) == [])
  }
}
