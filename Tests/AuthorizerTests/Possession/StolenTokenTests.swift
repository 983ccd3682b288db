import JSON
import Testing

@testable import Authorizer

/// A token that a thief has, with everything that the thief could send along.
@Suite("Stolen tokens")
struct StolenTokenTests {
  struct Attempt: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: ReasonCode?
    /// The beginning of the log's detail.
    let check: String
    let request: @Sendable (_ token: String, _ other: String) throws -> ProvenRequest

    init(
      _ name: String, _ reason: ReasonCode?, _ check: String = "",
      _ request: @escaping @Sendable (_ token: String, _ other: String) throws -> ProvenRequest
    ) {
      testDescription = name
      self.reason = reason
      self.check = check
      self.request = request
    }
  }

  private static func sent(_ token: String, _ proof: String) -> ProvenRequest {
    ProvenRequest("DPoP", token, [proof])
  }

  static let attempts: [Attempt] = [
    Attempt("the owner's request", nil) { token, _ in sent(token, try .owner(token)) },
    Attempt("no proof", .missingProof, "the request has no DPoP header") { token, _ in
      ProvenRequest("DPoP", token)
    },
    Attempt("as a bearer token", .boundToken, "a token bound by cnf.jkt") { token, _ in
      ProvenRequest("Bearer", token)
    },
    Attempt("as a bearer token with a proof", .boundToken, "a token bound by cnf.jkt") { token, _ in
      ProvenRequest("Bearer", token, [try .owner(token)])
    },
    Attempt("an old proof", .invalidProof, "time:") { token, _ in
      sent(token, try ProvingClient.owner().proof(for: token, at: TestIssuers.now - 66))
    },
    Attempt("a proof for later", .invalidProof, "time:") { token, _ in
      sent(token, try ProvingClient.owner().proof(for: token, at: TestIssuers.now + 6))
    },
    Attempt("a proof for another token", .invalidProof, "token:") { token, other in
      sent(token, try .owner(other))
    },
    Attempt("a proof for another method", .invalidProof, "method:") { token, _ in
      sent(token, try ProvingClient.owner().proof(for: token, method: "DELETE"))
    },
    Attempt("a proof for another path", .invalidProof, "url:") { token, _ in
      sent(token, try ProvingClient.owner().proof(for: token, url: "https://api.example.com/prod/dogs"))
    },
    Attempt("a proof for the path without the stage", .invalidProof, "url:") { token, _ in
      sent(token, try ProvingClient.owner().proof(for: token, url: "https://api.example.com/pets"))
    },
    Attempt("a proof for another host", .invalidProof, "url:") { token, _ in
      sent(token, try ProvingClient.owner().proof(for: token, url: "https://other.example.com/prod/pets"))
    },
    Attempt("a proof for plain http", .invalidProof, "url:") { token, _ in
      sent(token, try ProvingClient.owner().proof(for: token, url: "http://api.example.com/prod/pets"))
    },
    Attempt("the thief's own proof", .invalidProof, "thumbprint:") { token, _ in
      sent(token, try ProvingClient.thief().proof(for: token))
    },
    Attempt("the owner's header with the thief's signature", .invalidProof, "signature:") { token, _ in
      let parts = try String.owner(token).split(separator: ".")
      let thief = try ProvingClient.thief().proof(for: token).split(separator: ".")
      return sent(token, [parts[0], parts[1], thief[2]].joined(separator: "."))
    },
    Attempt("two proofs", .invalidProof, "header:") { token, _ in
      ProvenRequest("DPoP", token, [try .owner(token), try .owner(token)])
    },
    Attempt("the owner's proof after the thief's", .invalidProof, "header:") { token, _ in
      ProvenRequest("DPoP", token, [try ProvingClient.thief().proof(for: token), try .owner(token)])
    },
    Attempt("an empty proof", .invalidProof, "form:") { token, _ in sent(token, "") },
    Attempt("the token as its proof", .invalidProof, "type:") { token, _ in sent(token, token) },
    Attempt("a proof of more than 4,096 bytes", .invalidProof, "header:") { token, _ in
      sent(token, String(repeating: "a", count: 4097))
    },
    Attempt("a proof that is not a string", .invalidProof, "form:") { token, _ in
      var request = ProvenRequest("DPoP", token)
      request.proofs = [.number("1")]
      return request
    },
    Attempt("a proof that is null", .missingProof, "the request has no DPoP header") { token, _ in
      var request = ProvenRequest("DPoP", token)
      request.proofs = [.null]
      return request
    },
    Attempt("a tab after the scheme", .malformedToken) { token, _ in
      var request = sent(token, try .owner(token))
      request.authorization = "DPoP\t" + token
      return request
    },
    Attempt("a word after the token", .malformedToken) { token, _ in sent(token + " b", try .owner(token)) },
    Attempt("an event without a path", .invalidProof, "url:") { token, _ in
      var request = sent(token, try .owner(token))
      request.path = nil
      return request
    },
    Attempt("an event without a host", .invalidProof, "url:") { token, _ in
      var request = sent(token, try .owner(token))
      request.domain = nil
      return request
    },
    Attempt("dot segments in the path of the request", .invalidProof, "url:") { token, _ in
      var request = sent(token, try .owner(token))
      request.path = "/prod/pets/../pets"
      return request
    },
  ]

  @Test("only the owner's request is accepted", arguments: ProvenRequest.kinds, attempts)
  func attempt(kind: EventKind, attempt: Attempt) throws {
    let client = try ProvingClient.owner()
    let token = try TestRules.partnerToken(try client.binding())
    let other = try TestRules.partnerToken(#""jti":"other","# + (try client.binding()))
    var authorizer = try PossessionTests.authorizer(PossessionTests.dpop)
    let request = try attempt.request(token, other)
    let decision = authorizer.decide(on: request.event(kind), at: TestIssuers.now)
    #expect(decision.reason == attempt.reason)
    #expect((decision.detail ?? "").hasPrefix(attempt.check))
  }

  @Test("only HTTP APIs may decode the path of a request", arguments: ProvenRequest.kinds)
  func decodedPath(kind: EventKind) throws {
    let token = try TestRules.partnerToken(try ProvingClient.owner().binding())
    for (path, url, isDecoded) in [
      ("/prod/my pets", "/prod/my%20pets", true), ("/prod/my%20pets", "/prod/my%20pets", false),
    ] {
      var authorizer = try PossessionTests.authorizer(PossessionTests.dpop)
      let proof = try ProvingClient.owner().proof(for: token, url: "https://api.example.com" + url)
      var request = ProvenRequest("DPoP", token, [proof])
      request.path = path
      let decision = authorizer.decide(on: request.event(kind), at: TestIssuers.now)
      #expect(decision.reason == (isDecoded && kind == .restRequest ? .invalidProof : nil))
    }
  }

  static let certificates: [(name: String, value: JSONTree?)] = [
    ("none", nil), ("null", .null), ("a number", .number("1")), ("empty", .string("")),
    ("the content of a sample", .string("CERT_CONTENT")),
    (
      "another one",
      .string(ProvingClient.certificate.replacing("MIIBBjCBrAIBAjAK", with: "MIIBBjCBrAIBAzAK"))
    ),
    ("two", .string(ProvingClient.certificate + ProvingClient.certificate)),
    ("text around it", .string("x" + ProvingClient.certificate)),
    (
      "without its last line",
      .string(ProvingClient.certificate.replacing("-----END CERTIFICATE-----", with: ""))
    ),
  ]

  @Test("only the owner's certificate is accepted", arguments: ProvenRequest.kinds, certificates)
  func certificate(kind: EventKind, row: (name: String, value: JSONTree?)) throws {
    var authorizer = try PossessionTests.authorizer(PossessionTests.certificate)
    let token = try TestRules.partnerToken(ProvingClient.certificateBinding)
    var request = ProvenRequest("Bearer", token, certificate: ProvingClient.certificate)
    #expect(authorizer.decide(on: request.event(kind), at: TestIssuers.now).reason == nil)
    request.certificate = row.value
    #expect(authorizer.decide(on: request.event(kind), at: TestIssuers.now).reason == .certificateMismatch)
  }

  @Test("the certificate of another kind of event is not read")
  func otherPlace() throws {
    var authorizer = try PossessionTests.authorizer(PossessionTests.certificate)
    let token = try TestRules.partnerToken(ProvingClient.certificateBinding)
    let presented = [
      TestEvent.object("clientCert", [TestEvent.text("clientCertPem", ProvingClient.certificate)])
    ]
    for (kind, place) in [
      (EventKind.http2, "identity"), (.restRequest, "authentication"), (.http1, "authentication"),
    ] {
      let event = TestEvent.bytes(
        kind,
        [
          TestEvent.object("headers", [TestEvent.text("authorization", "Bearer " + token)]),
          TestEvent.object("requestContext", [TestEvent.object(place, presented)]),
        ])
      #expect(authorizer.decide(on: event, at: TestIssuers.now).reason == .certificateMismatch)
    }
  }

  @Test(
    "configured origins replace the domain name of the event",
    arguments: [
      (#"["https://front.example.com"]"#, "https://front.example.com/prod/pets", true),
      (
        #"["https://a.example.com","https://front.example.com:8443"]"#,
        "https://front.example.com:8443/prod/pets", true
      ),
      (#"["https://front.example.com"]"#, ProvingClient.url, false),
      (#"["http://localhost:3000"]"#, "http://localhost:3000/prod/pets", true),
    ])
  func origins(list: String, url: String, isAccepted: Bool) throws {
    var authorizer = try PossessionTests.authorizer(#"{"dpop":{"origins":\#(list)}}"#)
    let client = try ProvingClient.owner()
    let token = try TestRules.partnerToken(try client.binding())
    let request = ProvenRequest("DPoP", token, [try client.proof(for: token, url: url)])
    let decision = authorizer.decide(on: request.event(.restRequest), at: TestIssuers.now)
    #expect(decision.reason == (isAccepted ? nil : .invalidProof))
  }
}

extension String {
  /// The owner's good proof for this token.
  fileprivate static func owner(_ token: String) throws -> String {
    try ProvingClient.owner().proof(for: token)
  }
}
