import JSON
import Testing

@testable import Authorizer
@testable import FunctionHost

/// `"proofOfPossession"` as an object, from event to decision.
@Suite("Proofs of possession")
struct PossessionTests {
  static let dpop = #"{"dpop":{}}"#
  static let certificate = #"{"certificate":true}"#
  static let both = #"{"dpop":{},"certificate":true}"#
  static let requiredBoth = #"{"required":true,"dpop":{},"certificate":true}"#

  static func authorizer(
    _ settings: String, _ members: String = "", revocations: ScriptedRevocations = ScriptedRevocations(),
    proofs: ScriptedProofs = ScriptedProofs()
  ) throws -> Authorizer<ScriptedTransport> {
    let settings = try TestRules.settings(
      #""gatewayCache":"off""# + (members.isEmpty ? "" : "," + members),
      partner: #","proofOfPossession":\#(settings)"#)
    return Authorizer(
      settings: settings, transport: ScriptedTransport(), revocations: revocations, proofs: proofs,
      at: TestIssuers.now)
  }

  /// How a token is bound.
  enum Binding: CaseIterable, Sendable {
    case none, key, certificate, both

    func token() throws -> String {
      let key = try ProvingClient.owner().thumbprint()
      let certificate = ProvingClient.certificateHash
      let claims =
        switch self {
        case .none: ""
        case .key: #""cnf":{"jkt":"\#(key)","kid":"ignored"}"#
        case .certificate: #""cnf":{"x5t#S256":"\#(certificate)"}"#
        case .both: #""cnf":{"jkt":"\#(key)","x5t#S256":"\#(certificate)"}"#
        }
      return try TestRules.partnerToken(claims)
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let settings: String
    let binding: Binding
    let scheme: String
    let hasProof: Bool
    let hasCertificate: Bool
    let reason: ReasonCode?
    var testDescription: String {
      "\(settings) \(binding) \(scheme) proof \(hasProof) certificate \(hasCertificate)"
    }

    init(
      _ settings: String, _ binding: Binding, _ scheme: String, proof: Bool = false,
      certificate: Bool = false,
      _ reason: ReasonCode?
    ) {
      self.settings = settings
      self.binding = binding
      self.scheme = scheme
      hasProof = proof
      hasCertificate = certificate
      self.reason = reason
    }
  }

  static let rows: [Row] = [
    // DPoP alone.
    Row(dpop, .none, "Bearer", nil), Row(dpop, .none, "Bearer", proof: true, .invalidProof),
    Row(dpop, .none, "DPoP", .missingProof), Row(dpop, .none, "DPoP", proof: true, .missingProof),
    Row(dpop, .key, "DPoP", proof: true, nil), Row(dpop, .key, "dpop", proof: true, nil),
    Row(dpop, .key, "DPOP", proof: true, nil), Row(dpop, .key, "DPoP", .missingProof),
    Row(dpop, .key, "Bearer", .boundToken), Row(dpop, .key, "Bearer", proof: true, .boundToken),
    Row(dpop, .key, "DPoP ", proof: true, .malformedToken),
    Row(dpop, .key, "Basic", proof: true, .malformedToken),
    Row(dpop, .certificate, "Bearer", certificate: true, .boundToken),
    Row(dpop, .certificate, "DPoP", proof: true, certificate: true, .boundToken),
    Row(dpop, .both, "DPoP", proof: true, certificate: true, .boundToken),
    // Certificates alone: the scheme DPoP is unknown, and the header DPoP means nothing.
    Row(certificate, .none, "Bearer", nil), Row(certificate, .none, "Bearer", proof: true, nil),
    Row(certificate, .none, "DPoP", .malformedToken),
    Row(certificate, .key, "Bearer", .boundToken),
    Row(certificate, .key, "DPoP", proof: true, .malformedToken),
    Row(certificate, .certificate, "Bearer", certificate: true, nil),
    Row(certificate, .certificate, "bearer", proof: true, certificate: true, nil),
    Row(certificate, .certificate, "Bearer", .certificateMismatch),
    Row(certificate, .certificate, "DPoP", certificate: true, .malformedToken),
    Row(certificate, .both, "Bearer", certificate: true, .boundToken),
    // Both.
    Row(both, .none, "Bearer", nil), Row(both, .none, "Bearer", certificate: true, nil),
    Row(both, .none, "Bearer", proof: true, .invalidProof),
    Row(both, .none, "DPoP", proof: true, .missingProof),
    Row(both, .key, "DPoP", proof: true, nil), Row(both, .certificate, "Bearer", certificate: true, nil),
    Row(both, .certificate, "Bearer", proof: true, certificate: true, .invalidProof),
    Row(both, .certificate, "DPoP", proof: true, certificate: true, .missingProof),
    Row(both, .both, "DPoP", proof: true, certificate: true, nil),
    Row(both, .both, "DPoP", proof: true, .certificateMismatch),
    Row(both, .both, "DPoP", certificate: true, .missingProof),
    Row(both, .both, "Bearer", proof: true, certificate: true, .boundToken),
    // Required.
    Row(requiredBoth, .none, "Bearer", .missingProof),
    Row(requiredBoth, .none, "DPoP", proof: true, .missingProof),
    Row(requiredBoth, .none, "Bearer", proof: true, certificate: true, .missingProof),
    Row(requiredBoth, .key, "DPoP", proof: true, nil),
    Row(requiredBoth, .certificate, "Bearer", certificate: true, nil),
    Row(requiredBoth, .both, "DPoP", proof: true, certificate: true, nil),
  ]

  @Test("binding, scheme, proof and certificate decide", arguments: ProvenRequest.kinds, rows)
  func decided(kind: EventKind, row: Row) throws {
    let token = try row.binding.token()
    let proof = try ProvingClient.owner().proof(for: token)
    let request = ProvenRequest(
      row.scheme, token, row.hasProof ? [proof] : [],
      certificate: row.hasCertificate ? ProvingClient.certificate : nil)
    for cache in [0, 8] {
      var authorizer = try Self.authorizer(row.settings, #""verdictCache":\#(cache)"#)
      for _ in 0..<2 {
        let decision = authorizer.decide(on: request.event(kind), at: TestIssuers.now)
        #expect(decision.reason == row.reason)
        #expect(decision.outcome == (row.reason == nil ? .allowed : .unauthorized))
      }
    }
  }

  @Test(
    "TOKEN and WebSocket events cannot contain a proof", arguments: [EventKind.restToken, .webSocket],
    [("Bearer", true), ("DPoP", true), ("DPoP", false)])
  func eventsWithoutProof(kind: EventKind, row: (scheme: String, hasProof: Bool)) throws {
    for binding in Binding.allCases {
      let token = try binding.token()
      let proofs = row.hasProof && kind == .webSocket ? [try ProvingClient.owner().proof(for: token)] : []
      let request = ProvenRequest(row.scheme, token, proofs)
      var authorizer = try Self.authorizer(Self.both)
      let decision = authorizer.decide(on: request.event(kind), at: TestIssuers.now)
      let expected: ReasonCode? =
        switch (binding, row.scheme, proofs.isEmpty) {
        case (.none, "DPoP", _): .missingProof
        case (.none, _, true): nil
        case (.none, _, false): .invalidProof
        default: .boundToken
        }
      #expect(decision.reason == expected, "\(binding)")
    }
  }

  @Test(
    "a token bound to a key is never accepted from a cookie or a query parameter",
    arguments: ["cookie", "query"])
  func bare(source: String) throws {
    var authorizer = try Self.authorizer(
      Self.both, #""tokenSources":["header:Authorization","\#(source):t"],"allowQueryTokens":true"#)
    for (binding, reason) in [
      (Binding.key, ReasonCode.boundToken), (.both, .boundToken), (.none, .invalidProof),
    ] {
      let token = try binding.token()
      let proof = TestEvent.text("DPoP", try ProvingClient.owner().proof(for: token))
      let place = TestEvent.object("queryStringParameters", [TestEvent.text("t", token)])
      let headers = source == "cookie" ? [TestEvent.text("Cookie", "t=\(token)"), proof] : [proof]
      let event = TestEvent.bytes(
        .restRequest, [TestEvent.object("headers", headers)] + (source == "query" ? [place] : []))
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == reason)
    }
  }

  @Test("the context says what was proven", arguments: ProvenRequest.kinds)
  func context(kind: EventKind) throws {
    let expected: [(Binding, String, String?)] = [
      (.none, "Bearer", nil), (.key, "DPoP", "dpop"), (.certificate, "Bearer", "certificate"),
      (.both, "DPoP", "dpop certificate"),
    ]
    for (binding, scheme, confirmation) in expected {
      var authorizer = try Self.authorizer(Self.both)
      let token = try binding.token()
      let proofs = scheme == "DPoP" ? [try ProvingClient.owner().proof(for: token)] : []
      let request = ProvenRequest(scheme, token, proofs, certificate: ProvingClient.certificate)
      let decision = authorizer.decide(on: request.event(kind), at: TestIssuers.now)
      guard case .response(let bytes) = decision.answer else {
        Issue.record("no answer")
        continue
      }
      #expect(try JSONTree(parsing: bytes)["context"]?["confirmation"]?.text == confirmation)
    }
  }

  @Test("a token whose bindings are ignored confirms nothing")
  func ignoredContext() throws {
    var authorizer = try TestRules.authorizer("", partner: BoundTokenTests.ignore)
    let event = ProvenRequest("DPoP", try Binding.key.token()).event(.http2)
    guard case .response(let bytes) = authorizer.decide(on: event, at: TestIssuers.now).answer else {
      Issue.record("no answer")
      return
    }
    #expect(try JSONTree(parsing: bytes)["context"]?["confirmation"] == nil)
  }

  @Test("the deny style never answers these reasons", arguments: ProvenRequest.kinds)
  func deny(kind: EventKind) throws {
    var authorizer = try Self.authorizer(Self.both, #""unauthorized":"deny""#)
    for binding in [Binding.key, .certificate, .both] {
      let event = ProvenRequest("DPoP", try binding.token()).event(kind)
      #expect(authorizer.decide(on: event, at: TestIssuers.now).answer == .unauthorized)
    }
  }

  @Test("the verdict cache saves the token's signature and never the proof's")
  func verdicts() throws {
    var authorizer = try Self.authorizer(Self.dpop, #""verdictCache":8"#)
    let token = try Binding.key.token()
    for number in 1...4 {
      let proof = try ProvingClient.owner().proof(for: token, identifier: "j\(number)")
      let event = ProvenRequest("DPoP", token, [proof]).event(.http2)
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == nil)
      #expect(authorizer.signatureChecks == 1 + number)
    }
    let event = ProvenRequest("DPoP", token, [try ProvingClient.thief().proof(for: token)]).event(.http2)
    #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == .invalidProof)
    #expect(authorizer.signatureChecks == 5)
  }

  @Test("the claims of a token come before its proof, and 401 before 403")
  func order() throws {
    let rules = #""default":"deny","rules":[{"routes":["GET /dogs"],"allow":true}]"#
    var authorizer = try Self.authorizer(Self.dpop, rules)
    let client = try ProvingClient.owner()
    let expired = try TestIssuers.token(
      #""preset":"oidc","algorithm":"ES256","claims":{"iss":"https://id.example.com","aud":"api","exp":"-1h","#
        + #"\#(try client.binding())}"#)
    let event = ProvenRequest("DPoP", expired).event(.http2)
    #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == .expired)
    let token = try Binding.key.token()
    let without = ProvenRequest("DPoP", token).event(.http2)
    #expect(authorizer.decide(on: without, at: TestIssuers.now).reason == .missingProof)
    let with = ProvenRequest("DPoP", token, [try client.proof(for: token)]).event(.http2)
    #expect(authorizer.decide(on: with, at: TestIssuers.now).reason == .noRule)
  }

  @Test("the proof is checked before a revocation is looked up")
  func revocation() throws {
    let store = ScriptedRevocations()
    var authorizer = try Self.authorizer(
      Self.dpop, #""revocation":{"file":"r.json","issuers":["partner"]}"#, revocations: store)
    let token = try Binding.key.token()
    let without = ProvenRequest("DPoP", token).event(.http2)
    #expect(authorizer.decide(on: without, at: TestIssuers.now).reason == .missingProof)
    #expect(store.calls.isEmpty)
    store.outage = "down"
    let proof = try ProvingClient.owner().proof(for: token)
    let with = ProvenRequest("DPoP", token, [proof]).event(.http2)
    #expect(authorizer.decide(on: with, at: TestIssuers.now).reason == .storeUnavailable)
  }

  @Test("the log names the failed check")
  func details() throws {
    var authorizer = try Self.authorizer(Self.both)
    let token = try Binding.key.token()
    let proof = try ProvingClient.owner().proof(for: token, method: "POST")
    let rows: [(ProvenRequest, String)] = [
      (ProvenRequest("DPoP", token, [proof]), "method: htm is not the method of the request"),
      (ProvenRequest("DPoP", token, [proof, proof]), "header: more than one DPoP header, or a comma in it"),
      (ProvenRequest("DPoP", token), "the request has no DPoP header"),
      (ProvenRequest("Bearer", token), "a token bound by cnf.jkt needs the scheme DPoP in a header"),
      (ProvenRequest("Bearer", try Binding.certificate.token()), "the event has no client certificate"),
    ]
    for (request, detail) in rows {
      let decision = authorizer.decide(on: request.event(.http2), at: TestIssuers.now)
      let line = try JSONTree(parsing: Array(DecisionLogTests.line(decision).utf8))
      #expect(line["detail"] == .string(detail))
      #expect(line["issuer"] == .string("partner"))
    }
  }

  @Test("no log line contains text of a proof or a certificate")
  func silence() throws {
    var authorizer = try Self.authorizer(Self.both)
    let token = try Binding.both.token()
    let client = try ProvingClient.owner()
    let proofs = [
      "canary", "canary.canary.canary", try client.proof(for: token, method: "CANARY"),
      try client.proof(for: token, url: "https://canary.example.com/canary"),
      try client.proof(for: token, identifier: "canary"),
    ]
    var reasons: Set<ReasonCode?> = []
    for proof in proofs {
      let request = ProvenRequest("DPoP", token, [proof], certificate: "canary")
      let decision = authorizer.decide(on: request.event(.restRequest), at: TestIssuers.now)
      reasons.insert(decision.reason)
      #expect(!DecisionLogTests.line(decision).lowercased().contains("canary"))
    }
    #expect(reasons == [.invalidProof, .certificateMismatch])
  }
}
