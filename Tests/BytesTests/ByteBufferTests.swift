import Bytes
import Testing

@Suite("Text in progress")
struct ByteBufferTests {
  @Test("Whatever is appended is there in order, for every capacity", arguments: [0, 1, 7, 64])
  func order(capacity: Int) {
    var buffer = ByteBuffer(capacity: capacity)
    buffer.append(0x7B)
    buffer.append(name: "name", afterComma: false)
    buffer.append(quoted: Array("x".utf8).span)
    buffer.append(name: "n", afterComma: true)
    buffer.append("")
    buffer.append([UInt8]())
    buffer.append(Array("Grüße, ".utf8))
    buffer.append("a text longer than the small form of a String")
    buffer.append(Array("0123456789".utf8).span.extracting(3..<5))
    let expected = Array("{\"name\":\"x\",\"n\":Grüße, a text longer than the small form of a String34".utf8)
    #expect(buffer.count == expected.count)
    #expect(buffer.bytes == expected)
    #expect(buffer.takeBytes() == expected)
    #expect(buffer.bytes.isEmpty)
  }

  @Test(
    "A number has the digits of its description",
    arguments: [
      0, 1, 9, 10, 99, 100, 1_700_000_000_000, 999_999_999_999_999_999, 1_000_000_000_000_000_000, -1, -10,
      Int64.max, Int64.min,
    ] as [Int64])
  func decimal(value: Int64) {
    var buffer = ByteBuffer(capacity: 1)
    buffer.append(decimal: value)
    #expect(String(decoding: buffer.bytes, as: UTF8.self) == value.description)
  }

  @Test("The end of a text can be taken away and written again")
  func end() {
    var buffer = ByteBuffer(capacity: 8)
    buffer.append("plain\"quoted")
    #expect(buffer.plainEnd(from: 0) == 5)
    #expect(buffer.cut(from: 5) == Array("\"quoted".utf8))
    #expect(buffer.plainEnd(from: 0) == 5)
    buffer.append("!")
    var array = Array("and ".utf8)
    buffer.append(to: &array)
    #expect(String(decoding: array, as: UTF8.self) == "and plain!")
    buffer.removeAll()
    #expect(buffer.bytes.isEmpty)
  }
}
