import Bytes
import JSON
import TestTokens
import Testing

@testable import JOSE

/// Sign in with Apple: nonces at sign-in, and server-to-server notifications.
@Suite("C. Sign in with Apple")
struct AppleTests {
  private static let audience = "com.example.app"
  private static let raw = Array("raw-nonce".utf8)

  struct NonceRow: Sendable, CustomTestStringConvertible {
    let claims: [(String, String?)]
    let expectation: NonceExpectation
    let flaw: NonceFlaw?
    var testDescription: String { "\(claims.map { "\($0.0): \($0.1 ?? "-")" }) \(flaw?.code ?? "fits")" }
    init(_ claims: [(String, String?)], _ expectation: NonceExpectation, _ flaw: NonceFlaw?) {
      (self.claims, self.expectation, self.flaw) = (claims, expectation, flaw)
    }
  }

  @Test(
    "request and token both have a nonce or neither, and the comparison is exact",
    arguments: [
      NonceRow([("nonce", "\"n1\"")], .exact(Array("n1".utf8)), nil),
      NonceRow([("nonce", "\"n1\"")], .exact(Array("N1".utf8)), .mismatch),
      NonceRow([("nonce", "\"n1\"")], .exact(Array("n".utf8)), .mismatch),
      NonceRow([("nonce", "\"\"")], .exact([]), .mismatch),
      NonceRow([("nonce", "\"n1\"")], .absent, .unexpected), NonceRow([], .absent, nil),
      NonceRow([], .exact(Array("n1".utf8)), .missing(isSupported: false)),
      NonceRow([("nonce_supported", "true")], .exact(Array("n1".utf8)), .missing(isSupported: true)),
      NonceRow([("nonce_supported", "\"true\"")], .exact(Array("n1".utf8)), .missing(isSupported: true)),
      NonceRow([("nonce_supported", "false")], .exact(Array("n1".utf8)), .missing(isSupported: false)),
      NonceRow([("nonce_supported", "1")], .exact(Array("n1".utf8)), .malformed),
      NonceRow([("nonce", "7")], .exact(Array("7".utf8)), .malformed),
      NonceRow([("nonce", "null")], .exact(Array("null".utf8)), .malformed),
      NonceRow([("nonce", "null")], .absent, .unexpected),
      NonceRow([("nonce", "\"raw-nonce\"")], .sha256Hexadecimal(of: raw), .mismatch),
    ])
  func nonce(row: NonceRow) throws {
    let token = try #require(try Self.verified(row.claims))
    #expect(Self.flaw(token, row.expectation) == row.flaw)
  }

  @Test("only the SHA-256 of the raw nonce in lower-case hexadecimal is accepted")
  func hashedNonce() throws {
    let digest = try #require(Digester()?.digest(.sha256, of: Self.raw[...]))
    let text = String(decoding: digest.hexadecimal, as: UTF8.self)
    #expect(text.count == 64)
    let good = try #require(try Self.verified([("nonce", "\"\(text)\"")]))
    #expect(Self.flaw(good, .sha256Hexadecimal(of: Self.raw)) == nil)
    #expect(Self.flaw(good, .sha256Hexadecimal(of: Array("other".utf8))) == .mismatch)
    for other in [text.uppercased(), String(text.dropLast()), text + "0"] {
      let token = try #require(try Self.verified([("nonce", "\"\(other)\"")]))
      #expect(Self.flaw(token, .sha256Hexadecimal(of: Self.raw)) == .mismatch)
    }
  }

  @Test(
    "booleans are accepted as booleans or as strings",
    arguments: [
      ("true", true), ("\"true\"", true), ("false", false), ("\"false\"", false), ("\"True\"", nil),
      ("1", nil),
      ("null", nil), ("\"\"", nil), ("[true]", nil),
    ] as [(String, Bool?)])
  func flexibleBooleans(text: String, value: Bool?) throws {
    #expect(try JSONDocument(parsing: Array(text.utf8), limits: .token).root.flexibleBoolean == value)
  }

  static let events: [(name: String, event: AppleNotification.Event)] = [
    ("consent-revoked", .consentRevoked), ("account-delete", .accountDeleted),
    ("account-deleted", .accountDeleted),
    ("email-enabled", .emailEnabled), ("email-disabled", .emailDisabled),
    ("something-new", .unknown("something-new")),
  ]

