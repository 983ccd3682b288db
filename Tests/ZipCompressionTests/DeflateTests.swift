import Foundation
import TestSupport
import Testing
import ZipCompression

@Suite struct DeflateTests {
  /// Returns random bytes with repetitions, similar to a program.
  static func bytes(_ count: Int, alphabet: Int, repeats: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
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

  /// The samples, with the largest length of their streams.
  @Test(arguments: [
    (Array("abcabcabcabc".utf8), 11), ([UInt8](repeating: 0, count: 70_000), 100),
    (Array(String(repeating: "an authorizer answers, ", count: 1000).utf8), 250),
    (bytes(100_000, alphabet: 256, repeats: 5, seed: 2), 20_000),
    (bytes(80_000, alphabet: 4, repeats: 0, seed: 3), 30_000),
    (bytes(120_000, alphabet: 40, repeats: 30, seed: 4), 10_000),
  ]) func roundTripRestoresTheBytes(_ bytes: [UInt8], _ limit: Int) throws {
    let packed = try #require(Deflate.pack(bytes))
    #expect(packed.count <= limit)
    #expect(try Deflate.unpack(packed[...], size: bytes.count) == bytes)
    #expect(Deflate.pack(bytes) == packed)
  }

  @Test(arguments: [[], [0], [7, 7, 7], bytes(3000, alphabet: 256, repeats: 0, seed: 1)])
  func packsOnlyWhatGetsSmaller(_ bytes: [UInt8]) { #expect(Deflate.pack(bytes) == nil) }

  /// Fixed codes, stored, empty, a run that overlaps itself, dynamic codes.
  @Test(arguments: [
    ("S0xKTiSEAA==", String(repeating: "abc", count: 12)), ("AQYA+f9zdG9yZWQ=", "stored"), ("AwA=", ""),
    ("S0wcBaNgFAx3AAA=", String(repeating: "a", count: 1000)), (dynamic, lines),
  ]) func unpacksExactlyTheSize(_ packed: String, _ text: String) throws {
    let packed = Array(try #require(Data(base64Encoded: packed)))
    let size = text.utf8.count
    #expect(try Deflate.unpack(packed[...], size: size) == Array(text.utf8))
    for wrong in [size + 1, size - 1, 0, Int.max] where wrong != size {
      #expect(throws: DeflateError.wrongSize) { try Deflate.unpack(packed[...], size: wrong) }
    }
    #expect(throws: DeflateError.trailingBytes) { try Deflate.unpack((packed + [0])[...], size: size) }
    for length in 0..<packed.count {
      #expect(throws: DeflateError.endsTooEarly) { try Deflate.unpack(packed[..<length], size: size) }
    }
  }

  /// A wrong block type, a wrong length, a distance that points before the start.
  @Test(arguments: [[7], [1, 1, 0, 0, 0], [0x03, 0x02, 0x00]] as [[UInt8]])
  func reportsDamagedData(_ bytes: [UInt8]) {
    #expect(throws: DeflateError.damaged) { try Deflate.unpack(bytes[...], size: 10) }
  }

  /// Damaged data is refused or gives other data of the same size; it never crashes the program.
  @Test(arguments: 0..<8 as Range<UInt64>) func damagedDataNeverCrashes(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let packed = Array(try #require(Data(base64Encoded: Self.dynamic)))
    var refusals = 0
    for _ in 0..<100 {
      var damaged = packed
      damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      do throws(DeflateError) {
        #expect(try Deflate.unpack(damaged[...], size: Self.lines.utf8.count).count == Self.lines.utf8.count)
      } catch {
        refusals += 1
      }
    }
    #expect(refusals > 0)
  }

  /// The unpacked text of `dynamic`.
  static let lines = (0..<60).map { line in
    "line \(line) of \(line * line) words, \(String(repeating: "x", count: line % 7))\n"
  }.joined()

  static let dynamic = [
    "bZRLTgQxDET3nGIOwCL+JrkPICGNGAkWcHyI7aY7iTezqFL3lF+XfX//eL2V2+Pt7+f78fny9Xx7ug8NhgaH9uMiDpH/xVBp",
    "qP1UQ2Z7g170MGQYKFcjHB0OTY8cVrW/7nPINkTlJWUfaoM1JtiYUMqWFHxYhD0r2MjAnKQF8gl7lhd8/K4LVh/+Mn3o6lB0",
    "S22DY9v5gk1PyEnq7iAhSY2GgScMp2kkmGFOjf7h20oajYBgX1OjTS9Vt9RoAHT+/GEZA62apTYMFVPWaCTqGS9kLwKvLSYj",
    "0K8EwrDp+4QtHK9ByWCT16C0nuQmrwFIWmoSL95JI3R1/WzP8YBhANKNOLUoKu/hjQNI1m/2pdClDmH6XmiDLDw7k6oLdnYe",
    "7VzW44FYCdpKzr4VZWpFWL4YkB0S9t3AkpFnA4JUOA1vTJDL0nQpvocXHmEYC9Sy3RUxDljLTl7Il3cOGJ7RwA5Z3cWAUFmu",
    "5OH6nQRajovUuAgrefFTQbrdbvFLwdMnfvoF",
  ].joined()

  @Test(arguments: [("", 0), ("123456789", 0xCBF4_3926)] as [(String, UInt32)])
  func computesStandardChecksums(_ text: String, _ sum: UInt32) {
    #expect(Deflate.crc32(Array(text.utf8)) == sum)
  }
}
