import Bytes
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
    for place in 0..<count {
      for byte in UInt8.min...UInt8.max {
        var changed = text
        changed[place] = byte
        let isForeign = !(byte.isLetterOrDigit || byte == 0x2D || byte == 0x5F)
        #expect(Base64URL.end(in: changed, from: 0) == (isForeign ? place : count))
        if isForeign { #expect(Base64URL.decode(changed) == nil) }
      }
    }
  }

  /// The last character of a partial group has bits that no byte takes (RFC 4648 section 3.5).
  @Test("Nonzero trailing bits are refused", arguments: [2, 3, 6, 7, 10, 11, 18, 19])
  func refusesNonzeroTrailingBits(count: Int) throws {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let unused = count % 4 == 2 ? 16 : 4
    for (value, character) in alphabet.enumerated() {
      let text = [UInt8](repeating: 0x41, count: count - 1) + [character]
      #expect((Base64URL.decode(text) != nil) == (value % unused == 0), "\(value)")
    }
    #expect(Base64URL.decode([UInt8](repeating: 0x41, count: count / 4 * 4 + 1)) == nil)
  }
}
