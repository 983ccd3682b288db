@testable import LambdaEmulator
import Testing

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (1_718_636_523_035, "2024-06-17T15:02:03.035Z", "17/Jun/2024:15:02:03", "Mon, 17 Jun 2024 15:02:03"),
      (0, "1970-01-01T00:00:00.000Z", "01/Jan/1970:00:00:00", "Thu, 01 Jan 1970 00:00:00"),
      (784_111_777_000, "1994-11-06T08:49:37.000Z", "06/Nov/1994:08:49:37", "Sun, 06 Nov 1994 08:49:37"),
      (1_709_164_800_000, "2024-02-29T00:00:00.000Z", "29/Feb/2024:00:00:00", "Thu, 29 Feb 2024 00:00:00"),
      (4_102_444_799_999, "2099-12-31T23:59:59.999Z", "31/Dec/2099:23:59:59", "Thu, 31 Dec 2099 23:59:59"),
    ] as [(Int64, String, String, String)])
  func formats(_ milliseconds: Int64, _ text: String, _ common: String, _ http: String) {
    #expect(Timestamp.text(milliseconds) == text)
    #expect(Timestamp.commonLog(milliseconds) == common + " +0000")
    #expect(Timestamp.http(milliseconds) == http + " GMT")
  }
}
