import JSON
import Testing

/// Texts that the parser refuses, with code and offset, and values that it reads.
@Suite struct JSONDocumentTests {
  @Test(
    "error messages contain line and column",
    arguments: [
      ("{", 1, 2), ("{\"a\":1,\n  \"b\" 2}", 2, 7), ("\n\n[1,]", 3, 4), ("{\"é日\": x}", 1, 8),
      ("{}\r\n x", 2, 2),
    ])
  func lineAndColumn(_ text: String, _ line: Int, _ column: Int) throws {
    let bytes = Array(text.utf8)
    let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: bytes, limits: .event) }
    #expect(error?.description(in: bytes).contains("line \(line), column \(column)") == true)
  }

  @Test(
    "error messages name the character and what to change",
    arguments: [
      ("[1,]", "an unexpected ] at line 1, column 4: remove the comma before ]"),
      ("{\"a\":1,\n}", "an unexpected } at line 2, column 1: remove the comma before }"),
      ("[1,,2]", "an unexpected , at line 1, column 4: remove the comma"),
      ("{\"a\":,}", "an unexpected , at line 1, column 6"),
      (
        "{\"a\":1\n \"b\":2}", "an unexpected \" at line 2, column 2: a comma or a colon is missing before it"
      ),
      ("{} // x", "more text after the value at line 1, column 4"),
      ("{\n// x\n}", "an unexpected / at line 2, column 1: JSON has no comments"),
      ("[# x\n]", "an unexpected # at line 1, column 2: JSON has no comments"),
      ("{'a':1}", "an unexpected ' at line 1, column 2: use double quotes"),
      ("{a:1}", "an unexpected a at line 1, column 2: use double quotes"),
      ("[\u{201C}a\u{201D}]", "a byte that JSON does not allow here, at line 1, column 2: use double quotes"),
      ("[True]", "an unexpected T at line 1, column 2"),
      ("\u{FEFF}{}", "the text begins with a byte order mark: save it as UTF-8 without one"),
    ])
  func characterAndCure(_ text: String, _ message: String) throws {
    let bytes = Array(text.utf8)
    let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: bytes, limits: .event) }
    #expect(error?.description(in: bytes) == message)
  }

  @Test(
    "error messages recognize UTF-16",
    arguments: [
      [0x7B, 0x00, 0x7D, 0x00], [0x00, 0x7B, 0x00, 0x7D], [0xFF, 0xFE, 0x7B, 0x00], [0xFE, 0xFF, 0x00, 0x7B],
    ]
      as [[UInt8]])
  func wideText(_ bytes: [UInt8]) throws {
    let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: bytes, limits: .event) }
    #expect(error?.description(in: bytes).hasSuffix(": the text is UTF-16; save it as UTF-8") == true)
  }

  struct Refusal: CustomTestStringConvertible, Sendable {
    let text: String
    let code: String
    let offset: Int
    var testDescription: String { "\(text.prefix(40)) → \(code)" }
    init(_ text: String, _ code: String, _ offset: Int) {
      (self.text, self.code, self.offset) = (text, code, offset)
    }
  }

  @Test(
    "reports the first invalid byte",
    arguments: [
      Refusal("", "unexpectedEnd", 0), Refusal("  ", "unexpectedEnd", 2),
      Refusal("\u{FEFF}{}", "byteOrderMark", 0), Refusal("{} x", "trailingBytes", 3),
      Refusal("{}{}", "trailingBytes", 2), Refusal("[1,]", "unexpectedByte", 3),
      Refusal("[,1]", "unexpectedByte", 1), Refusal("[1 2]", "unexpectedByte", 3),
      Refusal(#"{"a":1,}"#, "unexpectedByte", 7), Refusal(#"{"a" 1}"#, "unexpectedByte", 5),
      Refusal("{a:1}", "unexpectedByte", 1), Refusal(#"{"a":1]"#, "unexpectedByte", 6),
      Refusal("[", "unexpectedEnd", 1), Refusal("[1", "unexpectedEnd", 2),
      Refusal(#"{"alg":"RS256","alg":"none"}"#, "duplicateName", 15),
      Refusal(#"{"alg":1,"\u0061lg":2}"#, "duplicateName", 9),
      Refusal(#"{"x":{"a":1,"a":2}}"#, "duplicateName", 12),
      Refusal(#"{"\ud83d\ude00":1,"😀":2}"#, "duplicateName", 18),
      Refusal("01", "invalidNumber", 0), Refusal("-", "invalidNumber", 1), Refusal("1.", "invalidNumber", 2),
      Refusal("1e", "invalidNumber", 2), Refusal("1e+", "invalidNumber", 3),
      Refusal("-01", "invalidNumber", 1),
      Refusal("+1", "unexpectedByte", 0), Refusal(".5", "unexpectedByte", 0),
      Refusal("NaN", "unexpectedByte", 0),
      Refusal("tru", "unexpectedEnd", 3), Refusal("True", "unexpectedByte", 0),
      Refusal("nulL", "unexpectedByte", 3),
      Refusal("\"a\nb\"", "controlCharacter", 2), Refusal("\"a\u{0}b\"", "controlCharacter", 2),
      Refusal(#""\x41""#, "invalidEscape", 1), Refusal(#""\u12G4""#, "invalidEscape", 1),
      Refusal(#""\u12"#, "unexpectedEnd", 5), Refusal(#""\"#, "unexpectedEnd", 2),
      Refusal(#""\ud800""#, "loneSurrogate", 1), Refusal(#""\udc00""#, "loneSurrogate", 1),
      Refusal(#""\ud800\u0041""#, "loneSurrogate", 1), Refusal("\"abc", "unexpectedEnd", 4),
    ])
  func refuses(_ refusal: Refusal) {
    let error = #expect(throws: JSONError.self) { try parse(refusal.text) }
    #expect(error?.code == refusal.code)
    #expect(error?.offset == refusal.offset)
  }

  @Test(
    "refuses bytes that are not UTF-8",
    arguments: [
      [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0x80], [0xE2, 0x82], [0xC3, 0x28],
      [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x98, 0x28],
    ] as [[UInt8]])
  func refusesIllFormedUTF8(bytes: [UInt8]) {
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: [0x22] + bytes + [0x22], limits: .event)
    }
    #expect(error?.code == "invalidUTF8")
    #expect(error?.offset == 1)
  }

  @Test("accepts texts at each limit and refuses larger ones")
  func limits() throws {
    let limits = JSONLimits(bytes: 40, depth: 3, membersPerObject: 2)
    func code(_ text: String) -> String? {
      do {
        _ = try JSONDocument(parsing: Array(text.utf8), limits: limits)
        return nil
      } catch { return error.code }
    }
    #expect(code("[[[]]]") == nil)
    #expect(code("[[[[]]]]") == "tooDeep")
    #expect(code(#"{"a":{"b":1,"c":2},"d":3}"#) == nil)
    #expect(code(#"{"a":1,"b":2,"c":3}"#) == "tooManyMembers")
    #expect(code(String(repeating: " ", count: 38) + "{}") == nil)
    #expect(code(String(repeating: " ", count: 39) + "{}") == "tooLarge")
  }

  @Test("a small text with many values is refused at the limit")
  func manyValues() throws {
    let limits = JSONLimits(bytes: 1 << 20, depth: 4, membersPerObject: 4096, values: 1000)
    func code(_ elements: Int) -> String? {
      let text = "[" + Array(repeating: "0", count: elements).joined(separator: ",") + "]"
      do throws(JSONError) {
        _ = try JSONDocument(parsing: Array(text.utf8), limits: limits)
        return nil
      } catch { return error.code }
    }
    #expect(code(999) == nil)
    #expect(code(1000) == "tooManyValues")
    #expect(code(100_000) == "tooManyValues")
  }

  @Test(
    "a member counts as two values, its name and its value",
    arguments: [
      (#"{"a":1}"#, 3), (#"{"a":1,"b":2}"#, 5), (#"[{"a":1}]"#, 4), (#"{"a":{"b":[1]}}"#, 6), ("[1,2]", 3),
    ])
  func valuesOfMembers(text: String, values: Int) throws {
    func isAccepted(limit: Int) -> Bool {
      let limits = JSONLimits(bytes: 64, depth: 4, membersPerObject: 4, values: limit)
      return (try? JSONDocument(parsing: Array(text.utf8), limits: limits)) != nil
    }
    #expect(isAccepted(limit: values))
    #expect(!isAccepted(limit: values - 1))
  }

  @Test("an event with 3,000 query parameters is accepted")
  func manyParameters() throws {
    let members = (0..<3000).map { "\"\(String($0, radix: 36))\":\"\"" }.joined(separator: ",")
    let root = try JSONDocument(parsing: Array("{\(members)}".utf8), limits: .event).root
    #expect(Array(root.members).count == 3000)
  }

  @Test("100,000 nested arrays do not exhaust the stack")
  func deepNesting() {
    let text = [UInt8](repeating: 0x5B, count: 100_000)
    let error = #expect(throws: JSONError.self) { try JSONDocument(parsing: text, limits: .event) }
    #expect(error?.code == "tooDeep")
  }

  @Test(
    "a string without escapes is a part of the text",
    arguments: [
      (#""""#, ""), (#""a b""#, "a b"), (#""é😀""#, "é😀"), (#""\u0061""#, nil), (#""a\n""#, nil), ("1", nil),
      ("null", nil), ("true", nil), ("[]", nil), ("{}", nil),
    ])
  func unescaped(text: String, bytes: String?) throws {
    let document = try JSONDocument(parsing: Array(text.utf8), limits: .event)
    #expect(document.root.unescapedUTF8.map { Array($0) } == bytes.map { Array($0.utf8) })
  }

  @Test("finds members by their exact bytes")
  func members() throws {
    let root = try parse(#"{"a":{"b":[1,{"a":2}],"exp":5},"\u0065xp":7,"Exp":8,"é":9,"z":null}"#).root
    #expect(root["exp"]?.number?.integer == 7)
    #expect(root["EXP"] == nil)
    #expect(root["a"]?["exp"]?.number?.integer == 5)
    #expect(root["a"]?["b"]?.elements.map(\.kind) == [.number, .object])
    #expect(root["e\u{301}"] == nil, "canonical equivalence is not equality")
    #expect(root["\u{e9}"]?.number?.integer == 9)
    #expect(root["z"]?.kind == .null)
    #expect(root["b"] == nil)
    #expect(root.members.map { $0.name.text } == ["a", "exp", "Exp", "é", "z"])
    #expect(root["a"]?["b"]?["b"] == nil)
  }

  @Test("decodes every escape")
  func escapes() throws {
    let value = try parse(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00\u0000é€😀""#).root
    #expect(value.text == "\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{20ac}😀\u{0}é€😀")
    #expect(value.equals("\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{20ac}😀\u{0}é€😀"))
    #expect(!value.equals("\"\\/"))
  }

  private func parse(_ text: String) throws(JSONError) -> JSONDocument {
    try JSONDocument(parsing: Array(text.utf8), limits: .event)
  }
}
