import Testing

@testable import JOSE

/// One row of an attack table: the header and payload of a token signed with the issuer's own RSA key, and the expected
/// rejection. Without a rejection it is a counterexample that must be accepted.
struct Forgery: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let header: [UInt8]
  let payload: [UInt8]
  let rejection: TokenRejection?

  init(
    _ name: String, header: String = TokenForge.goodHeader, claims: String = TokenForge.goodClaims,
    _ rejection: TokenRejection?
  ) {
    self.init(name, Array(header.utf8), Array(claims.utf8), rejection)
  }

  /// Creates a row with these bytes as the header.
  init(_ name: String, header: [UInt8], _ rejection: TokenRejection?) {
    self.init(name, header, Array(TokenForge.goodClaims.utf8), rejection)
  }

  /// Creates a row with these bytes as the payload.
  init(_ name: String, payload: [UInt8], _ rejection: TokenRejection?) {
    self.init(name, Array(TokenForge.goodHeader.utf8), payload, rejection)
  }

  private init(_ name: String, _ header: [UInt8], _ payload: [UInt8], _ rejection: TokenRejection?) {
    testDescription = name
    self.header = header
    self.payload = payload
    self.rejection = rejection
  }

  func token() throws -> [UInt8] {
    try TokenForge.token(header: header, payload: payload, key: TestKeys.made().rsa)
  }

  /// Checks the rejection, with its associated values, or the acceptance. The first failed check of the explanation is
  /// the same.
  func check(_ gatekeeper: Gatekeeper? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let gatekeeper = try gatekeeper ?? .standard()
    let text = try token()
    let verdict = gatekeeper.verdict(on: text)
    #expect(verdict.rejection == rejection, sourceLocation: sourceLocation)
    #expect((verdict.token != nil) == (rejection == nil), sourceLocation: sourceLocation)
    let explanation = gatekeeper.explanation(of: text)
    #expect(explanation.firstFailure == rejection, sourceLocation: sourceLocation)
  }
}
