import TestSupport
import Testing

@testable import JOSE

/// Each segment is decoded once, and its characters are checked by that. A reference that reads one character after the
/// other says the same about each text.
@Suite("Random segments of a token")
struct TokenSegmentsPropertyTests {
  @Test("a changed text is read as the reference reads it", arguments: [1, 2, 3, 4] as [UInt64])
  func changedTexts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (outcomes, differences) = ([String: Int](), [String]())
    for _ in 0..<1_500 {
      var text = Self.token(&random)
      for _ in 0..<Int.random(in: 0...2, using: &random) { Self.change(&text, &random) }
      let (expected, parsed) = (Reference.read(text, header: Self.header), Self.parsed(text))
      outcomes[expected.name, default: 0] += 1
      // The reference does not read JSON: of a changed header it only says that its characters are right.
      let isEqual = expected == .otherHeader ? !parsed.isAboutCharacters : parsed == expected
      if !isEqual { differences.append(String(decoding: text, as: UTF8.self)) }
    }
    #expect(differences.isEmpty)
    for name in ["parts", "illegalByte", "segments", "base64url", "otherHeader"] {
      #expect(outcomes[name, default: 0] >= 20, "\(name)")
    }
  }

  @Test("five segments are encrypted, whatever they contain; an illegal byte comes first")
  func fiveSegments() {
    #expect(Self.parsed(Array("a.b.c.d.e".utf8)) == .refused(.encryptedToken))
    #expect(Self.parsed(Array("a.b.c.d.e=".utf8)) == .refused(.malformedToken(.illegalByte(offset: 9))))
  }

  private static let header = Base64URL.encode(Array(#"{"alg":"RS256","kid":"k1","typ":"JWT"}"#.utf8))

  private static func token(_ random: inout SeededGenerator) -> [UInt8] {
    func segment(_ random: inout SeededGenerator) -> [UInt8] {
      let count = Int.random(in: 0...40, using: &random)
      return Base64URL.encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
    return header + [0x2E] + segment(&random) + [0x2E] + segment(&random)
  }

  private static func change(_ text: inout [UInt8], _ random: inout SeededGenerator) {
    let place = Int.random(in: text.indices, using: &random)
    let special = Array(".=+/ \n\u{0}@[`{-_A\u{7F}\u{E9}".utf8)
    let byte = special.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<6, using: &random) {
    case 0: text[place] = byte
    case 1: text[place] = UInt8.random(in: .min ... .max, using: &random)
    case 2: text.insert(byte, at: place)
    case 3: text.remove(at: place)
    case 4: text.append(byte)
    default: text[place] = UInt8(ascii: "B")
    }
  }

  private static func parsed(_ text: [UInt8]) -> Reference {
    do {
      let jws = try CompactJWS(parsing: text)
      return .parts(payload: jws.unverifiedPayload, signature: jws.signature)
    } catch {
      return .refused(error)
    }
  }
}

/// What a text is, read one character after the other.
private enum Reference: Equatable {
  case parts(payload: [UInt8], signature: [UInt8])
  case refused(TokenRejection)
  /// A header that is not the expected one, but canonical base64url.
  case otherHeader

  static func read(_ text: [UInt8], header: [UInt8]) -> Reference {
    for (offset, byte) in text.enumerated() where byte != 0x2E && values[Int(byte)] == nil {
      return .refused(.malformedToken(.illegalByte(offset: offset)))
    }
    let segments = text.split(separator: 0x2E, omittingEmptySubsequences: false)
    if segments.count == 5 { return .refused(.encryptedToken) }
    guard segments.count == 3 else { return .refused(.malformedToken(.segments(segments.count))) }
    guard decoded(segments[0]) != nil else { return .refused(.malformedToken(.base64url(.header))) }
    guard Array(segments[0]) == header else { return .otherHeader }
    guard !segments[2].isEmpty else { return .refused(.malformedToken(.empty(.signature))) }
    guard let signature = decoded(segments[2]) else {
      return .refused(.malformedToken(.base64url(.signature)))
    }
    guard let payload = decoded(segments[1]) else { return .refused(.malformedToken(.base64url(.payload))) }
    return .parts(payload: payload, signature: signature)
  }

  var name: String {
    switch self {
    case .parts: "parts"
    case .otherHeader: "otherHeader"
    case .refused(.malformedToken(.illegalByte)): "illegalByte"
    case .refused(.malformedToken(.segments)), .refused(.encryptedToken): "segments"
    case .refused(.malformedToken(.base64url)): "base64url"
    case .refused: "other"
    }
  }

  /// Whether the text was refused for its characters, its dots or the form of its header's segment.
  var isAboutCharacters: Bool {
    self == .refused(.malformedToken(.base64url(.header))) || name == "illegalByte" || name == "segments"
  }

  /// The bytes of canonical base64url, bit by bit.
  private static func decoded(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
    var bits: [UInt8] = []
    for byte in segment {
      guard let value = values[Int(byte)] else { return nil }
      bits += (0..<6).map { value >> (5 - $0) & 1 }
    }
    let rest = bits.suffix(bits.count % 8)
    guard rest.count < 6, rest.allSatisfy({ $0 == 0 }) else { return nil }
    return (0..<bits.count / 8).map { index in
      bits[index * 8..<index * 8 + 8].reduce(0) { $0 << 1 | $1 }
    }
  }

  private static let values: [UInt8?] = {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    return (UInt8.min...UInt8.max).map { character in alphabet.firstIndex(of: character).map { UInt8($0) } }
  }()
}
