import KeyFetcher
import TestTokens
import Testing

@testable import Authorizer
@testable import IssuerKeys

@Suite("Revocation")
struct RevocationTests {
  static let issued = TestIssuers.now - 100

  static let moments: [(issuedAt: Int64?, eventMilliseconds: Int64?, reason: ReasonCode?)] = [
    (issued, nil, nil), (issued, issued * 1000 - 1, nil), (issued, issued * 1000, .revoked),
    (issued, issued * 1000 + 1, .revoked), (issued, issued * 1000 + 999, .revoked),
    (issued + 1, issued * 1000 + 999, nil), (issued, .max, .revoked), (issued, .min, nil), (issued, 0, nil),
    (nil, nil, nil), (nil, 0, .revoked), (nil, .min, .revoked),
  ]

  @Test(
    "a token issued no later than the event is rejected, a later sign-in is accepted", arguments: moments)
  func moment(issuedAt: Int64?, eventMilliseconds: Int64?, reason: ReasonCode?) throws {
    var harness = try RevocationHarness()
    harness.store.events["u"] = eventMilliseconds
    let decision = harness.decide(try RevocationHarness.token(issuedAt: issuedAt))
    #expect(decision.reason == reason)
    #expect(decision.outcome == (reason == nil ? .allowed : .unauthorized))
    if reason != nil { #expect(decision.answer == .unauthorized) }
    #expect(decision.issuerName == "partner")
    #expect(ReasonCode.revoked.isFinal == false)
  }

  @Test("fractions of iat are rounded down, so that in doubt the token is rejected")
  func fractions() throws {
    var harness = try RevocationHarness()
    harness.store.events["u"] = Self.issued * 1000 + 400
    let token = try TestRules.partnerToken(#""sub":"u","iat":\#(Self.issued).5"#)
    #expect(harness.decide(token).reason == .revoked)
  }

  @Test("every kind of event is rejected in the same way", arguments: EventKind.allCases)
  func kinds(kind: EventKind) throws {
    var harness = try RevocationHarness()
    harness.store.events["u"] = .max
    let event = TestEvent.bytes(kind, token: try RevocationHarness.token())
    let decision = harness.authorizer.decide(on: event, at: TestIssuers.now)
    #expect(decision.reason == .revoked)
    harness.store.outage = "down"
    var other = try RevocationHarness()
    other.store.outage = "down"
    let failure = other.authorizer.decide(on: event, at: TestIssuers.now)
    #expect(failure.outcome == .failure)
    #expect(
      failure.answer
        == .failure(
          Failure(reason: .storeUnavailable, detail: "revocations cannot be looked up: down")))
  }

  static let bad = [
    #""damage":"signature","claims":{"sub":"u"}"#,
    #""damage":"payload","claims":{"sub":"u"}"#, #""claims":{"sub":"u","exp":"-10m"}"#,
    #""claims":{"sub":"u","aud":"other"}"#, #""claims":{"sub":"u","iss":"https://other.example.com"}"#,
    #""claims":{"sub":""}"#,
  ]

  @Test("a rejected token causes no lookup", arguments: bad)
  func refusedAnyway(recipe: String) throws {
    var harness = try RevocationHarness()
    harness.store.outage = "down"
    let claims = #""iss":"https://id.example.com","aud":"api","exp":"+10m""#
    var recipe = recipe
    for part in ["iss", "aud", "exp"] where !recipe.contains("\"\(part)\"") {
      let member = try #require(claims.split(separator: ",").first { $0.contains("\"\(part)\"") })
      recipe = recipe.replacing("\"claims\":{", with: "\"claims\":{\(member),")
    }
    let token = try TestIssuers.token(#""preset":"oidc","algorithm":"ES256",\#(recipe)"#)
    #expect(harness.decide(token).outcome == .unauthorized)
    #expect(harness.store.calls == [])
  }

  @Test("tokens of other issuers are not looked up")
  func otherIssuers() throws {
    var harness = try RevocationHarness()
    harness.store.outage = "down"
    let token = try TestIssuers.token(#""preset":"apple","claims":{"aud":"com.example.app","sub":"u"}"#)
    #expect(harness.decide(token).outcome == .allowed)
    #expect(harness.store.calls == [])
    #expect(harness.decide(try RevocationHarness.token()).reason == .storeUnavailable)
  }

  @Test("keys are fetched first, and the lookup follows the signature check")
  func order() throws {
    let transport = ScriptedTransport()
    transport.answers[KeyHarness.address] = .failure(.deadlineExceeded)
    let source = InMemorySource(variables: [
      "AUTHORIZER_CONFIG": """
      {"issuers":[{"name":"partner","issuer":"https://id.example.com","audiences":["api"],"algorithms":["ES256"],
      "keys":{"url":"\(KeyHarness.address)"}}],"revocation":{"file":"r.json","issuers":["partner"]}}
      """
    ])
    let store = ScriptedRevocations()
    var authorizer = Authorizer(
      settings: try Settings(reading: source), transport: transport, revocations: store, at: TestIssuers.now)
    var fetchesWhenAsked: [Int] = []
    store.whenAsked = { fetchesWhenAsked.append(transport.fetches) }
    transport.answers[KeyHarness.address] = .document(try KeyHarness.keySet([TestKeys.a]), maxAge: nil)
    func decide(_ key: SigningKey) throws -> ReasonCode? {
      let token = try TestKeys.token(signedWith: key, kid: "a", now: TestIssuers.now)
      return authorizer.decide(
        on: TestEvent.bytes(.restToken, token: token), at: TestIssuers.now + 2
      ).reason
    }
    #expect(try decide(TestKeys.otherA) == .signatureMismatch)
    #expect(fetchesWhenAsked == [])
    #expect(try decide(TestKeys.a) == nil)
    #expect(fetchesWhenAsked.count == 1 && fetchesWhenAsked[0] >= 2)
  }

  @Test("a cached verdict is looked up too, on every use", arguments: [0, 8])
  func verdictCache(entries: Int) throws {
    var harness = try RevocationHarness(#","freshSeconds":0"#, verdictCache: entries)
    let token = try RevocationHarness.token()
    #expect(harness.decide(token).reason == nil)
    #expect(harness.decide(token).reason == nil)
    harness.store.events["u"] = .max
    #expect(harness.decide(token).reason == .revoked)
    harness.store.outage = "down"
    #expect(harness.decide(token).reason == .storeUnavailable)
    (harness.store.outage, harness.store.events) = (nil, [:])
    #expect(harness.decide(token).reason == nil)
    #expect(harness.authorizer.signatureChecks == (entries == 0 ? 5 : 1))
    #expect(harness.store.calls.count == 5)
  }

  @Test("without a store no token is accepted; without the option there is no lookup")
  func withoutStore() throws {
    let token = TestEvent.bytes(.restToken, token: try RevocationHarness.token())
    var unarmed = Authorizer(
      settings: try RevocationHarness.settings(), transport: ScriptedTransport(), at: TestIssuers.now)
    #expect(unarmed.decide(on: token, at: TestIssuers.now).reason == .storeUnavailable)
    let store = ScriptedRevocations()
    var plain = Authorizer(
      settings: try TestRules.settings(""), transport: ScriptedTransport(), revocations: store,
      at: TestIssuers.now)
    #expect(plain.decide(on: token, at: TestIssuers.now).outcome == .allowed)
    plain.refreshKeys(at: InvocationTime(unixSeconds: TestIssuers.now))
    #expect(store.calls == [] && plain.revocationLookups == 0)
  }

  @Test("the store gets the deadline of the invocation")
  func deadline() throws {
    var harness = try RevocationHarness(#","freshSeconds":0"#)
    let token = try RevocationHarness.token()
    harness.decide(token, deadlineMilliseconds: 103_000)
    harness.decide(token)
    #expect(harness.store.ends == [102_500, nil])
  }
}
