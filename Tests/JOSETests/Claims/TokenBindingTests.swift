import Testing

@testable import JOSE

/// RFC 9449 section 6.1, RFC 8705 section 3.1: a token with `jkt` or `x5t#S256` in `cnf` is bound to one key.
@Suite("Bound tokens")
struct TokenBindingTests {
  /// The thumbprint of RFC 9449 section 6.1 and the hash of RFC 8705 section 3.1.
  static let jkt = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
  static let x5t = "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"

  static let confirmations: [(cnf: String, rejection: TokenRejection?)] = [
    (#"{"jkt":"\#(jkt)"}"#, .boundToken(to: [.key])),
    (#"{"x5t#S256":"\#(x5t)"}"#, .boundToken(to: [.certificate])),
    (#"{"x5t#S256":"\#(x5t)","jkt":"\#(jkt)"}"#, .boundToken(to: [.key, .certificate])),
    (#"{"\u006akt":"\#(jkt)"}"#, .boundToken(to: [.key])),
    (#"{"jkt":"\#(jkt)","kid":5}"#, .boundToken(to: [.key])),
    // Any 43 characters of the alphabet: the unused bits of the last one are ignored.
    (#"{"jkt":"\#(String(repeating: "_", count: 43))"}"#, .boundToken(to: [.key])),
    // Other members do not bind, and names are compared exactly.
    ("{}", nil), (#"{"jwk":{"kty":"EC"}}"#, nil), (#"{"kid":"\#(jkt)"}"#, nil), (#"{"jku":1}"#, nil),
    (#"{"JKT":"\#(jkt)"}"#, nil), (#"{"x5t#s256":"\#(x5t)"}"#, nil), (#"{"x5t":"\#(x5t)"}"#, nil),
    // Not an object.
    ("null", .malformedClaim("cnf")), ("[]", .malformedClaim("cnf")), ("1", .malformedClaim("cnf")),
    ("false", .malformedClaim("cnf")), ("\"\(jkt)\"", .malformedClaim("cnf")),
    (#"[{"jkt":"\#(jkt)"}]"#, .malformedClaim("cnf")),
    // Not a thumbprint.
    (#"{"jkt":null}"#, .malformedClaim("cnf.jkt")), (#"{"jkt":1}"#, .malformedClaim("cnf.jkt")),
    (#"{"jkt":["\#(jkt)"]}"#, .malformedClaim("cnf.jkt")), (#"{"jkt":""}"#, .malformedClaim("cnf.jkt")),
    (#"{"jkt":"\#(jkt.dropLast())"}"#, .malformedClaim("cnf.jkt")),
    (#"{"jkt":"\#(jkt)A"}"#, .malformedClaim("cnf.jkt")),
    (#"{"jkt":"\#(jkt)="}"#, .malformedClaim("cnf.jkt")),
    (#"{"jkt":"\#(jkt.dropLast())="}"#, .malformedClaim("cnf.jkt")),
    (#"{"jkt":"\#(jkt.dropLast())+"}"#, .malformedClaim("cnf.jkt")),
    (#"{"jkt":"\#(jkt.dropLast()) "}"#, .malformedClaim("cnf.jkt")),
    (#"{"jkt":"\#(jkt.dropLast(2))\u00e9"}"#, .malformedClaim("cnf.jkt")),
    (#"{"x5t#S256":null}"#, .malformedClaim("cnf.x5t#S256")),
    (#"{"x5t#S256":"AA"}"#, .malformedClaim("cnf.x5t#S256")),
    (#"{"jkt":"\#(jkt)","x5t#S256":"AA"}"#, .malformedClaim("cnf.x5t#S256")),
    (#"{"x5t#S256":"\#(x5t)","jkt":"AA"}"#, .malformedClaim("cnf.jkt")),
  ]

  @Test("a bound token is refused even if it is otherwise valid", arguments: confirmations)
  func refused(cnf: String, rejection: TokenRejection?) throws {
    try Forgery(cnf, claims: TokenForge.claims([("cnf", cnf)]), rejection).check()
  }

  @Test("cnf is not read if bindings are ignored", arguments: confirmations)
  func ignored(cnf: String, rejection: TokenRejection?) throws {
    let gatekeeper = Gatekeeper(
      profile: try Gatekeeper.profile(proofOfPossession: .ignore), keys: try Gatekeeper.standard().keys)
    try Forgery(cnf, claims: TokenForge.claims([("cnf", cnf)]), nil).check(gatekeeper)
  }

  @Test("a token without cnf is not bound")
  func unbound() throws {
    try Forgery("unbound", claims: TokenForge.claims([("cnf", nil)]), nil).check()
  }

  /// The other reasons are final. `boundToken` is not, because a proof of possession could resolve it.
  @Test(
    "reasons that a proof cannot resolve take precedence",
    arguments: [
      ("aud", #""x""#, .wrongAudience(found: ["x"])), ("sub", nil, .missingClaim("sub")),
      ("exp", "\(TokenForge.now)", .expired(at: TokenForge.now, now: TokenForge.now)),
    ] as [(String, String?, TokenRejection)])
  func last(name: String, value: String?, rejection: TokenRejection) throws {
    let claims = TokenForge.claims([("cnf", #"{"jkt":"\#(Self.jkt)"}"#), (name, value)])
    try Forgery(name, claims: claims, rejection).check()
  }

  @Test("a forged token is refused for its signature, not for its binding")
  func forged() throws {
    let claims = TokenForge.claims([("cnf", #"{"jkt":"\#(Self.jkt)"}"#)])
    let token = try TokenForge.token(claims: claims, key: TestKeys.made().attackerRSA)
    #expect(try Gatekeeper.standard().verdict(on: token).rejection == .signatureMismatch)
  }
}
