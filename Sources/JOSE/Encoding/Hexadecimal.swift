/// Lower-case hexadecimal digits.
enum Hexadecimal {
  static func encode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
  }
}
