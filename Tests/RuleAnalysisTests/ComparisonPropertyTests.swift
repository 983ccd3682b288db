import Authorizer
import Foundation
import JSON
import RuleAnalysis
import TestSupport
import Testing

/// Random pairs of configurations: the analysis finds a difference exactly where trying every request and every token of a
/// small universe finds one, and the authorizer decides on each example as it says.
@Suite("Comparisons, with random cases")
struct ComparisonPropertyTests {
  /// The pairs to compare. `COMPARISON_CASES` sets another number.
  static let cases = ProcessInfo.processInfo.environment["COMPARISON_CASES"].flatMap { Int($0) } ?? 200
  static let firstSeed = ProcessInfo.processInfo.environment["COMPARISON_SEED"].flatMap { UInt64($0) }

  @Test("each difference is found, and each example is one")
  func agrees() throws {
    let first = Self.firstSeed ?? UInt64.random(in: 0...UInt64.max / 2)
    var counts: [String: Int] = [:]
    for number in 0..<Self.cases {
      let seed = first + UInt64(number)
      var random = RandomConfiguration(seed: seed)
      let (old, new) = random.pair()
      let text = "seed \(seed)\nOLD \(old.text)\nNEW \(new.text)"
      let rules = try [old, new].map { one in
        do { return try ConfirmedRules(one.text) } catch {
          Issue.record("\(error) \(text)")
          throw error
        }
      }
      let comparison: RuleComparison
      do throws(AnalysisLimit) {
        comparison = try RuleComparison(rules[0].settings, rules[1].settings, at: ConfirmedRules.now)
      } catch {
        Issue.record("undecided: \(error) \(text)")
        return
      }
      let expected = Self.differences(old, new)
      for (name, found, wanted, sides) in [
        ("new", comparison.newAllows, expected.new, (rules[1], rules[0])),
        ("old", comparison.oldAllows, expected.old, (rules[0], rules[1])),
      ] {
        counts[name + (found.isEmpty ? " allows no more" : " allows more"), default: 0] += 1
        for difference in found {
          let outcomes = try (sides.0.outcome(difference.example), sides.1.outcome(difference.example))
          let isRight = outcomes.0 == .allowed && [.forbidden, .unauthorized].contains(outcomes.1)
          #expect(isRight, "\(name): \(outcomes) for \(difference), \(text)")
          if !isRight { return }
        }
        // What is found is confirmed above, also if it is none of the few requests and tokens that are tried here.
        let isComplete = wanted == nil || !found.isEmpty
        #expect(isComplete, "\(name): nothing found, expected \(wanted ?? ""), \(text)")
        if !isComplete { return }
      }
    }
    print("\(Self.cases) pairs from seed \(first): \(counts)")
    for outcome in ["new allows more", "old allows more", "new allows no more", "old allows no more"] {
      #expect((counts[outcome] ?? 0) > Self.cases / 20, "\(counts)")
    }
  }

  /// Returns an example of what each configuration allows and the other one refuses, by trying everything.
  static func differences(_ old: SmallConfiguration, _ new: SmallConfiguration) -> (
    new: String?, old: String?
  ) {
    var found: (new: String?, old: String?) = (nil, nil)
    func note(_ oldAccess: UInt128, _ newAccess: UInt128, _ caller: @autoclosure () -> String) {
      let more = newAccess & ~oldAccess & SmallConfiguration.all
      let less = oldAccess & ~newAccess & SmallConfiguration.all
      if more != 0, found.new == nil {
        found.new = "\(SmallConfiguration.requests[more.trailingZeroBitCount]) \(caller())"
      }
      if less != 0, found.old == nil {
        found.old = "\(SmallConfiguration.requests[less.trailingZeroBitCount]) \(caller())"
      }
    }
    note(old.guestAccess(), new.guestAccess(), "guest")
    let masks = (old.masks, new.masks)
    for token in SmallUniverse([old, new], now: ConfirmedRules.now).tokens {
      if found.new != nil, found.old != nil { break }
      note(
        old.access(token.claims, issuer: token.issuer, now: ConfirmedRules.now, masks.0),
        new.access(token.claims, issuer: token.issuer, now: ConfirmedRules.now, masks.1),
        "\(token.issuer) \(token.claims)")
    }
    return found
  }
}
