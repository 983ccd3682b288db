import Foundation
import Testing
import ZipCompression

@Suite struct InflateTests {
  /// Data from zlib 1.3: fixed codes, stored, empty, a run that overlaps itself.
  @Test(arguments: [
    ("S0xKTiSEAA==", String(repeating: "abc", count: 12)), ("AQYA+f9zdG9yZWQ=", "stored"), ("AwA=", ""),
    ("S0wcBaNgFAx3AAA=", String(repeating: "a", count: 1000)), (dynamic, lines),
  ]) func unpacksData(_ packed: String, _ text: String) throws {
    let packed = Array(try #require(Data(base64Encoded: packed)))
    let size = text.utf8.count
    #expect(try Inflate.unpack(packed[...], size: size) == Array(text.utf8))
    #expect(throws: InflateError.wrongSize) { try Inflate.unpack(packed[...], size: size + 1) }
    if size > 0 {
      #expect(throws: InflateError.wrongSize) { try Inflate.unpack(packed[...], size: size - 1) }
    }
    #expect(throws: InflateError.trailingBytes) { try Inflate.unpack((packed + [0])[...], size: size) }
    for length in 0..<packed.count {
      #expect(throws: InflateError.self) { try Inflate.unpack(packed[..<length], size: size) }
    }
  }

  @Test(arguments: [
    ([7], InflateError.badBlock), ([1, 1, 0, 0, 0], .badBlock), ([], .endOfData),
    // A distance that points before the start.
    ([0x03, 0x02, 0x00], .badDistance),
  ]) func reportsDamagedData(_ bytes: [UInt8], _ error: InflateError) {
    #expect(throws: error) { try Inflate.unpack(bytes[...], size: 10) }
  }

  /// Damaged data is refused or gives other data of the same size; it never crashes the program.
  @Test(arguments: 0..<8 as Range<UInt64>) func damagedDataNeverCrashes(_ seed: UInt64) throws {
    var random = LinearGenerator(state: seed)
    let packed = Array(try #require(Data(base64Encoded: Self.dynamic)))
    var refusals = 0
    for _ in 0..<100 {
      var damaged = packed
      damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      do throws(InflateError) {
        #expect(try Inflate.unpack(damaged[...], size: Self.lines.utf8.count).count == Self.lines.utf8.count)
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
    #expect(Checksum.crc32(Array(text.utf8)) == sum)
  }
}
