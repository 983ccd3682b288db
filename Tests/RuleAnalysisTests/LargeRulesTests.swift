import Foundation
import JSON
import RuleAnalysis
import TestSupport
import Testing

@testable import Authorizer

/// The largest configurations: 100 routes, 100 conditions in each rule, 4 levels of `any`. All are decided; what lies beyond
/// a limit ends with that limit.
@Suite("The largest rules", .serialized, .hangLimit)
struct LargeRulesTests {
  /// `LARGE_RULES=1` prints the processor's time and the memory of each case.
  static let prints = ProcessInfo.processInfo.environment["LARGE_RULES"] != nil

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether the second configuration allows more.
    let allowsMore: Bool
    let make: @Sendable (inout SeededGenerator) -> (String, String)

    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "100 rules of 100 conditions, one of which is gone", allowsMore: true) { random in
      let rules = (0..<100).map { index in
        rule(["* /r\(index)/*"], nested(conditions(100, &random), levels: 4))
      }
      var changed = rules
      changed[57] = rule(["* /r57/*"], nested(conditions(99, &random), levels: 4))
      return (configuration("deny", rules), configuration("deny", changed))
    },
    Case(name: "100 rules of 100 conditions in another order", allowsMore: false) { random in
      let all = (0..<100).map { _ in conditions(100, &random) }
      let rules = { (random: inout SeededGenerator) in
        all.enumerated().map { index, conditions in
          rule(["* /r\(index)/*"], nested(conditions, levels: 4, shuffling: &random))
        }
      }
      return (configuration("deny", rules(&random)), configuration("deny", rules(&random)))
    },
    Case(name: "100 rules on one route, in another order", allowsMore: false) { random in
      let all = (0..<100).map { _ in nested(conditions(100, &random), levels: 4) }
      return (
        configuration("deny", all.map { rule(["GET /a/*"], $0) }),
        configuration("deny", all.shuffled(using: &random).map { rule(["GET /a/*"], $0) })
      )
    },
    Case(name: "100 restrictions on one route, in another order", allowsMore: false) { random in
      let all = (0..<100).map { _ in nested(conditions(100, &random), levels: 4) }
      return (
        configuration("allow", all.map { rule(["GET /a/*"], $0, grants: false) }),
        configuration("allow", all.shuffled(using: &random).map { rule(["GET /a/*"], $0, grants: false) })
      )
    },
    Case(name: "100 routes with three wildcards each, under both defaults", allowsMore: true) { random in
      let letters = Array("abcdefgh").map(String.init)
      let letter = { (random: inout SeededGenerator) in letters.randomElement(using: &random) ?? "a" }
      let routes = (0..<100).map { _ in
        "* /*\(letter(&random))*\(letter(&random))/*"
      }
      let rules = routes.map { rule([$0], nested(conditions(5, &random), levels: 1)) }
      let restrictions = routes.map { rule([$0], nested(conditions(5, &random), levels: 1), grants: false) }
      return (configuration("deny", rules), configuration("allow", restrictions))
    },
    Case(name: "two rules of 50 routes with claims", allowsMore: true) { random in
      let routes = { (half: Int) in (0..<50).map { "* /t\(half * 50 + $0)/${sub}/*" } }
      let rules = [0, 1].map { rule(routes($0), nested(conditions(100, &random), levels: 4)) }
      return (configuration("deny", rules), configuration("deny", rules).replacing("t99", with: "*"))
    },
    Case(name: "a rule of 100 scopes, written as denials", allowsMore: false) { _ in
      let scopes = (0..<99).map { "{\"scopes\":[\"s\($0)\"]}" }
      let denied =
        "{\"not\":{\"any\":[" + groups(of: scopes.map { "{\"not\":\($0)}" }) + "]},\"claims\":{\"c\":\"x\"}}"
      let plain =
        "{\"scopes\":[" + (0..<99).map { "\"s\($0)\"" }.joined(separator: ",") + "],\"claims\":{\"c\":\"x\"}}"
      return (
        configuration("deny", [rule(["GET /a"], plain)]), configuration("deny", [rule(["GET /a"], denied)])
      )
    },
  ]

  @Test(arguments: cases)
  func isDecided(_ one: Case) throws {
    var random = SeededGenerator(seed: 7)
    let (old, new) = one.make(&random)
    let settings = try [old, new].map { try ConfirmedRules($0).settings }
    let start = clock()
    let comparison = try RuleComparison(settings[0], settings[1], at: ConfirmedRules.now)
    if Self.prints { print("\(one.name): \((clock() - start) / 1000) ms, \(Self.memory)") }
    #expect(comparison.newAllows.isEmpty != one.allowsMore)
  }

  private static var memory: String {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }.map(String.init) ?? ""
  }

  // MARK: Limits

  @Test func tooMuchWorkEndsWithALimit() throws {
    let settings = try Self.pigeons()
    #expect(throws: AnalysisLimit.work) {
      try RuleComparison(settings.0, settings.1, at: ConfirmedRules.now, steps: 100_000)
    }
  }

  @Test func tooManyOverlapsEndWithALimit() throws {
    let routes = ["* /*a*b*c*d*e*f*g*h*"].map { Self.rule([$0], nil, grants: true) }
    let restriction = Self.rule(
      ["* /*1*2*3*4*5*6*7*8*9*0*"], #"{"scopes":["s"]}"#, grants: false)
    let old = try ConfirmedRules(Self.configuration("allow", [restriction])).settings
    let new = try ConfirmedRules(Self.configuration("deny", routes)).settings
    #expect(throws: AnalysisLimit.patterns) { try RuleComparison(old, new, at: ConfirmedRules.now) }
  }

  @Test func aClaimWithoutAFreeByteEndsWithALimit() throws {
    let every = "xzqwkvjyhfbgpucmdlrnsitoae0123456789XZQWKVJYHFBGPUCMDLRNSITOAE_~-"
    let rules = [Self.rule(["GET /\(every)/${sub}"], nil, grants: true)]
    let old = try ConfirmedRules(Self.configuration("deny", rules)).settings
    #expect(throws: AnalysisLimit.noFreeByte) { try RuleComparison(old, old, at: ConfirmedRules.now) }
  }

  @Test func tooManyPathsEndWithALimit() throws {
    let values = (0..<100).map { "\"v\($0)\"" }.joined(separator: ",")
    let rules = ["a", "b", "c"].map { Self.rule(["GET /x"], "{\"claims\":{\"\($0)\":[\(values)]}}") }
    let own = Self.rule(["GET /${a}/${b}/${c}"], nil)
    let old = try ConfirmedRules(Self.configuration("deny", rules + [own])).settings
    #expect(throws: AnalysisLimit.patterns) { try RuleComparison(old, old, at: ConfirmedRules.now) }
  }

  /// Eleven pigeons in ten holes, each scope a pigeon in a hole: no search without counting decides it soon.
  private static func pigeons() throws -> (Settings, Settings) {
    let holes = 10
    let everyPigeon = (0...holes).map { pigeon in
      let places = (0..<holes).map { "{\"scopes\":[\"p\(pigeon)h\($0)\"]}" }.joined(separator: ",")
      return rule(["GET /a"], "{\"any\":[\(places)]}", grants: false)
    }
    // Two pigeons in one hole, for all pairs of pigeons.
    var pairs: [String] = []
    for hole in 0..<holes {
      for one in 0...holes {
        for other in 0..<one { pairs.append("{\"scopes\":[\"p\(one)h\(hole)\",\"p\(other)h\(hole)\"]}") }
      }
    }
    let grants = pairs.enumerated().reduce(into: [[String]]()) { groups, pair in
      if pair.offset % 20 == 0 { groups.append([]) }
      groups[groups.count - 1].append(pair.element)
    }.map { rule(["GET /*"], "{\"any\":[\($0.joined(separator: ","))]}") }
    let old = try ConfirmedRules(configuration("deny", grants)).settings
    let new = try ConfirmedRules(configuration("allow", everyPigeon)).settings
    return (old, new)
  }

  // MARK: Making rules

  private static func rule(_ routes: [String], _ requirement: String?, grants: Bool = true) -> String {
    let list = routes.map { "\"\($0)\"" }.joined(separator: ",")
    return "{\"routes\":[\(list)]" + (grants ? ",\"allow\":true" : "")
      + (requirement.map { ",\"require\":\($0)" } ?? "") + "}"
  }

  private static func configuration(_ word: String, _ rules: [String]) -> String {
    "{\(ComparisonTests.partner),\"default\":\"\(word)\",\"rules\":[\(rules.joined(separator: ","))]}"
  }

  /// Random conditions on eight claims and eight scopes.
  private static func conditions(_ count: Int, _ random: inout SeededGenerator) -> [String] {
    (0..<count).map { _ in
      let name = "c\(Int.random(in: 0..<8, using: &random))"
      let value = Int.random(in: 0..<40, using: &random)
      return switch Int.random(in: 0..<6, using: &random) {
      case 0: "{\"scopes\":[\"s\(value % 8)\"]}"
      case 1: "{\"claims\":{\"\(name)\":{\"prefix\":\"v\(value)\"}}}"
      case 2: "{\"claims\":{\"\(name)\":{\"contains\":\"v\(value)\"}}}"
      case 3: "{\"not\":{\"claims\":{\"\(name)\":\(value)}}}"
      case 4: "{\"claims\":{\"\(name).d\":{\"suffix\":\"w\(value)\"}}}"
      default: "{\"claims\":{\"\(name)\":\"v\(value)\"}}"
      }
    }
  }

  /// Returns the conditions in `any` at several levels, with a conjunction in each member of the first one.
  private static func nested(_ conditions: [String], levels: Int) -> String {
    var none = SeededGenerator(seed: 0)
    return nested(conditions, levels: levels, shuffling: &none, shuffles: false)
  }

  private static func nested(
    _ conditions: [String], levels: Int, shuffling random: inout SeededGenerator, shuffles: Bool = true
  ) -> String {
    // A `not` in a condition is a level of its own.
    guard levels > 1 else {
      return "{\"any\":[" + groups(of: shuffles ? conditions.shuffled(using: &random) : conditions) + "]}"
    }
    let size = max(1, (conditions.count + 3) / 4)
    var parts = stride(from: 0, to: conditions.count, by: size).map { start in
      Array(conditions[start..<min(start + size, conditions.count)])
    }
    if shuffles { parts.shuffle(using: &random) }
    var texts: [String] = []
    for part in parts {
      texts.append(
        nested(part, levels: levels - 1 - (levels == 4 ? 1 : 0), shuffling: &random, shuffles: shuffles))
    }
    return "{\"any\":[" + texts.joined(separator: ",") + "]}"
  }

  /// Returns members of `any`, at most 20 of them.
  private static func groups(of members: [String]) -> String {
    guard members.count > 20 else { return members.joined(separator: ",") }
    return stride(from: 0, to: members.count, by: 20).map { start in
      "{\"any\":[" + members[start..<min(start + 20, members.count)].joined(separator: ",") + "]}"
    }.joined(separator: ",")
  }
}
