import JSON
import Testing

/// The mutable tree for tools and tests.
@Suite struct JSONTreeTests {
  @Test("changes members in place and keeps their order")
  func changes() throws {
    var tree = try JSONTree(parsing: Array(#"{"a":1,"b":[true],"c":null}"#.utf8))
    tree["b"] = .string("x")
    tree["d"] = .number("4")
    tree["a"] = nil
    #expect(String(decoding: tree.bytes(), as: UTF8.self) == #"{"b":"x","c":null,"d":4}"#)
  }

  @Test("indents members and elements; empty objects and arrays stay on one line")
  func indents() throws {
    let tree = try JSONTree(parsing: Array(#"{"a":[1,{}],"b":[]}"#.utf8))
    let text = String(decoding: tree.bytes(indentedBy: 2), as: UTF8.self)
    #expect(text == "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}")
  }

  struct Pair: Sendable, CustomTestStringConvertible {
    let left: String, right: String, equal: Bool
    var testDescription: String { "\(left) \(equal ? "=" : "≠") \(right)" }
  }

  @Test(
    "compares objects as sets and whole numbers by value",
    arguments: [
      Pair(left: #"{"a":1,"b":2}"#, right: #"{"b":2,"a":1}"#, equal: true),
      Pair(left: #"{"a":1}"#, right: #"{"a":1,"b":2}"#, equal: false),
      Pair(left: "[1,2]", right: "[2,1]", equal: false), Pair(left: "1.0", right: "1", equal: true),
      Pair(left: "1", right: "\"1\"", equal: false), Pair(left: "true", right: "\"true\"", equal: false),
      Pair(left: "\"é\"", right: "\"e\u{301}\"", equal: false),
      Pair(left: "null", right: "false", equal: false),
    ])
  func equality(_ pair: Pair) throws {
    let left = try JSONTree(parsing: Array(pair.left.utf8))
    let right = try JSONTree(parsing: Array(pair.right.utf8))
    #expect(left.equalsIgnoringOrder(right) == pair.equal)
    #expect(right.equalsIgnoringOrder(left) == pair.equal)
  }
}
