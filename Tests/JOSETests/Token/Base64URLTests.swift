import Testing

@testable import JOSE

/// Base64url at every length, since eight characters, four and fewer are read in different ways.
@Suite("Base64url")
struct Base64URLTests {
  @Test("What is encoded is decoded again", arguments: 0...50)
  func decodesWhatItEncodes(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
    let text = Base64URL.encode(bytes)
    #expect(Base64URL.decode(text) == bytes)
    #expect(Base64URL.decode([0x2E] + text + [0x2E], in: 1..<text.count + 1) == bytes)
    #expect(Base64URL.end(in: text, from: 0) == text.count)
  }

  @Test("Each foreign byte is refused at each place", arguments: 1...40)
  func refusesEachForeignByteAtEachPlace(count: Int) {
    let text = [UInt8](repeating: 0x41, count: count)
    var wrong: [String] = []
    for place in 0..<count {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[place] = byte
        let isForeign = Self.values[Int(byte)] == nil
        let isRefused = Base64URL.decode(changed) == nil
        if Base64URL.end(in: changed, from: 0) != (isForeign ? place : count) || (isForeign && !isRefused) {
          wrong.append("\(byte) at \(place)")
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  /// Both characters of a pair give their own bits, in the first and the last group and between two groups of eight.
  @Test(
    "Each pair of characters is decoded", arguments: [(12, 0), (12, 3), (20, 7), (20, 10), (11, 9), (10, 8)])
  func decodesEachPair(count: Int, place: Int) {
    var text = [UInt8](repeating: 0x42, count: count)
    if count % 4 == 2 { text[count - 1] = 0x41 }
    if count % 4 == 3 { text[count - 1] = 0x45 }
    var wrong: [String] = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        (text[place], text[place + 1]) = (first, second)
        if Base64URL.decode(text) != Self.decodedBitByBit(text) { wrong.append("\(first) \(second)") }
      }
    }
    #expect(wrong.isEmpty)
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The six bits of each character (RFC 4648, table 2); `nil` for another byte.
  private static let values: [Int?] = (UInt8.min...UInt8.max).map { alphabet.firstIndex(of: $0) }

  /// Decodes in the simplest way: collects bits and takes a byte whenever there are eight.
  private static func decodedBitByBit(_ text: [UInt8]) -> [UInt8]? {
    var (bits, count) = (0, 0)
    var bytes: [UInt8] = []
    for character in text {
      guard let value = values[Int(character)] else { return nil }
      (bits, count) = (bits << 6 | value, count + 6)
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> count))
        bits &= (1 << count) - 1
      }
    }
    return bits == 0 && count < 6 ? bytes : nil
  }

  /// The last character of a partial group has bits that no byte takes (RFC 4648 section 3.5).
  @Test("Nonzero trailing bits are refused", arguments: [2, 3, 6, 7, 10, 11, 18, 19])
  func refusesNonzeroTrailingBits(count: Int) throws {
    let unused = count % 4 == 2 ? 16 : 4
    for (value, character) in Self.alphabet.enumerated() {
      let text = [UInt8](repeating: 0x41, count: count - 1) + [character]
      #expect((Base64URL.decode(text) != nil) == (value % unused == 0), "\(value)")
    }
    #expect(Base64URL.decode([UInt8](repeating: 0x41, count: count / 4 * 4 + 1)) == nil)
  }
}
