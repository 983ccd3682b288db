import Foundation
import Testing

@testable import FunctionHost

@Suite("Timestamp")
struct TimestampTests {
  static let table: [(milliseconds: Int64, text: String)] = [
    (0, "1970-01-01T00:00:00.000Z"),
    (1, "1970-01-01T00:00:00.001Z"),
    (999, "1970-01-01T00:00:00.999Z"),
    (59_999, "1970-01-01T00:00:59.999Z"),
    (68_169_599_999, "1972-02-28T23:59:59.999Z"),
    (68_169_600_000, "1972-02-29T00:00:00.000Z"),
    (951_782_399_999, "2000-02-28T23:59:59.999Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (951_868_800_000, "2000-03-01T00:00:00.000Z"),
    (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
    (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
    (1_735_689_600_000, "2025-01-01T00:00:00.000Z"),
    (1_795_255_200_000, "2026-11-21T10:00:00.000Z"),
    (2_147_483_648_000, "2038-01-19T03:14:08.000Z"),
    (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
    (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    (4_133_980_799_999, "2100-12-31T23:59:59.999Z"),
    (13_574_563_200_000, "2400-02-29T00:00:00.000Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    // Times before 1970 are treated as 0.
    (-1, "1970-01-01T00:00:00.000Z"), (.min, "1970-01-01T00:00:00.000Z"),
  ]

  @Test("leap days, year ends and the last millisecond", arguments: table)
  func row(milliseconds: Int64, text: String) {
    #expect(String(decoding: Timestamp.rfc3339(milliseconds), as: UTF8.self) == text)
  }

  @Test("any time up to the year 9999 equals Foundation's text")
  func anyMoment() {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
    for seconds in stride(from: 0 as Int64, through: 253_402_300_799, by: 126_701_147) {
      let expected = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(style).dropLast()
      #expect(String(decoding: Timestamp.rfc3339(seconds * 1000 + 7), as: UTF8.self) == expected + ".007Z")
    }
  }
}
