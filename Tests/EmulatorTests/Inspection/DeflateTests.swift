import Testing

@testable import Emulator
@testable import ZipCompression

@Suite struct DeflateTests {
  /// Returns random bytes with repetitions, similar to a program.
  static func bytes(_ count: Int, alphabet: Int, repeats: Int, seed: UInt64) -> [UInt8] {
    var random = WildcardPatternTests.Generator(state: seed)
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

  // MARK: Archives

  static let files: [DeploymentPackage.File] = [
    .init(path: "bootstrap", bytes: bytes(4000, alphabet: 8, repeats: 10, seed: 5), permissions: 0o755),
    .init(path: "keys/apple.json", bytes: Array("{}".utf8), permissions: 0o644),
    .init(path: "authorizer.json", bytes: [], permissions: 0o600),
  ]

  @Test func equalFilesGiveEqualBytes() throws {
    let archive = try DeploymentPackage(files: Self.files).archive
    #expect(try DeploymentPackage(files: Self.files.reversed()).archive == archive)
    let read = try DeploymentPackage(parsing: archive)
    #expect(read.files.map(\.path) == ["authorizer.json", "bootstrap", "keys/apple.json"])
    #expect(read.files.map(\.permissions) == [0o600, 0o755, 0o644])
    #expect(read.file("bootstrap")?.bytes == Self.files[0].bytes)
  }

  /// Compares every byte, so that a change of the writer is noticed.
  @Test func archiveHasAFixedTimeAndUnixModes() throws {
    let archive = try DeploymentPackage(files: [.init(path: "a", bytes: [0x78], permissions: 0o644)]).archive
    let fields: [UInt8] = [
      20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0, 0x83, 0x16, 0xDC, 0x8C, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
    ]
    let local: [UInt8] = [0x50, 0x4B, 3, 4] + fields + [0x61, 0x78]
    let entry: [UInt8] =
      [0x50, 0x4B, 1, 2, 30, 3] + fields + [0, 0, 0, 0, 0, 0, 0, 0, 0xA4, 0x81, 0, 0, 0, 0, 0x61]
    let end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0, 47, 0, 0, 0, 32, 0, 0, 0, 0, 0]
    #expect(archive == local + entry + end)
  }

  @Test(arguments: [["../a"], ["/a"], ["a//b"], [""], ["a", "a"], ["a\\b"]])
  func refusesInvalidPaths(_ paths: [String]) {
    #expect(throws: DeploymentError.self) {
      try DeploymentPackage(files: paths.map { .init(path: $0, bytes: [], permissions: 0o644) })
    }
  }
}
