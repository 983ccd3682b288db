import Bytes
import Testing

/// What reads several bytes at once finds the same as what reads one after the other.
@Suite("Words and constants")
struct WordTests {
  /// Texts of every length up to five words, with each byte at each place.
  @Test("Plain text ends at the first special byte", arguments: 0...40)
  func plainTextEndsAtTheFirstSpecialByte(count: Int) {
    let plain = [UInt8](repeating: 0x61, count: count)
    #expect(Self.end(of: plain, from: 0) == count)
    var wrong: [String] = []
    for place in 0..<count {
      for byte in UInt8.min...UInt8.max {
        var text = plain
        text[place] = byte
        let isPlain = 0x20..<0x80 ~= byte && byte != 0x22 && byte != 0x5C
        for start in [0, place / 2, place] where Self.end(of: text, from: start) != (isPlain ? count : place)
        {
          wrong.append("\(byte) at \(place) from \(start)")
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  /// The first of two neighbors decides, also where a subtraction borrows from the second.
  @Test("Each pair of bytes ends plain text at its first special byte", arguments: [0, 6, 7, 8, 13])
  func eachPairEndsPlainTextAtItsFirstSpecialByte(place: Int) {
    var text = [UInt8](repeating: 0x7E, count: 17)
    func isPlain(_ byte: UInt8) -> Bool { 0x20..<0x80 ~= byte && byte != 0x22 && byte != 0x5C }
    var wrong: [String] = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        (text[place], text[place + 1]) = (first, second)
        let end = !isPlain(first) ? place : !isPlain(second) ? place + 1 : text.count
        if Self.end(of: text, from: 0) != end { wrong.append("\(first) \(second)") }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test("Plain text ends at the first of two special bytes") func plainTextEndsAtTheFirstOfTwo() {
    for first in 0..<20 {
      for second in first..<20 {
        var text = [UInt8](repeating: 0x7E, count: 20)
        (text[first], text[second]) = (0x22, 0x01)
        #expect(Self.end(of: text, from: 0) == first)
      }
    }
  }

  @Test("A word is printable if all of its bytes are, and its marks are those of its bytes", arguments: 0..<8)
  func theMarksOfAWordAreThoseOfItsBytes(place: Int) {
    var wrong: [String] = []
    for byte in UInt8.min...UInt8.max {
      for other in UInt8.min...UInt8.max {
        var text = [UInt8](repeating: 0x41, count: 8)
        text[place] = byte
        text[(place + 1) % 8] = other
        let word = Self.word(text, 0)
        var names: UInt64 = 0
        for (index, byte) in text.enumerated() where !(byte.isLetterOrDigit || byte == .hyphen) {
          names |= 0x80 << (UInt64(index) * 8)
        }
        let unprintable = text.firstIndex { !$0.isPrintable } ?? 8
        let hyphen = text.firstIndex(of: .hyphen) ?? 8
        if word.isPrintable != (byte.isPrintable && other.isPrintable)
          || word.marksOfOtherThanLettersDigitsAndHyphens != names
          || word.marksOfUnprintable.trailingZeroBitCount / 8 != unprintable
          || word.marks(of: .hyphen).trailingZeroBitCount / 8 != hyphen
        {
          wrong.append("\(byte) \(other)")
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test("The first of two equal bytes is found, from any start", arguments: 0...40)
  func theFirstOfTwoEqualBytesIsFound(count: Int) {
    for place in 0...count {
      var text = [UInt8](repeating: 0x2C, count: count)
      if place < count { text[place] = 0x2E }
      if place + 1 < count { text[place + 1] = 0x2E }
      for start in 0...count {
        let expected = text[start...].firstIndex(of: 0x2E) ?? count
        #expect(Self.index(of: 0x2E, in: text, from: start) == expected)
      }
    }
  }

  @Test("A word has the first byte lowest, and is stored highest first") func aWordHasTheFirstByteLowest() {
    let text: [UInt8] = [9, 1, 2, 3, 4, 5, 6, 7, 8]
    #expect(Self.word(text, 1) == 0x0807_0605_0403_0201)
    var stored = [UInt8](repeating: 0, count: 10)
    var span = stored.mutableSpan
    span.store(bigEndian: 0x0102_0304_0506_0708, at: 1)
    #expect(stored == [0, 1, 2, 3, 4, 5, 6, 7, 8, 0])
  }

  @Test(
    "A constant equals its own bytes alone", arguments: ["", "k", "kid", "lambda-runtime-aws-request-id"])
  func aConstantEqualsItsOwnBytesAlone(text: String) {
    let constants: [StaticString] = ["", "k", "kid", "lambda-runtime-aws-request-id"]
    let bytes = Array(text.utf8)
    for constant in constants {
      let isSame = constant.description.utf8.elementsEqual(bytes)
      #expect(Self.isEqual(constant, bytes) == isSame)
      let capitals = bytes.map { 0x61...0x7A ~= $0 ? $0 ^ 0x20 : $0 }
      #expect(Self.isEqual(constant, capitals, ignoringASCIICase: true) == isSame)
      guard isSame else { continue }
      for place in bytes.indices {
        var changed = bytes
        changed[place] ^= 0x80
        #expect(!Self.isEqual(constant, changed))
        #expect(!Self.isEqual(constant, changed, ignoringASCIICase: true))
      }
    }
  }

  @Test("Copies have the bytes of their part", arguments: 0...40)
  func copiesHaveTheBytesOfTheirPart(count: Int) {
    let bytes = (0..<60).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
    for start in [0, 1, 7, 8, 20] {
      let part = Array(bytes[start..<start + count])
      #expect(Array(copying: bytes, in: start..<start + count) == part)
      #expect(Array(copying: bytes.span.extracting(start..<start + count)) == part)
      var text: [UInt8] = [1, 2]
      text.append(copying: bytes.span.extracting(start..<start + count))
      text.append(copying: part)
      text.append("a\"é")
      #expect(text == [1, 2] + part + part + [0x61, 0x22, 0xC3, 0xA9])
    }
  }

  // `#expect` does not take spans.

  private static func end(of text: [UInt8], from start: Int) -> Int {
    PlainText.end(in: text.span, from: start)
  }

  private static func index(of byte: UInt8, in text: [UInt8], from start: Int) -> Int {
    text.span.firstIndex(of: byte, from: start)
  }

  private static func word(_ text: [UInt8], _ index: Int) -> UInt64 { text.span.word(at: index) }

  private static func isEqual(
    _ constant: StaticString, _ bytes: [UInt8], ignoringASCIICase ignores: Bool = false
  ) -> Bool {
    ignores ? constant.equals(ignoringASCIICase: bytes.span) : constant.equals(bytes.span)
  }
}
