import JSON
import TestSupport
import Testing

/// The writer produces valid JSON for any input, and the parser can read it.
@Suite struct JSONWriterTests {
  @Test("escapes only what RFC 8259 section 7 requires")
  func escapes() {
    var writer = JSONWriter()
    writer.string("\"\\\n\r\t\u{0}\u{1f}\u{7f}/é😀")
    #expect(text(writer) == "\"\\\"\\\\\\n\\r\\t\\u0000\\u001f\u{7f}/é😀\"")
  }

  @Test("adds commas")
  func commas() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("a")
    writer.beginArray()
    writer.integer(-1)
    writer.beginObject()
    writer.endObject()
    writer.boolean(true)
    writer.null()
    writer.endArray()
    writer.name("b")
    writer.beginObject()
    writer.name("c")
    writer.boolean(false)
    writer.endObject()
    writer.name("d")
    writer.string("e")
    writer.endObject()
    #expect(text(writer) == #"{"a":[-1,{},true,null],"b":{"c":false},"d":"e"}"#)
  }

  @Test(
    "repairs bytes that are not UTF-8", arguments: [[0xFF], [0x61, 0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]])
  func repairs(bytes: [UInt8]) throws {
    var writer = JSONWriter()
    writer.string(utf8: bytes)
    let read = try JSONDocument(parsing: writer.bytes, limits: .event).root
    #expect(read.text == String(decoding: bytes, as: UTF8.self))
  }

  @Test("random strings are unchanged after writing and parsing")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 0x5EED)
    for _ in 0..<2_000 {
      let scalars = (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
        Unicode.Scalar(
          UInt32.random(in: 0...0x10FFFF, using: &random) >> UInt32.random(in: 0...20, using: &random))
      }
      let original = String(String.UnicodeScalarView(scalars))
      var writer = JSONWriter()
      writer.beginObject()
      writer.name(original)
      writer.string(original)
      writer.endObject()
      let root = try JSONDocument(parsing: writer.bytes, limits: .event).root
      #expect(root[original]?.utf8 == Array(original.utf8))
      var copy = JSONWriter()
      copy.value(root)
      #expect(copy.bytes == writer.bytes)
    }
  }

  @Test("every truncated or changed document is parsed or refused without a trap")
  func mutations() throws {
    let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00é",true,null],"b":{"c":"\\"}}"#.utf8)
    var refused = 0
    for end in 0..<text.count {
      #expect(throws: JSONError.self) { try JSONDocument(parsing: Array(text[..<end]), limits: .event) }
    }
    for index in text.indices {
      for byte in UInt8.min...UInt8.max where byte != text[index] {
        var changed = text
        changed[index] = byte
        guard let document = try? JSONDocument(parsing: changed, limits: .event) else {
          refused += 1
          continue
        }
        let tree = JSONTree(document.root)
        #expect(try JSONTree(parsing: tree.bytes()) == tree)
        #expect(try JSONTree(parsing: tree.bytes(indentedBy: 2)) == tree)
      }
    }
    #expect(refused > 10_000)
  }

  @Test("a writer whose text was taken is empty")
  func taken() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.endObject()
    #expect(String(decoding: writer.takeBytes(), as: UTF8.self) == "{}")
    writer.beginObject()
    writer.endObject()
    #expect(text(writer) == "{}")
  }

  private func text(_ writer: JSONWriter) -> String { String(decoding: writer.bytes, as: UTF8.self) }
}
