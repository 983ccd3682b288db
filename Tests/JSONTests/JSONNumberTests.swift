import JSON
import Testing

/// Numbers have their exact value at any length.
@Suite struct JSONNumberTests {
  struct Fact: CustomTestStringConvertible, Sendable {
    let text: String
    let floor: Int64?
    let ceiling: Int64?
    var testDescription: String { text }
    init(_ text: String, _ floor: Int64?, _ ceiling: Int64?) {
      (self.text, self.floor, self.ceiling) = (text, floor, ceiling)
    }
  }

  @Test(
    "floor and ceiling",
    arguments: [
      Fact("0", 0, 0), Fact("-0", 0, 0), Fact("-0.0e5", 0, 0), Fact("1", 1, 1), Fact("1.0", 1, 1),
      Fact("1e2", 100, 100), Fact("1E+2", 100, 100), Fact("100e-2", 1, 1), Fact("1.5", 1, 2),
      Fact("-1.5", -2, -1), Fact("0.5", 0, 1), Fact("-0.5", -1, 0), Fact("1e-400", 0, 1),
      Fact("0.0000001e7", 1, 1), Fact("123.456e1", 1234, 1235),
      Fact("9007199254740993", 9_007_199_254_740_993, 9_007_199_254_740_993),
      Fact("9223372036854775807", .max, .max), Fact("9223372036854775808", nil, nil),
      Fact("-9223372036854775808", .min, .min), Fact("-9223372036854775809", nil, nil),
      Fact("9223372036854775807.5", nil, nil), Fact("-9223372036854775808.5", nil, nil),
      Fact("1e19", nil, nil), Fact("1e999999999999999999999", nil, nil),
      Fact("0e999999999999999999999", 0, 0),
      Fact("1e-999999999999999999999", 0, 1), Fact("253402300799", 253_402_300_799, 253_402_300_799),
    ])
  func bounds(_ fact: Fact) throws {
    let number = try #require(try JSONDocument(parsing: Array(fact.text.utf8), limits: .event).root.number)
    #expect(number.bounds?.floor == fact.floor)
    #expect(number.bounds?.ceiling == fact.ceiling)
    #expect(number.integer == (fact.floor == fact.ceiling ? fact.floor : nil))
    #expect(number.text == fact.text)
  }
}
