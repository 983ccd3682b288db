@testable import GatewayModel
@testable import IssuerEmulator
import JSON
import TestTokens
import Testing

/// Token requests with a DPoP proof (RFC 9449 section 5).
@Suite struct OAuthProofTests {
  private struct Prover {
    let key: DevelopmentProofKey

    init() throws { key = try DevelopmentProofKey.generate() }

    /// The header with a proof; each is another one.
    func header(
      _ method: String = "POST", _ address: String = OAuthStage.base + "/dev/oauth/token",
      after seconds: Int64 = 0
    ) throws -> GatewayRequest.Header {
      let proof = try key.proof(
        method: method, address: address, token: "", now: OAuthStage.begin + seconds,
        entropy: { UInt64.random(in: .min ... .max) })
      return .init("DPoP", proof)
    }
  }

  @Test func aProofBindsTheTokensToItsKey() throws {
    let stage = try OAuthStage()
    let (client, prover) = (try stage.client(), try Prover())
    let answer = try stage.exchange(client, try stage.code(client), headers: [try prover.header()])
    #expect(answer.status == 200)
    #expect(answer["token_type"] == "DPoP")
    let thumbprint = try prover.key.thumbprint()
    #expect(try OAuthFlowTests.claims(answer)["cnf"] == .members(["jkt": .string(thumbprint)]))
    let token = try #require(answer["refresh_token"])
    let refreshed = try stage.refresh(client, token, headers: [try prover.header()])
    #expect(refreshed["token_type"] == "DPoP")
  }

  @Test func aBoundRefreshTokenNeedsItsKey() throws {
    for isOther in [true, false] {
      let stage = try OAuthStage()
      let (client, prover) = (try stage.client(), try Prover())
      let answer = try stage.exchange(client, try stage.code(client), headers: [try prover.header()])
      let token = try #require(answer["refresh_token"])
      let headers = isOther ? [try Prover().header()] : []
      #expect(try stage.refresh(client, token, headers: headers).error == "invalid_dpop_proof")
    }
  }

  @Test func aCodeCanBeBoundBeforeItIsIssued() throws {
    let stage = try OAuthStage()
    let (client, prover) = (try stage.client(), try Prover())
    let bound: OAuthStage.Parameters = ["dpop_jkt": try prover.key.thumbprint()]
    let code = try stage.code(client, bound)
    #expect(try stage.exchange(client, code).error == "invalid_dpop_proof")
    let stolen = try stage.code(client, bound)
    #expect(
      try stage.exchange(client, stolen, headers: [try Prover().header()]).error == "invalid_dpop_proof")
    let other = try stage.code(client, bound)
    #expect(try stage.exchange(client, other, headers: [try prover.header()]).status == 200)
  }

  @Test func refusesProofsForOtherRequests() throws {
    let stage = try OAuthStage()
    let prover = try Prover()
    let client = try stage.client()
    let good = try prover.header()
    let headers: [[GatewayRequest.Header]] = [
      [try prover.header("GET")], [try prover.header("POST", OAuthStage.base + "/dev/oauth/register")],
      [try prover.header("POST", "https://127.0.0.1:8080/dev/oauth/token")],
      [try prover.header("POST", "http://localhost:8080/dev/oauth/token")],
      [try prover.header("POST", "http://127.0.0.1:8081/dev/oauth/token")],
      [try prover.header(after: -66)], [try prover.header(after: 6)], [good, good],
      [.init("DPoP", good.value + "," + good.value)], [.init("DPoP", "x")],
      [.init("DPoP", String(good.value.dropLast(4)) + "AAAA")],
    ]
    for headers in headers {
      let answer = try stage.exchange(client, try stage.code(client), headers: headers)
      #expect(answer.error == "invalid_dpop_proof", "\(headers)")
    }
    // A proof is for one request, and a repeated one spends no code.
    #expect(try stage.exchange(client, try stage.code(client), headers: [good]).status == 200)
    let code = try stage.code(client)
    #expect(try stage.exchange(client, code, headers: [good]).error == "invalid_dpop_proof")
    #expect(try stage.exchange(client, code, headers: [try prover.header()]).status == 200)
  }

  /// Others cannot fill the table: a proof counts only with a client and a grant.
  @Test func aProofOfARefusedRequestIsNotUsed() throws {
    let stage = try OAuthStage()
    let (client, prover) = (try stage.client(), try Prover())
    let proof = try prover.header()
    #expect(try stage.exchange("unknown", "x.y", headers: [proof]).error == "invalid_client")
    #expect(try stage.exchange(client, "x.y", headers: [proof]).error == "invalid_grant")
    #expect(try stage.exchange(client, try stage.code(client), headers: [proof]).status == 200)
  }

  @Test func aFullTableOfProofsSaysSoUntilOneExpires() throws {
    var proofs = UsedProofs()
    func proof(_ number: Int, expiry: Int64) -> TokenRequest.Proof {
      .init(thumbprint: "", fingerprint: Array("\(number)".utf8), expiry: expiry)
    }
    for number in 0..<OAuthLimits.proofs { try proofs.add(proof(number, expiry: 70), at: 0) }
    #expect(throws: OAuthError(.invalidProof, "the proof was used before")) {
      try proofs.add(proof(0, expiry: 140), at: 70)
    }
    let problem = #expect(throws: OAuthError.self) { try proofs.add(proof(-1, expiry: 140), at: 70) }
    #expect(problem?.code == .temporarilyUnavailable)
    #expect(problem?.status == 503)
    try proofs.add(proof(-1, expiry: 141), at: 71)
  }
}
