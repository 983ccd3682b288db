import Bytes

/// One change of a token after signing; the raw value is the `damage` in a recipe.
package enum TokenDamage: String, CaseIterable, Sendable {
  /// One bit of the signature is flipped.
  case signature
  /// All bytes of the signature are zero; the length does not change (CVE-2022-21449 for ES*).
  case zeroSignature
  /// The raw `r‖s` is replaced by the DER sequence that libraries outside JOSE use (ES* only).
  case derSignature
  /// The third segment is empty; both dots remain.
  case dropSignature
  /// The third segment and its dot are removed.
  case twoSegments
  /// A fourth segment is added. Twice in a list yields the five segments of an encrypted token (RFC 7516 section 3.1).
  case extraSegment
  /// One byte of the payload is changed: the last byte of `sub` if there is one, so that the JSON remains valid.
  case payload
  /// The token ends in the middle of its signature.
  case truncate
  /// A `=` is added to the signature (RFC 7515 section 2 allows none).
  case padding
  /// A character of the signature is `+`, which belongs to another alphabet (RFC 4648 section 4).
  case badBase64
  /// An unused bit of the signature's last character is set (RFC 4648 section 3.5): the same bytes in another text.
  case trailingBits
  /// A space is inserted in the middle of the payload.
  case whitespace
}

/// The segments of a compact token, to which damage is applied.
struct TokenSegments: Equatable {
  private var segments: [[UInt8]]
  private let algorithm: SigningAlgorithm

  /// The reason why a damage cannot be applied to this token.
  struct Impossible: Error, Equatable { let reason: String }

  init(header: [UInt8], payload: [UInt8], signature: [UInt8], _ algorithm: SigningAlgorithm) {
    self.algorithm = algorithm
    segments = [header, payload, signature].map { Base64URL.encode($0) }
  }

  var text: String {
    segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
  }

  mutating func apply(_ damage: TokenDamage) throws(Impossible) {
    switch damage {
    case .signature: try changeSignature { $0[$0.count / 2] ^= 1 }
    case .zeroSignature: try changeSignature { $0 = [UInt8](repeating: 0, count: $0.count) }
    case .derSignature:
      guard case .ellipticCurve = algorithm.keyKind else {
        throw Impossible(reason: "a signature of \(algorithm.rawValue) has no DER form")
      }
      try changeSignature { $0 = Self.sequence(of: $0) }
    case .dropSignature: try change(2) { $0 = [] }
    case .twoSegments: segments.removeSubrange(min(2, segments.count)...)
    case .extraSegment: segments.append(Array("e30".utf8))
    case .payload: try changePayload()
    case .truncate: try change(2) { $0.removeLast($0.count - $0.count / 2) }
    case .padding: try change(2) { $0.append(.equalsSign) }
    case .badBase64: try change(2) { $0[$0.count / 2] = 0x2B }
    case .trailingBits: try change(2) { (text) throws(Impossible) in try Self.setUnusedBit(&text) }
    case .whitespace: try change(1) { $0.insert(0x20, at: $0.count / 2) }
    }
  }

  private mutating func change(
    _ index: Int, _ body: (inout [UInt8]) throws(Impossible) -> Void
  ) throws(Impossible) {
    guard index < segments.count, !segments[index].isEmpty else {
      throw Impossible(reason: "segment \(index + 1) is empty or missing")
    }
    try body(&segments[index])
  }

  private mutating func changeSignature(
    _ body: (inout [UInt8]) throws(Impossible) -> Void
  ) throws(Impossible) {
    try change(2) { (text) throws(Impossible) in
      guard var bytes = Base64URL.decode(text) else {
        throw Impossible(reason: "the signature is no longer base64url")
      }
      try body(&bytes)
      text = Base64URL.encode(bytes)
    }
  }

  private mutating func changePayload() throws(Impossible) {
    try change(1) { (text) throws(Impossible) in
      guard var bytes = Base64URL.decode(text), let index = Self.indexToChange(in: bytes) else {
        throw Impossible(reason: "the payload has no letter or digit to change")
      }
      // A digit is replaced by a digit and a letter by a letter, but never by a zero at the start of a number.
      bytes[index] =
        bytes[index] == 0x31 ? 0x32 : bytes[index] < 0x40 ? 0x31 : bytes[index] == 0x61 ? 0x62 : 0x61
      text = Base64URL.encode(bytes)
    }
  }

  /// The index of the last byte of `sub` if it is a letter or digit, else of the last letter or digit of the payload.
  private static func indexToChange(in payload: [UInt8]) -> Int? {
    let name = Array("\"sub\":\"".utf8)
    if let start = payload.firstRange(of: name)?.upperBound,
      let end = payload[start...].firstIndex(of: .quote), end > start, payload[end - 1].isLetterOrDigit
    {
      return end - 1
    }
    return payload.lastIndex { $0.isLetterOrDigit }
  }

  private static func setUnusedBit(_ text: inout [UInt8]) throws(Impossible) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    guard text.count % 4 != 0, let value = text.last.flatMap(alphabet.firstIndex) else {
      throw Impossible(reason: "a signature of this length has no unused bits")
    }
    text[text.count - 1] = alphabet[value | 1]
  }

  /// `SEQUENCE { INTEGER r, INTEGER s }` (RFC 3279 section 2.2.3) of the two halves.
  private static func sequence(of signature: [UInt8]) -> [UInt8] {
    let half = signature.count / 2
    let content = integer(signature[..<half]) + integer(signature[half...])
    // Above 127 bytes the length needs a second byte (X.690 section 8.1.3.5); no length here reaches 256.
    let length = content.count < 128 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]
    return [0x30] + length + content
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let digits = bytes.drop { $0 == 0 }
    let needsZero = digits.first.map { $0 >= 0x80 } ?? true
    let content = (needsZero ? [0] : []) + digits
    return [0x02, UInt8(content.count)] + content
  }
}
