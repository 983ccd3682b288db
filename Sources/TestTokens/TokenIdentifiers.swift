/// Identifiers such as `jti`, derived from the recipe's name and therefore the same in every run.
///
/// They must differ from each other, but they are not secret.
struct TokenIdentifiers: Sendable {
  /// The recipe's name.
  let name: String
  /// Zero, or a number that makes this token differ from others of the same recipe.
  let salt: UInt64

  /// An identifier in the form of a random UUID (RFC 9562 section 5.4).
  func uuid(_ purpose: String) -> String {
    var digits = Array(hexadecimal(purpose, digitCount: 32))
    digits[12] = "4"
    digits[16] = "8"
    let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
    return groups.map { String($0) }.joined(separator: "-")
  }

  /// An identifier of lower-case hexadecimal digits.
  func hexadecimal(_ purpose: String, digitCount: Int) -> String {
    var state = Self.hash("\(name)\u{0}\(purpose)") ^ salt
    var text = ""
    while text.count < digitCount {
      let word = String(Self.next(&state), radix: 16)
      text += String(repeating: "0", count: 16 - word.count) + word
    }
    return String(text.prefix(digitCount))
  }

  /// FNV-1a in 64 bits (RFC 9923).
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  private static func next(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}
