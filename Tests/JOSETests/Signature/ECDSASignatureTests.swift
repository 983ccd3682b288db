import Testing

@testable import JOSE

/// The DER structure of a signature.
@Suite("ECDSA signatures")
struct ECDSASignatureTests {
  @Test("r and s become DER without leading zeros and with a positive sign", arguments: Curve.allCases)
  func der(curve: Curve) throws {
    let half = curve.coordinateBytes
    func number(_ digits: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: half - digits.count) + digits }
    let rows: [(digits: [UInt8], integer: [UInt8])] = [
      ([1], [2, 1, 1]), ([0x7F], [2, 1, 0x7F]), ([0x80], [2, 2, 0, 0x80]), ([1, 0], [2, 2, 1, 0]),
      ([0xFF, 0], [2, 3, 0, 0xFF, 0]),
    ]
    for left in rows {
      for right in rows {
        let content = left.integer + right.integer
        let der = ECDSASignature(number(left.digits) + number(right.digits), curve)?.der
        #expect(der == [0x30, UInt8(content.count)] + content)
      }
    }
    // The largest numbers; those of P-521 need a length of two bytes.
    let below = Array(curve.order.dropLast()) + [curve.order[half - 1] - 1]
    let integer = [2, UInt8(half + (below[0] >= 0x80 ? 1 : 0))] + (below[0] >= 0x80 ? [0] : []) + below
    let length = UInt8(2 * integer.count)
    let header: [UInt8] = length >= 0x80 ? [0x30, 0x81, length] : [0x30, length]
    #expect(ECDSASignature(below + below, curve)?.der == header + integer + integer)
  }
}
