import Testing
import Text

/// Searches of bytes, against the ones of the standard library, and texts of the system's generator.
@Suite struct BytesTests {
  /// All texts of up to six of these letters: they have many beginnings of what is searched for.
  private static let texts = (0..<6).reduce(into: [[""]]) { all, _ in
    all.append((all.last ?? []).flatMap { text in ["a", "b", "é"].map { text + $0 } })
  }.joined()

  private static let searched = ["a", "ab", "aab", "é", "bé", "éa", "abababababababab"]

  @Test(arguments: searched) func findsWhatTheStandardLibraryFinds(_ old: String) {
    for text in Self.texts {
      let (bytes, other) = (Array(text.utf8), Array(old.utf8))
      #expect(bytes.firstIndex(of: other, from: 0) == bytes.firstRange(of: other)?.lowerBound)
      #expect(text.firstByteRange(of: old) == text.utf8.firstRange(of: old.utf8))
      let parts = bytes.split(separator: other, omittingEmptySubsequences: false)
      #expect(text.splitBytes(atEach: old).map { Array($0.utf8) } == parts.map(Array.init))
      #expect(Array(text.replacingBytes(of: old, with: "–").utf8) == Array(parts.joined(separator: "–".utf8)))
    }
  }

  @Test func manyFalseStartsTakeLinearTime() {
    let text = [UInt8](repeating: 97, count: 1 << 20)
    let part = Array(text[..<(1 << 19)])
    #expect(text.firstIndex(of: part + [98], from: 0) == nil)
    #expect((text + [98]).firstIndex(of: part + [98], from: 1) == 1 << 19)
  }

  @Test func nothingIsFoundOfNothing() {
    #expect("ab".firstByteRange(of: "").map { "ab"[$0] } == "")
    #expect("ab".containsBytes(of: ""))
    #expect("ab".replacingBytes(of: "", with: "x") == "ab")
    #expect("".splitBytes(atEach: "ab") == [""])
    #expect([UInt8]().firstIndex(of: [1], from: 0) == nil)
  }

  @Test func combinedCharactersAreOtherKeys() {
    let keys = ["é", "e\u{301}", "", "\u{0}", "12345678", "123456781234567", "1234567812345678"].map(
      ByteString.init)
    for (index, key) in keys.enumerated() { #expect(keys.firstIndex(of: key) == index) }
    #expect(Set(keys).count == keys.count)
    #expect(ByteString("123456789é").hashValue == ByteString("123456789" + "\u{E9}").hashValue)
  }

  @Test(arguments: 0...33) func randomBytesAreAsManyAsWanted(_ count: Int) {
    let bytes = [UInt8].random(count: count)
    #expect(bytes.count == count)
    if count >= 8 { #expect(bytes != [UInt8].random(count: count)) }
  }

  @Test func controlsAreThoseOfUnicode() {
    for value in UInt32(0)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      #expect(scalar.isControl == (scalar.properties.generalCategory == .control))
    }
  }
}
