import Testing

@testable import ZipCompression

@Suite struct DeflateTests {
  /// Returns random bytes with repetitions, similar to a program.
  static func bytes(_ count: Int, alphabet: Int, repeats: Int, seed: UInt64) -> [UInt8] {
    var random = LinearGenerator(state: seed)
    var bytes: [UInt8] = []
    while bytes.count < count {
      if !bytes.isEmpty, Int.random(in: 0..<100, using: &random) < repeats {
        let distance = Int.random(in: 1...min(bytes.count, 40_000), using: &random)
        for _ in 0..<Int.random(in: 1...300, using: &random) { bytes.append(bytes[bytes.count - distance]) }
      } else {
        bytes.append(UInt8(Int.random(in: 0..<alphabet, using: &random)))
      }
    }
    return Array(bytes[..<count])
  }

  static let samples: [[UInt8]] = [
    [], [0], [1, 2], [7, 7, 7], Array("abcabcabcabc".utf8), [UInt8](repeating: 0, count: 70_000),
    (0...255).map { UInt8($0) }, bytes(3000, alphabet: 256, repeats: 0, seed: 1),
    bytes(100_000, alphabet: 256, repeats: 5, seed: 2), bytes(80_000, alphabet: 4, repeats: 0, seed: 3),
    bytes(120_000, alphabet: 40, repeats: 30, seed: 4), fibonacci,
  ]

  /// Symbol counts that would need codes of more than 15 bits.
  static let fibonacci: [UInt8] = {
    var bytes: [UInt8] = []
    var counts = (1, 1)
    for symbol in 0..<20 {
      // Mixed with other bytes, so that few repetitions are found.
      for index in 0..<counts.0 { bytes += [UInt8(symbol), UInt8(100 + (index * 7 + symbol) % 150)] }
      counts = (counts.1, counts.0 + counts.1)
    }
    return bytes
  }()

  @Test(arguments: samples.indices) func roundTripRestoresTheBytes(_ index: Int) throws {
    let bytes = Self.samples[index]
    let packed = Deflate.pack(bytes)
    #expect(try Inflate.unpack(packed[...], size: bytes.count) == bytes)
    #expect(Deflate.pack(bytes) == packed)
  }

  @Test func compressesRepetitions() {
    #expect(Deflate.pack([UInt8](repeating: 0, count: 70_000)).count < 150)
    let text = Array(String(repeating: "an authorizer answers, ", count: 1000).utf8)
    #expect(Deflate.pack(text).count < 250)
    let random = Self.bytes(50_000, alphabet: 256, repeats: 0, seed: 9)
    #expect(Deflate.pack(random).count < 50_000 + 1000)
  }

  @Test(
    arguments: [
      ([1, 1], 15), ([5, 0, 1, 0, 3], 15), ([1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144], 7),
      (Array(repeating: 1, count: 128), 7), (Array(repeating: 3, count: 19), 7),
    ] as [([Int], Int)])
  func codesAreCompleteAndNotTooLong(_ counts: [Int], _ longest: Int) {
    let code = HuffmanLengths(counts, longest: longest)
    #expect(code.lengths.allSatisfy { $0 <= longest })
    #expect(code.lengths.map { $0 > 0 } == counts.map { $0 > 0 })
    // Kraft's sum is one.
    #expect(code.lengths.filter { $0 > 0 }.reduce(0) { $0 + 1 << (longest - $1) } == 1 << longest)
    let written = zip(code.codes, code.lengths).filter { $0.1 > 0 }.map { "\($0.0)/\($0.1)" }
    #expect(Set(written).count == written.count)
  }
}
