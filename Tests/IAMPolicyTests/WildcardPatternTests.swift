@testable import IAMPolicy
import TestSupport
import Testing

@Suite struct WildcardPatternTests {
  @Test(arguments: [
    ("", "", true), ("", "a", false), ("*", "", true), ("*", "a/b:c", true), ("?", "", false),
    ("?", "a", true),
    ("?", "ab", false), ("a*", "a", true), ("a*c", "abbbc", true), ("a*c", "ac", true), ("a*c", "acd", false),
    ("*/users/*", "stage/GET/users/1", true), ("a.b", "axb", false), ("a+b", "a+b", true),
    ("[ab]", "a", false),
    ("(a)", "(a)", true), ("a", "A", false), ("ä?", "äö", true), ("**", "", true), ("*a*a*", "xaxax", true),
    ("*a*a*", "xax", false), ("pets", "/pets/0000", false), ("a\\*", "a\\b", true),
  ]) func matchesTheWholeText(_ pattern: String, _ text: String, _ expected: Bool) {
    #expect(WildcardPattern(pattern).matches(text) == expected)
  }

  @Test func ignoresCaseOnlyOnRequest() {
    #expect(WildcardPattern("Execute-API:invoke", ignoringCase: true).matches("execute-api:Invoke"))
    #expect(!WildcardPattern("Execute-API:invoke").matches("execute-api:Invoke"))
  }

  /// A backtracking matcher would never finish with such a pattern.
  @Test func costOfManyStarsIsBounded() {
    let pattern = String(repeating: "*a", count: 200) + "b"
    let text = String(repeating: "a", count: 20_000)
    #expect(!WildcardPattern(pattern).matches(text))
  }

  /// Compares with the definition: a star matches nothing, or one character followed by the star again.
  @Test(arguments: 0..<40) func agreesWithTheDefinition(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<250 {
      let pattern = Self.word(of: ["a", "b", "/", "*", "?", "*"], &random)
      let text = Self.word(of: ["a", "b", "/", "a"], &random)
      let expected = Self.matches(Array(pattern)[...], Array(text)[...])
      #expect(WildcardPattern(pattern).matches(text) == expected, "\(pattern) against \(text)")
    }
  }

  static func matches(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      return matches(pattern.dropFirst(), text) || (!text.isEmpty && matches(pattern, text.dropFirst()))
    }
    guard let character = text.first, first == "?" || first == character else { return false }
    return matches(pattern.dropFirst(), text.dropFirst())
  }

  static func word(of letters: [Character], _ random: inout SeededGenerator) -> String {
    String(
      (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
  }
}
