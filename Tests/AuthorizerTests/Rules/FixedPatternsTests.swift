import TestSupport
import Testing

@testable import Authorizer

/// Counts the comparisons at the start, since the start of a function costs money and time.
@Suite("Patterns that do not depend on claims")
struct FixedPatternsTests {
  private static func patterns(_ routes: [String]) throws -> FixedPatterns {
    let routes = try routes.map { try Route(parsing: $0) }
    return FixedPatterns(of: routes.map { AccessRules.Rule(routes: [$0], requirement: Requirement()) })
  }

  static let distinct: [(title: String, route: @Sendable (Int) -> String)] = [
    ("paths", { "* /path\($0)" }), ("folders", { "* /folder\(1000 + $0)/*" }),
    ("templates", { "* /folder\(1000 + $0)/{id}/x" }),
  ]

  @Test("unrelated routes are compared with few others", arguments: distinct)
  func linear(title: String, route: @Sendable (Int) -> String) throws {
    for count in [10, 50, 100] {
      let patterns = try Self.patterns((0..<count).map(route))
      #expect(patterns.comparisons <= 2 * patterns.entries.count, "\(title)")
    }
  }

  @Test("the worst-case routes are compared only within their verb")
  func withinAVerb() throws {
    let patterns = try Self.patterns((0..<100).map { "* /*a\($0)" })
    let verbs = Route.allVerbs.count
    #expect(patterns.entries.count == 100 * verbs)
    #expect(patterns.comparisons == verbs * 100 * 99)
  }

  @Test("finds the same wider patterns as comparing all with all")
  func wider() throws {
    var random = SeededGenerator(seed: 0x5EED)
    let words = ["a", "ab", "*", "a*", "{id}", "b", ""]
    for _ in 0..<200 {
      let routes = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        let verb = ["GET", "*", "POST"].randomElement(using: &random) ?? "*"
        let path = (0..<Int.random(in: 1...3, using: &random)).map { _ in
          words.dropLast().randomElement(using: &random) ?? "a"
        }
        return "\(verb) /\(path.joined(separator: "/"))"
      }
      let found = try Self.patterns(routes).entries
      #expect(Set(found.map(\.pattern)).count == found.count)
      for (index, entry) in found.enumerated() {
        let expected = found.indices.filter {
          $0 != index && RoutePattern.matches(found[$0].pattern, entry.pattern)
        }
        #expect(entry.wider == expected, "\(routes)")
        let rules = try routes.indices.filter { rule in
          try Route(parsing: routes[rule]).widestPatterns.contains(entry.pattern)
        }
        #expect(entry.rules == rules, "\(routes)")
      }
    }
  }
}