  @Test("each event of a notification, including both spellings of a deletion", arguments: events)
  func event(name: String, event: AppleNotification.Event) throws {
    let token = try #require(
      try Self.notification(
        #"{"type":"\#(name)","sub":"001.a","event_time":1795255200123,"email":"a@b.c","is_private_email":"true"}"#
      ))
    let notification = try AppleNotification(token)
    #expect(notification.event == event)
    #expect(notification.subject == Array("001.a".utf8))
    #expect(notification.eventMilliseconds == 1_795_255_200_123)
    #expect(notification.email == Array("a@b.c".utf8))
    #expect(notification.isPrivateEmail == true)
    #expect(notification.identifier == Array("jti-1".utf8))
  }

  @Test(
    "an events member that differs from the documentation is refused",
    arguments: [
      ("", "events"), ("[]", "events"), ("{", "events"), (#"{"type":"a","type":"b"}"#, "events"),
      (#"{"sub":"a","event_time":1}"#, "events.type"),
      (#"{"type":1,"sub":"a","event_time":1}"#, "events.type"),
      (#"{"type":"consent-revoked","event_time":1}"#, "events.sub"),
      (#"{"type":"consent-revoked","sub":"","event_time":1}"#, "events.sub"),
      (#"{"type":"consent-revoked","sub":"a"}"#, "events.event_time"),
      (#"{"type":"consent-revoked","sub":"a","event_time":"1"}"#, "events.event_time"),
      (#"{"type":"consent-revoked","sub":"a","event_time":-1}"#, "events.event_time"),
      (#"{"type":"consent-revoked","sub":"a","event_time":1,"email":7}"#, "events.email"),
      (
        #"{"type":"consent-revoked","sub":"a","event_time":1,"is_private_email":"yes"}"#,
        "events.is_private_email"
      ),
    ])
  func malformedEvents(events: String, claim: String) throws {
    let token = try #require(try Self.notification(events))
    #expect(throws: TokenRejection.malformedClaim(claim)) { try AppleNotification(token) }
  }

  @Test("a notification is not accepted as an identity token, and vice versa")
  func confusion() throws {
    let events = ("events", #""{\"type\":\"consent-revoked\",\"sub\":\"a\",\"event_time\":1}""#)
    let identity = try Self.verdict(.identity, [events])
    #expect(identity == .wrongType(found: "events"))
    #expect(try Self.verdict(.identity, []) == nil)
    #expect(try Self.verdict(.notification, [("jti", "\"j\"")]) == .missingClaim("events"))
    #expect(try Self.verdict(.notification, [events]) == .missingClaim("jti"))
    #expect(try Self.verdict(.notification, [events, ("jti", "\"j\""), ("sub", nil)]) == nil)
    #expect(
      try Self.verdict(.notification, [events, ("jti", "\"j\""), ("iat", nil)]) == .missingClaim("iat"))
  }

  @Test("the issuer is pinned: the other spelling in Apple's discovery document is refused")
  func pinnedIssuer() throws {
    #expect(
      try Self.verdict(.identity, [("iss", "\"https://account.apple.com\"")])
        == .wrongIssuer(found: "https://account.apple.com"))
  }

  private enum Kind { case identity, notification }

  private static func gatekeeper(_ kind: Kind) throws -> Gatekeeper {
    let preset = kind == .identity ? try IssuerPreset(parsing: "apple") : .appleNotification
    let profile = try IssuerProfile(
      name: preset.name, issuers: preset.issuers, audience: .audience([audience, "com.example.web"]),
      algorithms: preset.algorithms, types: preset.types,
      maximumLifetimeSeconds: preset.maximumLifetimeSeconds,
      claimRules: preset.claimRules, principal: preset.principal.flatMap { ClaimPath($0) },
      hasSubject: preset.hasSubject)
    return Gatekeeper(profile: profile, keys: try Gatekeeper.standard().keys)
  }

  private static func token(_ changes: [(String, String?)]) throws -> [UInt8] {
    let key = try TestKeys.made().rsa
    let claims =
      [("iss", "\"https://appleid.apple.com\""), ("aud", "\"\(audience)\"")] as [(String, String?)]
    return try TokenForge.token(
      header: TokenForge.header("RS256", kid: key.id), claims: TokenForge.claims(claims + changes), key: key)
  }

  private static func verified(_ claims: [(String, String?)]) throws -> VerifiedToken? {
    try gatekeeper(.identity).verdict(on: token(claims)).token
  }

  private static func notification(_ events: String) throws -> VerifiedToken? {
    var writer = JSONWriter()
    writer.string(events)
    let text = String(decoding: writer.bytes, as: UTF8.self)
    let claims = [("events", text), ("jti", "\"jti-1\""), ("sub", nil)] as [(String, String?)]
    return try gatekeeper(.notification).verdict(on: token(claims)).token
  }

  private static func verdict(_ kind: Kind, _ changes: [(String, String?)]) throws -> TokenRejection? {
    try gatekeeper(kind).verdict(on: token(changes)).rejection
  }

  private static func flaw(_ token: VerifiedToken, _ expectation: NonceExpectation) -> NonceFlaw? {
    do throws(NonceFlaw) {
      try token.checkNonce(expectation)
      return nil
    } catch {
      return error
    }
  }
}
