import JSON

/// The numbers of a public key, independent of their encoding in the key set.
enum KeyMaterial: Equatable, Sendable {
  /// Both numbers are big-endian, without leading zeros.
  case rsa(modulus: [UInt8], exponent: [UInt8])
  /// Both coordinates have the curve's full length.
  case ec(Curve, x: [UInt8], y: [UInt8])
  case ed25519([UInt8])

  /// Whether the private half of one key can also sign for the other. The factors of a modulus yield the private
  /// exponent for every public exponent. The private halves of a point and its negative differ only in their sign.
  func sharesPrivateHalf(with other: KeyMaterial) -> Bool {
    switch (self, other) {
    case (.rsa(let modulus, _), .rsa(let otherModulus, _)): modulus == otherModulus
    case (.ec(let curve, let x, _), .ec(let otherCurve, let otherX, _)): curve == otherCurve && x == otherX
    case (.ed25519(let x), .ed25519(let otherX)): Self.withoutSign(x) == Self.withoutSign(otherX)
    default: false
    }
  }

  private static func withoutSign(_ point: [UInt8]) -> [UInt8] {
    var point = point
    if let last = point.indices.last { point[last] &= 0x7F }
    return point
  }
}

/// Reads the numbers of a JWK and records unusual encodings.
struct KeyMaterialReader {
  private(set) var deviations: [EncodingDeviation] = []
  private let key: JSONValue

  init(_ key: JSONValue) { self.key = key }

  /// Reads the numbers. Does not check the strength of the key.
  ///
  /// - Throws: `malformedMember`, `unsupportedType`, `unsupportedCurve` or `symmetric`.
  mutating func material() throws(KeyFlaw) -> KeyMaterial {
    let type = try text("kty")
    if type.elementsEqual("RSA".utf8) {
      return .rsa(modulus: try number("n"), exponent: try number("e"))
    }
    if type.elementsEqual("EC".utf8) {
      let name = try text("crv")
      guard let curve = Curve.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name) }) else {
        throw .unsupportedCurve
      }
      let (x, y) = (try bytes("x"), try bytes("y"))
      // RFC 7518 section 6.2.1.2: coordinates have the full length, including leading zeros.
      try Self.check(x, "x", curve.coordinateBytes)
      try Self.check(y, "y", curve.coordinateBytes)
      return .ec(curve, x: x, y: y)
    }
    if type.elementsEqual("OKP".utf8) {
      guard try text("crv").elementsEqual("Ed25519".utf8) else { throw .unsupportedCurve }
      let x = try bytes("x")
      try Self.check(x, "x", 32)
      return .ed25519(x)
    }
    throw type.elementsEqual("oct".utf8) ? .symmetric : .unsupportedType
  }

  private func text(_ name: String) throws(KeyFlaw) -> [UInt8] {
    guard let value = key[name] else { throw .malformedMember(name, .missing) }
    guard let text = value.utf8 else { throw .malformedMember(name, .notText) }
    return text
  }

  private static func check(_ bytes: [UInt8], _ name: String, _ expected: Int) throws(KeyFlaw) {
    guard bytes.count == expected else {
      throw .malformedMember(name, .length(bytes.count, expected: expected))
    }
  }

  /// A positive number. RFC 7518 section 2 requires the minimum number of octets; Java's `BigInteger` adds a zero
  /// octet if the highest bit of the first octet is set.
  private mutating func number(_ name: String) throws(KeyFlaw) -> [UInt8] {
    let bytes = try bytes(name)
    let digits = Array(bytes.drop { $0 == 0 })
    guard !digits.isEmpty else { throw .malformedMember(name, .zero) }
    if digits.count < bytes.count { note(name, .leadingZero) }
    return digits
  }

  /// Decodes base64url, or base64 with or without padding; refuses a mix of both alphabets.
  private mutating func bytes(_ name: String) throws(KeyFlaw) -> [UInt8] {
    var text = try text(name)
    guard !text.isEmpty else { throw .malformedMember(name, .empty) }
    if let bytes = Base64URL.decode(text) { return bytes }
    var padding = 0
    while padding < 2, text.last == UInt8(ascii: "=") {
      text.removeLast()
      padding += 1
    }
    guard padding == 0 || (text.count + padding) % 4 == 0 else { throw .malformedMember(name, .notBase64) }
    let isStandard = text.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
    if isStandard {
      guard !text.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else {
        throw .malformedMember(name, .notBase64)
      }
      text = text.map {
        $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
      }
    }
    guard !text.isEmpty, let bytes = Base64URL.decode(text) else { throw .malformedMember(name, .notBase64) }
    if padding > 0 { note(name, .padding) }
    if isStandard { note(name, .standardAlphabet) }
    return bytes
  }

  private mutating func note(_ name: String, _ kind: EncodingDeviation.Kind) {
    deviations.append(EncodingDeviation(member: name, kind: kind))
  }
}
