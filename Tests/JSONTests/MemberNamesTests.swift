import Bytes
import Testing

@testable import JSON

/// Callers choose the names of headers and parameters, so the number of steps for each name must be limited.
@Suite("Steps for member names")
struct MemberNamesTests {
  /// Objects with ordinary names, with hash collisions, and in several orders.
  static let shapes: [(title: String, name: @Sendable (Int) -> String)] = [
    ("ordinary names", { "x-header-\($0)" }),
    ("names with one hash", { Self.colliding($0) }),
    ("a long common prefix", { String(repeating: "a", count: 500) + "\($0)" }),
    ("names in descending order", { "\(9_999_999 - $0)" }),
    ("escaped names", { "\\u0061\($0)" }),
  ]

  @Test("the number of steps does not grow quadratically", arguments: shapes)
  func linear(title: String, name: @Sendable (Int) -> String) throws {
    for count in [64, 256, 1024, 4096] {
      let parser = try Self.read((0..<count).map(name))
      // The limit of heapsort: twice log2 of the maximum number of names in an event's object.
      #expect(parser.comparisons <= 25 * count + 32 * 32, "\(title), \(count) names")
    }
  }

  @Test("few names are compared only with each other, and only if a hash repeats")
  func pairwise() throws {
    for count in [0, 1, 2, 31, 32] {
      #expect(try Self.read((0..<count).map(Self.colliding)).comparisons == max(count * (count - 1) / 2, 0))
      #expect(try Self.read((0..<count).map { "n\($0)" }).comparisons <= max(count * (count - 1) / 2, 0))
    }
    #expect(try Self.read(["iss", "sub", "aud", "exp", "iat"]).comparisons == 0)
  }

  @Test("the colliding names are different and have the same hash")
  func collisions() throws {
    let names = (0..<4096).map(Self.colliding)
    #expect(Set(names).count == 4096)
    let hashes = names.map { name in
      JSONString.hash(
        Array(name.utf8).span,
        JSONNode(start: 0, end: UInt32(name.utf8.count), next: 1, kind: .string))
    }
    #expect(Set(hashes).count == 1)
  }

  /// The two indices of the repeated name: both within the pairwise range, one of them, or none.
  static let repetitions: [(first: Int, second: Int)] = [
    (0, 1), (0, 31), (0, 32), (0, 999), (31, 32), (32, 33), (500, 501), (998, 999),
  ]

  @Test(
    "a repeated name is reported at its second occurrence, for any number of names", arguments: repetitions)
  func repeated(first: Int, second: Int) throws {
    for spelling in ["same", "\\u0073ame"] {
      for name in [Self.shapes[0].name, Self.shapes[1].name] {
        var names = (0..<1000).map(name)
        names[first] = "same"
        names[second] = spelling
        let text = Self.object(names)
        let offset = Self.object(Array(names[..<second])).utf8.count - 1 + 1
        #expect(throws: JSONError.duplicateName(offset: offset)) { try Self.read(text) }
      }
    }
  }

  @Test("of several repetitions the first in the text is reported")
  func several() {
    var names = (0..<200).map { "n\($0)" }
    (names[150], names[120], names[199]) = ("n0", "n7", "n7")
    let offset = Self.object(Array(names[..<120])).utf8.count
    #expect(throws: JSONError.duplicateName(offset: offset)) { try Self.read(Self.object(names)) }
  }

  @Test("nested objects with many names have separate names")
  func nested() throws {
    let inner = Self.object((0..<100).map { "n\($0)" })
    let members = (0..<100).map { "\"n\($0)\":\(inner)" }
    _ = try Self.read("{" + members.joined(separator: ",") + "}")
  }

  // MARK: Names

  /// Names of eight bytes with one hash: the multiplication of the hash is reversed for products with the same highest
  /// bits, and of the words before it those are taken that are plain text.
  private static let collisions: [String] = {
    // Each step doubles the number of correct bits of the inverse; an odd number is its own in the lowest three.
    var inverse = JSONString.hashFactor
    for _ in 0..<5 { inverse = inverse &* (2 &- JSONString.hashFactor &* inverse) }
    var names: [String] = []
    var product: UInt64 = 0x5EED << 48
    while names.count < 4096 {
      let word = (product &* inverse) ^ 8
      product += 1
      guard word.isPrintable else { continue }
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
      if !bytes.contains(0x22), !bytes.contains(0x5C) { names.append(String(decoding: bytes, as: UTF8.self)) }
    }
    return names
  }()

  static func colliding(_ number: Int) -> String { collisions[number] }

  /// An object with these names in their given spelling.
  private static func object(_ names: [String]) -> String {
    "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
  }

  private static func read(_ names: [String]) throws -> JSONParser { try read(object(names)) }

  @discardableResult private static func read(_ text: String) throws -> JSONParser {
    let bytes = Array(text.utf8)
    var parser = JSONParser(limits: .event)
    _ = try parser.parse(bytes.span)
    return parser
  }
}
