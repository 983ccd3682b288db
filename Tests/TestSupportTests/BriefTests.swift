import TestSupport
import Testing

@Suite("Brief")
struct BriefTests {
  @Test(
    "shows a value in one short line",
    arguments: [
      ([UInt8](), "[]"), ([1, 2, 3], "[1, 2, 3]"),
      (
        [UInt8](repeating: 0, count: 100_000),
        "[" + String(repeating: "0, ", count: 66) + "0… (300000 bytes as text)"
      ),
    ].map { (Brief($0), $1) })
  func description(_ value: Brief<[UInt8]>, _ text: String) {
    #expect(value.description == text)
    #expect(Mirror(reflecting: value).children.isEmpty)
  }

  @Test("is equal if its values are equal")
  func equality() {
    #expect(Brief([1, 2]) == Brief([1, 2]))
    #expect(Brief([1, 2]) != Brief([1, 3]))
  }
}
