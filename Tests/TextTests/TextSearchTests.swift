@testable import Text
import Testing

@Suite struct TextSearchTests {
  /// All texts of two letters up to a length.
  private static func texts(_ length: Int) -> [[Character]] {
    (0...length).flatMap { count in
      (0..<(1 << count)).map { bits in (0..<count).map { bits >> $0 & 1 == 0 ? "a" : "b" } }
    }
  }

  @Test func findsTheFirstPlace() {
    for part in Self.texts(4) {
      let search = TextSearch(part)
      for whole in Self.texts(8) {
        for start in [0, 1, whole.count, whole.count + 1] {
          let places = start <= whole.count ? Array(start...whole.count) : []
          let expected = places.first { whole[$0...].starts(with: part) }
          #expect(search.first(in: whole, from: start) == expected, "\(part) in \(whole) from \(start)")
        }
      }
    }
  }

  @Test(arguments: [
    ("a b*c~/é", "a%20b%2Ac~%2F%C3%A9", "a+b*c%7E%2F%C3%A9"), ("-._0Z", "-._0Z", "-._0Z"),
    ("+", "%2B", "%2B"),
  ]) func encodes(_ text: String, _ encoded: String, _ form: String) {
    #expect(PercentText.encoded(text, keeping: "") == encoded)
    #expect(PercentText.encodedForm(text) == form)
  }
}
