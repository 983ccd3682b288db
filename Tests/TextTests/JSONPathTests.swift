@testable import Text
import JSON
import Testing

@Suite struct JSONPathTests {
  private static let document = #"{"a":{"b":[1,2,{"c":"x"}],"d e":null},"b":[{"c":3},{"c":4}],"f.g":5}"#

  static let cases: [(String, String?)] = [
    ("$", document), ("$.a.b[0]", "1"), ("a.b[0]", "1"), ("$.a.b[-1].c", #""x""#), ("$['a']['d e']", "null"),
    ("$['f.g']", "5"), ("$.b[*].c", "[3,4]"), ("$..c", #"["x",3,4]"#), ("$.a.b[0:2]", "[1,2]"),
    ("$.a.b[:1]", "[1]"),
    ("$.b[0]['c','x']", "[3]"), ("$.none", nil), ("$.a.b[9]", nil), ("$.none[*]", "[]"), ("$.a.b.c", nil),
    ("$.b[1]", #"{"c":4}"#),
  ]

  @Test(arguments: cases) func selects(_ path: String, _ expected: String?) throws {
    let tree = try JSONTree(parsing: Array(Self.document.utf8))
    let found = try JSONPath(path).value(in: tree)
    #expect(found.map { String(decoding: $0.bytes(), as: UTF8.self) } == expected)
  }

  @Test(arguments: [
    "$.", "$.a[", "$['a", "$.a[?(@.b)]", "$.a.length()", "$a", "$.a[x]", "$.a[1:2:3]", "$.a b",
  ])
  func refusesWhatItDoesNotKnow(_ path: String) {
    #expect(throws: JSONPath.Unknown.self) { try JSONPath(path) }
  }

  /// Each `..*` multiplies the values.
  @Test func isLimited() throws {
    var tree = JSONTree.number("1")
    for _ in 0..<60 { tree = .array([tree, tree.nesting > 8 ? .null : tree]) }
    #expect(try JSONPath("$..*..*..*..*").value(in: tree) == nil)
  }
}

extension JSONTree {
  /// The number of arrays within each other.
  fileprivate var nesting: Int {
    if case .array(let elements) = self { 1 + (elements.first?.nesting ?? 0) } else { 0 }
  }
}
