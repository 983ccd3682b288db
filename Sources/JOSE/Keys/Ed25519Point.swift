/// Checks for invalid Ed25519 public keys: points whose order divides 8, in any encoding (Chalkias, Garillot,
/// Nikolaenko: "Taming the Many EdDSAs", table 6), and encodings that are not canonical (RFC 8032 section 5.1.3).
enum Ed25519Point {
  /// Whether a 32-byte public key is a point of small order; ignores the sign bit.
  static func hasSmallOrder(_ key: [UInt8]) -> Bool {
    guard key.count == 32 else { return false }
    var y = key
    y[31] &= 0x7F
    return smallOrder.contains(y)
  }

  /// Whether the y coordinate of a 32-byte public key is below p = 2^255 − 19.
  static func isCanonical(_ key: [UInt8]) -> Bool {
    key.count == 32
      && !(key[0] >= 0xED && key[31] & 0x7F == 0x7F && key[1..<31].allSatisfy { $0 == 0xFF })
  }

  /// The y coordinates of these points, little-endian, without the sign bit.
  private static let smallOrder: [[UInt8]] = {
    let prime: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    func number(_ low: UInt8) -> [UInt8] { [low] + [UInt8](repeating: 0, count: 31) }
    func primePlus(_ difference: Int) -> [UInt8] { [UInt8(0xED + difference)] + prime.dropFirst() }
    return [
      number(0), number(1), primePlus(-1), primePlus(0), primePlus(1), orderEight, negated(orderEight, prime),
    ]
  }()

  private static let orderEight: [UInt8] = [
    0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5,
    0xDF, 0xAC,
    0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
  ]

  /// Returns p − y, the y coordinate of the other points of order eight.
  private static func negated(_ y: [UInt8], _ prime: [UInt8]) -> [UInt8] {
    var borrow = 0
    return zip(prime, y).map { minuend, subtrahend in
      let difference = Int(minuend) - Int(subtrahend) - borrow
      borrow = difference < 0 ? 1 : 0
      return UInt8(truncatingIfNeeded: difference)
    }
  }
}
