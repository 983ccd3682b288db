import JSON
import Testing

/// Members are found by the bytes of their names, however name and text are written.
@Suite("Looking up members") struct MemberLookupTests {
  /// Names of every length up to five words, in ASCII and beyond.
  @Test("a name finds its member alone", arguments: 0...40, ["a", "\u{7F}", "é", "日", "😀"])
  func ownNameAlone(count: Int, character: String) throws {
    let name = String(repeating: character, count: count)
    let others = [
      name + character, character + "b" + name, String(name.dropLast()) + "c", "C" + name.dropFirst(),
    ]
    for written in [name, Self.escaped(name)] {
      let object = try Self.parse(#"{"z":0,"\#(written)":1,"y":2}"#)
      #expect(object[name]?.number?.bounds?.floor == 1)
      #expect(object.member(named: Array(name.utf8))?.number?.bounds?.floor == 1)
      for other in others where other != name {
        #expect(object[other] == nil && object.member(named: Array(other.utf8)) == nil, "\(other)")
      }
      let string = try Self.parse(#""\#(written)""#)
      #expect(string.equals(utf8: Array(name.utf8)) && string.equals(name))
      for other in others where other != name {
        #expect(!string.equals(utf8: Array(other.utf8)) && !string.equals(other), "\(other)")
      }
    }
  }

  @Test("each changed byte of a name makes another name") func changedBytes() throws {
    let name = Array("principalId".utf8)
    let object = try Self.parse(#"{"principalId":1}"#)
    var found: [[UInt8]] = []
    for place in name.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = name
        changed[place] = byte
        if object.member(named: changed) != nil { found.append(changed) }
      }
    }
    #expect(found == [[UInt8]](repeating: name, count: name.count))
  }

  @Test("constants find what texts find") func constants() throws {
    let object = try Self.parse(
      #"{"":0,"alg":1,"k\u0069d":2,"Alg":3,"al":4,"algo":5,"methodArn\u0000":6,"methodArn":7}"#)
    let names: [(StaticString, Int64?)] = [
      ("", 0), ("alg", 1), ("kid", 2), ("Alg", 3), ("al", 4), ("algo", 5), ("methodArn\0", 6),
      ("methodArn", 7),
      ("k\\u0069d", nil), ("ALG", nil), ("algos", nil), ("é", nil),
    ]
    for (name, value) in names {
      #expect(object[name]?.bounds?.floor == value, "\(name)")
      #expect(object[name.description]?.bounds?.floor == value, "\(name)")
    }
    #expect(try Self.parse(#"["alg"]"#)["alg" as StaticString] == nil)
    #expect(try Self.parse(#""alg""#)["alg" as StaticString] == nil)
    let string = try Self.parse(#""R\u00532\u003556""#)
    #expect(string.equals("RS2556" as StaticString) && !string.equals("RS256" as StaticString))
  }

  /// A short integer is read without a copy, all others as a `JSONNumber`.
  @Test(
    "a value has the bounds of its number",
    arguments: [
      "0", "7", "-1", "1784112300", "999999999999999999", "1000000000000000000", "9223372036854775808", "1.5",
      "1e3",
      "-0.1", "123456789012345678901",
    ])
  func bounds(_ text: String) throws {
    let value = try Self.parse(text)
    let (direct, parsed) = (value.bounds, value.number?.bounds)
    #expect(direct?.floor == parsed?.floor && direct?.ceiling == parsed?.ceiling)
    #expect(try Self.parse("\"\(text)\"").bounds == nil)
  }

  private static func parse(_ text: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(text.utf8), limits: .event).root
  }

  private static func escaped(_ text: String) -> String {
    text.utf16.map {
      let digits = String($0, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}
