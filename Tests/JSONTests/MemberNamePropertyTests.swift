import TestSupport
import Testing

@testable import JSON

/// Names are found and refused by a hash and a filter. A reference that compares all names finds the same.
@Suite("Random member names")
struct MemberNamePropertyTests {
  @Test(
    "members are found, and repeated names refused, as the reference does it",
    arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func names(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (unique, repeated, repeatedByEscape) = (0, 0, 0)
    for round in 0..<400 {
      let object = Self.object(&random, count: Int.random(in: 0...(round % 4 == 0 ? 80 : 12), using: &random))
      // As a member, the object is not at the beginning of the index.
      let text = Array(#"{"first":[0],"object":"#.utf8) + object.text + Array("}".utf8)
      let start = text.count - object.text.count - 1
      if let repetition = object.repetition {
        repeated += 1
        if object.spelling(repetition) != object.spelling(object.original(of: repetition)) {
          repeatedByEscape += 1
        }
        #expect(throws: JSONError.duplicateName(offset: start + object.offsets[repetition])) {
          try JSONDocument(parsing: text, limits: .event)
        }
        continue
      }
      unique += 1
      let value = try #require(try JSONDocument(parsing: text, limits: .event).root["object" as StaticString])
      #expect(value.members.map(\.name.utf8) == object.names.map { Array($0.utf8) })
      for name in Self.pool {
        let place = object.names.firstIndex { $0.utf8.elementsEqual(name.utf8) }.map(Int64.init)
        #expect(value.member(named: Array(name.utf8))?.bounds?.floor == place, "\(name)")
        #expect(value[name]?.bounds?.floor == place, "\(name)")
      }
    }
    #expect(unique > 50 && repeated > 50 && repeatedByEscape > 20)
  }

  /// Names with one hash, of equal length and beginning, with escapes of their own, and ordinary ones.
  private static let pool: [String] =
    (0..<24).map(MemberNamesTests.colliding) + (0..<80).map { "x-header-\($0)" }
    + [
      "", "a", "aa", "sub", "Sub", "s\u{75}b\u{0}", "\"", "\\", "\\u0061", "\u{1F}", "é", "e\u{301}", "日本",
      "😀",
      String(repeating: "long", count: 40), String(repeating: "long", count: 40) + "e",
    ]

  /// An object with its names, and what the reference says about them.
  private struct Object {
    var names: [String] = []
    var offsets: [Int] = []
    var text: [UInt8] = Array("{".utf8)

    /// The first name that is equal to one before it.
    var repetition: Int? { names.indices.first { original(of: $0) < $0 } }

    func original(of name: Int) -> Int {
      names.firstIndex { $0.utf8.elementsEqual(names[name].utf8) } ?? name
    }

    func spelling(_ name: Int) -> ArraySlice<UInt8> {
      text[offsets[name]...].prefix { $0 != UInt8(ascii: ":") }
    }

    mutating func append(_ name: String, _ spelling: String) {
      if !names.isEmpty { text.append(UInt8(ascii: ",")) }
      offsets.append(text.count)
      text += Array("\"\(spelling)\":\(names.count)".utf8)
      names.append(name)
    }
  }

  private static func object(_ random: inout SeededGenerator, count: Int) -> Object {
    var object = Object()
    // Most objects have each name once, so that names are looked up too.
    var left = pool.shuffled(using: &random)
    for _ in 0..<count {
      let again = Int.random(in: 0..<(count * 2), using: &random) == 0
      guard let name = again ? object.names.randomElement(using: &random) ?? left.popLast() : left.popLast()
      else {
        break
      }
      object.append(name, spelling(name, &random))
    }
    object.text.append(UInt8(ascii: "}"))
    return object
  }

  /// The name with some of its characters as escapes, in either case of the digits.
  private static func spelling(_ name: String, _ random: inout SeededGenerator) -> String {
    let part = Int.random(in: 0...3, using: &random)
    return name.unicodeScalars.map { scalar in
      let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      guard mustEscape || Int.random(in: 0..<6, using: &random) < part else { return String(scalar) }
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }.joined()
  }
}
