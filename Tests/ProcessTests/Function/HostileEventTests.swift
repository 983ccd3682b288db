@testable import AuthorizerContract
@testable import LambdaEmulator
import Foundation
import JSON
import TestSupport
import TestTokens
import Testing

/// Events from a hostile or broken caller. The function answers each with a clear error, and the same process serves
/// the next event.
@Suite(.needsBootstrap, .hangLimit)
struct HostileEventTests {
  struct Row: Sendable {
    let name: String
    let event: [UInt8]
    let reason: String
  }

  static let rows: [Row] = [
    Row(name: "6 MiB of spaces", event: [UInt8](repeating: 0x20, count: 6 << 20), reason: "invalidEvent"),
    Row(
      name: "6 MiB of text", event: Array("\"\(String(repeating: "a", count: (6 << 20) - 2))\"".utf8),
      reason: "invalidEvent"),
    Row(name: "invalid JSON", event: Array(#"{"type":"TOKEN","#.utf8), reason: "invalidEvent"),
    Row(name: "nothing", event: [], reason: "invalidEvent"),
    Row(name: "100,000 open arrays", event: [UInt8](repeating: 0x5B, count: 100_000), reason: "invalidEvent"),
    Row(
      name: "a million values", event: Array("[\(String(repeating: "0,", count: 1_000_000))0]".utf8),
      reason: "invalidEvent"),
    Row(name: "not UTF-8", event: [0x22, 0xFF, 0x22], reason: "invalidEvent"),
    Row(
      name: "a token of 1 MiB", event: event("Bearer " + String(repeating: "a", count: 1 << 20)),
      reason: "malformedToken"),
    Row(
      name: "a token of 10,000 dots", event: event("Bearer " + String(repeating: ".", count: 10_000)),
      reason: "malformedToken"),
  ]

  @Test("the function answers each hostile event, and the next event too")
  func nextEventIsServed() async throws {
    let workshop = try Workshop()
    let keys = try SharedKeys.all()
    try workshop.write(String(decoding: keys.publicKeySet.bytes(), as: UTF8.self), to: "jwks.json")
    let configuration =
      #"{"issuers":[{"preset":"apple","audiences":["com.example.app"],"keys":{"seed":"jwks.json","pinned":true}}]}"#
    let variables = ["AUTHORIZER_CONFIG": configuration, "AUTHORIZER_DEVELOPMENT": "1"]
    let function = RecordedFunction(Workshop.bootstrap, in: workshop.folder, variables)
    let good = Self.event("Bearer " + (try Self.token(keys)))
    try await function.run { environment in
      for row in Self.rows {
        let refused = await environment.invoke(event: row.event)
        #expect(refused.decision?.reason == row.reason, "\(row.name)")
        let served = await environment.invoke(event: good)
        #expect(Evaluation(of: served.answer, to: good).outcome == .allowed, "after \(row.name)")
      }
    }
  }

  private static func event(_ authorization: String) -> [UInt8] {
    let arn = "arn:aws:execute-api:eu-west-1:123456789012:abc/dev/GET/me"
    return Array(#"{"type":"TOKEN","methodArn":"\#(arn)","authorizationToken":"\#(authorization)"}"#.utf8)
  }

  private static func token(_ keys: DevelopmentKeys) throws -> String {
    let recipe = #"{"t":{"preset":"apple","claims":{"aud":"com.example.app"}}}"#
    let now = Int64(Date().timeIntervalSince1970)
    let mint = TokenMint(recipes: try TokenRecipes(parsing: Array(recipe.utf8)), keys: keys, now: now)
    return try mint.token(named: "t")
  }
}
