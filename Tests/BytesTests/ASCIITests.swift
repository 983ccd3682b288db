import Bytes
import Testing

/// The classes of all 256 bytes, by the characters of ASCII that belong to each.
@Suite("ASCII")
struct ASCIITests {
  static let digits = "0123456789"
  static let capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  static let smalls = "abcdefghijklmnopqrstuvwxyz"
  static let marks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

  @Test(
    "A class contains exactly its characters",
    arguments: [
      ("decimal digit", digits, \.isDecimalDigit), ("letter", capitals + smalls, \.isLetter),
      ("capital letter", capitals, \.isUppercaseLetter),
      ("letter or digit", capitals + smalls + digits, \.isLetterOrDigit),
      ("hexadecimal digit", digits + "abcdefABCDEF", \.isHexadecimalDigit),
      ("visible", capitals + smalls + digits + marks, \.isVisible),
      ("printable", capitals + smalls + digits + marks + " ", \.isPrintable),
    ] as [(String, String, any KeyPath<UInt8, Bool> & Sendable)])
  func members(_ name: String, _ characters: String, _ isMember: any KeyPath<UInt8, Bool> & Sendable) {
    let expected = Set(characters.utf8)
    #expect(expected == Set((0...255).filter { $0[keyPath: isMember] }), "\(name)")
  }

  @Test("Only capital letters of ASCII change their case")
  func lowercase() {
    for byte in UInt8.min ... .max {
      let place = Self.capitals.utf8.firstIndex(of: byte)
      let expected = place.map { Self.smalls.utf8[$0] } ?? byte
      #expect(byte.lowercase == expected)
    }
    #expect("K\u{212A}[@Z".utf8.lowercase == Array("k\u{212A}[@z".utf8))
  }

  @Test("A hexadecimal digit has one value in either case, and no other byte has one")
  func hexadecimalValues() {
    for byte in UInt8.min ... .max {
      let expected = byte < 0x80 ? UInt8(String(UnicodeScalar(byte)), radix: 16) : nil
      #expect(byte.hexadecimalValue == expected)
    }
  }

  @Test(
    "Bytes are written as two small digits each",
    arguments: [([], ""), ([0], "00"), ([0x0F, 0xF0, 0xFF], "0ff0ff"), ([0x9A, 0xBC], "9abc")]
      as [([UInt8], String)])
  func hexadecimal(_ bytes: [UInt8], _ text: String) {
    #expect(String(decoding: bytes.hexadecimal, as: UTF8.self) == text)
  }

  @Test("Names are those of their characters")
  func names() {
    let named: [(UInt8, Character)] = [
      (.tab, "\t"), (.lineFeed, "\n"), (.carriageReturn, "\r"), (.space, " "), (.quote, "\""),
      (.numberSign, "#"),
      (.dollar, "$"), (.percent, "%"), (.asterisk, "*"), (.plus, "+"), (.comma, ","), (.hyphen, "-"),
      (.dot, "."),
      (.slash, "/"), (.digitZero, "0"), (.colon, ":"), (.semicolon, ";"), (.equalsSign, "="),
      (.questionMark, "?"),
      (.openingBracket, "["), (.backslash, "\\"), (.closingBracket, "]"), (.underscore, "_"),
      (.openingBrace, "{"),
      (.closingBrace, "}"), (.tilde, "~"), (.delete, "\u{7F}"),
    ]
    for (byte, character) in named { #expect(byte == character.asciiValue) }
  }
}
