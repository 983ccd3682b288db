/// IDs that look like those of AWS and are the same at each start.
package enum StableIdentifier {
  /// Returns ten letters and digits: the 64-bit FNV-1a hash of a name.
  package static func text(of name: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    var digits = String(hash, radix: 36)
    while digits.count < 10 { digits = "0" + digits }
    return String(digits.suffix(10))
  }
}
