/// Recognizes RSA moduli of the ROCA generator (CVE-2017-15361): modulo each small prime they are powers of 65537.
///
/// Nemec, Sys, Svenda, Klinec, Matyas: "The Return of Coppersmith's Attack", ACM CCS 2017, section 3.3. A random
/// modulus passes all 38 primes with a probability below 2^-27.
enum ROCAFingerprint {
  /// The primes up to 167, in groups whose products fit in 32 bits.
  private static let primes: [[UInt32]] = [
    [3, 5, 7, 11, 13, 17, 19, 23, 29], [31, 37, 41, 43, 47], [53, 59, 61, 67, 71], [73, 79, 83, 89, 97],
    [101, 103, 107, 109], [113, 127, 131, 137], [139, 149, 151, 157], [163, 167],
  ]

  /// Whether a big-endian modulus matches the fingerprint.
  static func matches(_ modulus: [UInt8]) -> Bool {
    // The remainder by the product of a group yields the remainder by each of its primes. 39 of 40 random moduli fail
    // for a prime of the first group, so most checks cost one division for four bytes.
    primes.allSatisfy { group in
      let rest = remainder(of: modulus, by: group.reduce(1, *))
      return group.allSatisfy { isPowerOf65537(rest % $0, modulo: $0) }
    }
  }

  /// The remainder of a big-endian number, four bytes at a time.
  private static func remainder(of number: [UInt8], by divisor: UInt32) -> UInt32 {
    var remainder: UInt64 = 0
    var index = 0
    while index < number.count {
      var word: UInt64 = 0
      let end = index == 0 && number.count % 4 != 0 ? number.count % 4 : index + 4
      let shift = UInt64((end - index) * 8)
      while index < end {
        word = word << 8 | UInt64(number[index])
        index += 1
      }
      remainder = (remainder << shift | word) % UInt64(divisor)
    }
    return UInt32(remainder)
  }

  private static func isPowerOf65537(_ value: UInt32, modulo prime: UInt32) -> Bool {
    let generator = 65537 % prime
    var power: UInt32 = 1
    for _ in 0..<prime {
      if power == value { return true }
      power = power * generator % prime
    }
    return false
  }
}
