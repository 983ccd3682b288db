import IssuerKeys
import Testing

@testable import Authorizer

/// `"replay"`: each proof is accepted once.
@Suite("Replayed proofs")
struct ReplayTests {
  static let settings =
    #"{"dpop":{"maximumAgeSeconds":30,"leewaySeconds":2,"replay":{"dynamoDB":{"table":"proofs","region":"eu-west-1"}}}}"#

  private static func request(identifier: String = "j1", method: String = "GET") throws -> ProvenRequest {
    let client = try ProvingClient.owner()
    let token = try TestRules.partnerToken(try client.binding())
    var request = ProvenRequest(
      "DPoP", token, [try client.proof(for: token, method: method, identifier: identifier)])
    request.method = method
    return request
  }

  @Test("a proof is accepted once, by all workers together", arguments: ProvenRequest.kinds)
  func once(kind: EventKind) throws {
    let memory = ScriptedProofs()
    var first = try PossessionTests.authorizer(Self.settings, proofs: memory)
    var second = try #require(first.forAnotherWorker())
    let event = try Self.request().event(kind)
    #expect(first.decide(on: event, at: TestIssuers.now).reason == nil)
    #expect(first.decide(on: event, at: TestIssuers.now).reason == .replayedProof)
    #expect(second.decide(on: event, at: TestIssuers.now).reason == .replayedProof)
    #expect(
      second.decide(on: try Self.request(identifier: "j2").event(kind), at: TestIssuers.now).reason == nil)
    #expect(
      memory.uses.first?.table == TableReference(name: "proofs", region: "eu-west-1")
        && memory.uses.first?.expiresAt == TestIssuers.now + 2 * 34)
  }

  @Test("the proof of another method with the same identifier is the same proof")
  func identifiers() throws {
    var authorizer = try PossessionTests.authorizer(Self.settings)
    #expect(authorizer.decide(on: try Self.request().event(.http2), at: TestIssuers.now).reason == nil)
    let other = try Self.request(method: "DELETE").event(.http2)
    #expect(authorizer.decide(on: other, at: TestIssuers.now).reason == .replayedProof)
  }

  @Test("without a memory nothing is allowed")
  func unavailable() throws {
    let memory = ScriptedProofs()
    memory.outage = "down"
    var authorizer = try PossessionTests.authorizer(Self.settings, proofs: memory)
    let decision = authorizer.decide(on: try Self.request().event(.http2), at: TestIssuers.now)
    #expect(decision.reason == .storeUnavailable)
    #expect(decision.outcome == .failure)
    #expect(decision.detail == "used proofs cannot be remembered: down")
    // The initializer without a memory.
    let settings = try TestRules.settings(
      #""gatewayCache":"off""#, partner: #","proofOfPossession":\#(Self.settings)"#)
    var without = Authorizer(settings: settings, transport: ScriptedTransport(), at: TestIssuers.now)
    #expect(
      without.decide(on: try Self.request().event(.http2), at: TestIssuers.now).reason == .storeUnavailable)
  }

  @Test("only a request that passes all other checks of its credential is remembered")
  func last() throws {
    let memory = ScriptedProofs()
    let revocations = ScriptedRevocations()
    revocations.events["u"] = (TestIssuers.now + 100) * 1000
    var authorizer = try PossessionTests.authorizer(
      Self.settings, #""revocation":{"file":"r.json","issuers":["partner"]}"#, revocations: revocations,
      proofs: memory)
    let client = try ProvingClient.owner()
    let revoked = try TestRules.partnerToken(#""sub":"u","# + (try client.binding()))
    let withdrawn = ProvenRequest("DPoP", revoked, [try client.proof(for: revoked)]).event(.http2)
    #expect(authorizer.decide(on: withdrawn, at: TestIssuers.now).reason == .revoked)
    var wrong = try Self.request()
    wrong.method = "PUT"
    #expect(authorizer.decide(on: wrong.event(.http2), at: TestIssuers.now).reason == .invalidProof)
    #expect(memory.uses.isEmpty)
  }

  @Test("nothing is remembered for tokens that are not bound to a key, or without replay")
  func notRemembered() throws {
    let memory = ScriptedProofs()
    var authorizer = try PossessionTests.authorizer(Self.settings, proofs: memory)
    let bearer = ProvenRequest("Bearer", try TestRules.partnerToken()).event(.http2)
    #expect(authorizer.decide(on: bearer, at: TestIssuers.now).reason == nil)
    var without = try PossessionTests.authorizer(PossessionTests.dpop, proofs: memory)
    for _ in 0..<2 {
      #expect(without.decide(on: try Self.request().event(.http2), at: TestIssuers.now).reason == nil)
    }
    #expect(memory.ends.isEmpty)
  }

  @Test("the memory has the time of the invocation")
  func deadline() throws {
    let memory = ScriptedProofs()
    var authorizer = try PossessionTests.authorizer(Self.settings, proofs: memory)
    let time = InvocationTime(unixSeconds: TestIssuers.now, remainingMilliseconds: 2000)
    _ = authorizer.decide(on: try Self.request().event(.http2), at: time)
    #expect(memory.ends == [time.endMilliseconds])
  }
}
