import Authorizer
import JSON
import RuleAnalysis
import TestSupport
import Testing

/// Random properties: a proof finds an example exactly where trying every request and every token of a small universe finds
/// one, and the authorizer decides on it as it says.
@Suite("Proofs, with random cases")
struct ProofPropertyTests {
  @Test("each counterexample is found, and each example is one")
  func agrees() throws {
    let first = ComparisonPropertyTests.firstSeed ?? UInt64.random(in: 0...UInt64.max / 2)
    var counts: [String: Int] = [:]
    for number in 0..<ComparisonPropertyTests.cases {
      let seed = first + UInt64(number)
      var random = RandomConfiguration(seed: seed)
      let (configuration, isAlways, routes, requirement) = random.property()
      let who = requirement.map { JSONTree.members(["require": $0.json]) } ?? .string("anyone")
      let property = JSONTree.members([
        "name": .string("p"),
        isAlways ? "always" : "never": .members(["routes": .array(routes.map { .string($0) }), "who": who]),
      ])
      let bytes = JSONTree.members(["properties": .array([property])]).bytes()
      let text = "seed \(seed)\n\(configuration.text)\n\(String(decoding: bytes, as: UTF8.self))"
      let rules = try ConfirmedRules(configuration.text)
      let properties = try RuleProperty.properties(parsing: bytes, for: rules.settings)
      let proof: RuleProof
      do throws(AnalysisLimit) {
        proof = try RuleProof(of: properties[0], in: rules.settings, at: ConfirmedRules.now)
      } catch {
        Issue.record("undecided: \(error) \(text)")
        return
      }
      let (expected, hasCallers) = Self.example(configuration, isAlways, routes, requirement)
      switch proof {
      case .refuted(let example):
        counts["refuted", default: 0] += 1
        #expect((try rules.outcome(example) == .allowed) != isAlways, "\(example) \(text)")
      case .proven:
        counts["proven", default: 0] += 1
        #expect(expected == nil, "proven, expected \(expected ?? ""), \(text)")
      case .noCallers:
        counts["no callers", default: 0] += 1
        #expect(!hasCallers, "\(text)")
      }
    }
    print("\(ComparisonPropertyTests.cases) properties from seed \(first): \(counts)")
    #expect(
      min(counts["proven"] ?? 0, counts["refuted"] ?? 0) > ComparisonPropertyTests.cases / 20, "\(counts)")
  }

  /// Returns a caller and a request with the opposite of the property, by trying everything.
  private static func example(
    _ configuration: SmallConfiguration, _ isAlways: Bool, _ routes: [String],
    _ requirement: SmallRequirement?
  ) -> (String?, hasCallers: Bool) {
    var asking = SmallConfiguration()
    asking.deniesByDefault = true
    asking.rules = [.init(routes: routes, requirement: requirement)]
    let (masks, asked) = (configuration.masks, asking.masks)
    // Requests that nothing can allow do not count.
    let counted = SmallConfiguration.all & (isAlways ? ~SmallConfiguration.withoutHeaders : .max)
    let now = ConfirmedRules.now
    let guests = !isAlways && requirement == nil ? configuration.guestAccess() & counted : 0
    var hasCallers = requirement == nil
    for token in SmallUniverse([configuration, asking], now: now).tokens {
      let wanted = asking.access(token.claims, issuer: token.issuer, now: now, asked) & counted
      hasCallers =
        hasCallers
        || requirement.map {
          $0.value(token.claims, issuer: token.issuer, takesText: false, now: now) == true
        } ?? true
      if wanted & guests != 0 { return ("guest", true) }
      // Most tokens are those of no caller.
      if wanted == 0 { continue }
      let access = configuration.access(token.claims, issuer: token.issuer, now: now, masks)
      let wrong = wanted & (isAlways ? ~access : access)
      if wrong != 0 {
        let request = SmallConfiguration.requests[wrong.trailingZeroBitCount]
        return ("\(request) \(token.issuer) \(token.claims)", true)
      }
    }
    return (nil, hasCallers)
  }
}
