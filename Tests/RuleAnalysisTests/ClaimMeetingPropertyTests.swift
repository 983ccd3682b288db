import JSON
import RuleAnalysis
import TestSupport
import Testing

@testable import Authorizer

/// Random pairs of routes with claims: a request of the one may be one of the other, for the claims of one token, exactly where
/// trying short texts for the claims finds that.
@Suite("Claims in two routes, with random cases")
struct ClaimMeetingPropertyTests {
  private static let segments = [
    "a", "b", "ab", "*", "a*", "*b", "${sub}", "${tid}", "a${sub}", "${sub}", "a${tid}", "b${tid}", "${tid}",
  ]

  @Test("each request that both match is found, and each example is one")
  func agrees() throws {
    let letters = ["a", "b"]
    let pairs = letters.flatMap { first in letters.map { first + $0 } }
    let texts = letters + pairs + pairs.flatMap { pair in letters.map { pair + $0 } }
    let tokens = try texts.flatMap { sub in
      try texts.map { tid in
        let text = #"{"sub":"\#(sub)","tid":"\#(tid)"}"#
        return (sub, tid, claims: try JSONDocument(parsing: Array(text.utf8), limits: .configuration))
      }
    }
    let first = ComparisonPropertyTests.firstSeed ?? UInt64.random(in: 0...UInt64.max / 2)
    var counts: [String: Int] = [:]
    for number in 0..<ComparisonPropertyTests.cases {
      var random = SeededGenerator(seed: first + UInt64(number))
      let routes = [0, 1].map { _ in
        (0..<Int.random(in: 1...4, using: &random)).reduce(into: "GET ") { route, _ in
          route += "/" + (Self.segments.randomElement(using: &random) ?? "a")
        }
      }
      let text = "seed \(first + UInt64(number)) \(routes)"
      let parsed = try routes.map { try Route(parsing: $0) }
      // One value is enough of a claim that no route has.
      let uses = ["${sub}", "${tid}"].map { claim in routes.contains { $0.contains(claim) } }
      let isExpected = tokens.contains { sub, tid, claims in
        guard uses[0] || sub == texts[0], uses[1] || tid == texts[0] else { return false }
        let patterns = parsed.map { $0.patterns(for: claims.root) }
        return patterns[0].contains { one in patterns[1].contains { RoutePattern.meet(one, $0) } }
      }
      let rules = try ConfirmedRules(
        "{" + ComparisonTests.partner
          + #","default":"deny","rules":[{"routes":["\#(routes[0])"],"allow":true}]}"#)
      let property = #"{"properties":[{"name":"p","never":{"routes":["\#(routes[1])"],"who":"anyone"}}]}"#
      let proof = try RuleProof(
        of: try RuleProperty.properties(parsing: Array(property.utf8), for: rules.settings)[0],
        in: rules.settings, at: ConfirmedRules.now)
      if case .refuted(let example) = proof {
        #expect(try rules.outcome(example) == .allowed, "\(example) \(text)")
      } else {
        #expect(!isExpected, "\(proof) \(text)")
      }
      counts[isExpected ? "meet" : proof == .proven ? "never meet" : "meet with longer texts", default: 0] +=
        1
    }
    print("\(ComparisonPropertyTests.cases) pairs of routes from seed \(first): \(counts)")
  }
}
