import Testing

@testable import authorizer_local

/// The key sets of real issuers, for `serve --real-keys`.
@Suite struct NativeKeySetTests {
  private static let issuer = "https://id.example.com"
  private static let keys = "https://id.example.com/keys"

  private static func document(_ issuer: String = issuer, _ address: String = keys) -> String {
    #"{"issuer":"\#(issuer)","jwks_uri":"\#(address)"}"#
  }

  /// Answers with the texts of these addresses; others fail.
  private static func sets(_ issuers: [String], _ web: [String: String]) -> NativeKeySets {
    NativeKeySets(of: issuers) { address throws(CommandFailure) in
      guard let text = web[address] else { throw CommandFailure(.functionFailed, "status: 404") }
      return Array(text.utf8)
    }
  }

  @Test func theDiscoveryDocumentNamesTheKeys() {
    let found = Self.sets(
      [Self.issuer], [Self.issuer + "/.well-known/openid-configuration": Self.document(), Self.keys: "K"])
    #expect(found.sets == [Self.issuer: Array("K".utf8)])
    #expect(found.problems.isEmpty)
  }

  /// One issuer without keys does not take the keys of the others.
  @Test(arguments: [
    ("https://gone.example.com", ""), ("http://id.example.com", ""), ("id.example.com", ""),
    ("https://evil.example.com", document("https://other.example.com")),
    ("https://evil.example.com", document("https://evil.example.com", "http://evil.example.com/keys")),
    ("https://evil.example.com", document("https://evil.example.com", "file:///etc/passwd")),
    ("https://evil.example.com", "not JSON"),
    ("https://evil.example.com\u{1B}[2J", ""),
  ]) func aFailureIsALine(_ issuer: String, _ document: String) {
    let found = Self.sets(
      [issuer, Self.issuer],
      [
        issuer + "/.well-known/openid-configuration": document,
        Self.issuer + "/.well-known/openid-configuration": Self.document(), Self.keys: "K",
      ])
    #expect(Array(found.sets.keys) == [Self.issuer])
    #expect(found.problems.count == 1)
    #expect(found.problems.first?.contains("are closed (501)") == true)
    #expect(found.problems.first?.contains("\u{1B}") == false)
  }

  @Test func withoutIssuersNothingIsFetched() throws {
    let found = NativeKeySets(of: [], on: try RecordedMachine().machine)
    #expect(found.sets.isEmpty && found.problems.isEmpty)
  }
}
