@testable import Text
import Testing

@Suite struct RegularExpressionTests {
  struct Case: Sendable {
    let pattern: String
    let matches: [String]
    let others: [String]

    init(_ pattern: String, _ matches: [String], not others: [String]) {
      self.pattern = pattern
      self.matches = matches
      self.others = others
    }
  }

  static let cases = [
    Case("4\\d{2}", ["400", "499"], not: ["40", "4000", "x400"]),
    Case(".*400.*", ["400", "Error: 400 now"], not: ["40", "4\n00"]),
    Case("", [""], not: ["a"]), Case("a|bc|", ["a", "bc", ""], not: ["ab"]),
    Case("(a|b)*c", ["c", "abac"], not: ["abd"]),
    Case("a{2,3}", ["aa", "aaa"], not: ["a", "aaaa"]), Case("a{2,}", ["aa", "aaaaa"], not: ["a"]),
    Case("(?:ab)+", ["ab", "abab"], not: ["aba"]),
    Case("[^\\d\\s]+", ["ab"], not: ["a b", "a1"]), Case("[a-c\\-x]+", ["a-cx"], not: ["d"]),
    Case("[]a]", ["]", "a"], not: ["b"]),
    Case("(?i)error", ["ERROR", "Error"], not: ["err"]), Case("(?s).*x.*", ["a\nx"], not: ["a\n"]),
    Case("(\\n|.)*x(\\n|.)*", ["a\nxb"], not: ["b"]),
    Case("\\bfoo\\b", ["foo"], not: ["foobar"]), Case("^a$", ["a"], not: ["ab"]),
    Case("\\u0041\\x42\\.", ["AB."], not: ["ABC"]),
    Case("(a*)*b", ["b", "aab"], not: ["aa"]), Case("a+?b??", ["a", "aab"], not: ["b"]),
    Case("é.", ["éü"], not: ["é"]),
  ]

  @Test(arguments: cases) func matchesWholeTexts(_ test: Case) throws {
    let pattern = try RegularExpression(test.pattern)
    for text in test.matches { #expect(pattern.matchesWhole(text), "\(test.pattern) and \(text)") }
    for text in test.others { #expect(!pattern.matchesWhole(text), "\(test.pattern) and \(text)") }
  }

  static let refused = [
    "(", ")", "a)", "[a", "*a", "a{2", "a{3,2}", "a{1000}", "(?=a)", "(?<n>a)", "\\1", "a++", "\\", "[a&&b]",
    "[z-a]",
    "\\q", "(?x)a", "\\u12", String(repeating: "(", count: 40) + String(repeating: ")", count: 40),
    "((((a{100}){100}){100}){100}){100}",
    String(repeating: "(?:)", count: 10_000), "[" + String(repeating: "a", count: 10_000) + "]",
  ]

  @Test(arguments: refused) func refusesWhatItDoesNotKnow(_ text: String) {
    #expect(throws: RegularExpression.Unknown.self) { try RegularExpression(text) }
  }

  /// A backtracking search would need more steps than there are atoms.
  @Test func takesLinearTime() throws {
    let text = String(repeating: "a", count: 20_000)
    #expect(try !RegularExpression("(a+)+b").matchesWhole(text))
    #expect(try !RegularExpression("(a|a)*c").matchesWhole(text))
    #expect(try RegularExpression("(a|aa)+").matchesWhole(text))
    #expect(try !ValidationExpression("(a+)+$").matches(text + "!"))
    #expect(try ValidationExpression("a|aab").matches("aab"))
  }

  @Test(arguments: [
    ("[Bb]earer [-\\w]+[.][-\\w]+[.][-\\w]+", "Bearer and a JWT"),
    ("(Bearer )?\\w+[.]\\w+[.]\\w+", "Bearer and a JWT"),
    ("[-\\w]+[.][-\\w]+[.][-\\w]+", "a JWT"), ("Bearer .+", "Bearer and a token"),
    ("Bearer [a-z]+", "what the validation expression accepts"),
    ("\\d+", "what the validation expression accepts"),
  ]) func aValidationExpressionHasWords(_ expression: String, _ words: String) throws {
    #expect(try ValidationExpression(expression).words == words)
  }
}
