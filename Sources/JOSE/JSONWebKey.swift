import JSON

/// The gate for one member of a key set (RFC 7517 section 4): what passes is a `VerificationKey`.
enum JSONWebKey {
  /// RSA keys under 2048 bits are broken within reach of states (RFC 7518 section 3.3); over 8192 they cost more time
  /// than a caller may spend of ours.
  static let rsaBits = 2048...8192

  /// Exponents above 2^32 slow verification down without any use.
  private static let maximumExponentBytes = 4

  static func key(_ key: JSONValue, policy: KeyPolicy) throws(KeyFlaw) -> VerificationKey {
    guard key.kind == .object else { throw .notAnObject }
    try checkUse(key)
    for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] where key[name] != nil {
      // Its owner has published what he signs with: anybody could have signed.
      throw name == "k" ? .symmetric : .privateKeyPublished
    }
    guard let type = key["kty"]?.utf8 else { throw .malformedMember("kty") }
    let keyID = try keyID(key)
    if type.elementsEqual("RSA".utf8) { return try rsa(key, keyID, policy) }
    if type.elementsEqual("EC".utf8) { return try ec(key, keyID) }
    if type.elementsEqual("OKP".utf8) { return try okp(key, keyID) }
    if type.elementsEqual("oct".utf8) { throw .symmetric }
    throw .unsupportedType
  }

  /// The key's identifier in any key, good or bad, so that duplicates can be counted before bad keys are dropped.
  static func keyID(_ key: JSONValue) throws(KeyFlaw) -> [UInt8]? {
    guard let value = key["kid"] else { return nil }
    guard let bytes = value.utf8, 1...TokenHeader.maximumKeyIDBytes ~= bytes.count else {
      throw .malformedMember("kid")
    }
    return bytes
  }

  /// RFC 7517 sections 4.2 and 4.3: `use` must be "sig", `key_ops` must contain "verify", where they are present.
  private static func checkUse(_ key: JSONValue) throws(KeyFlaw) {
    if let use = key["use"], !use.equals("sig") { throw .notForSignatures }
    guard let operations = key["key_ops"] else { return }
    guard operations.kind == .array else { throw .malformedMember("key_ops") }
    guard operations.elements.contains(where: { $0.equals("verify") }) else { throw .notForSignatures }
  }

  private static func rsa(
    _ key: JSONValue, _ keyID: [UInt8]?, _ policy: KeyPolicy
  ) throws(KeyFlaw) -> VerificationKey {
    let modulus = try bytes(key, "n")
    let exponent = try bytes(key, "e")
    // RFC 7518 section 6.3.1.1: the fewest octets, so a leading zero is another spelling of the same key.
    guard let first = modulus.first, first != 0 else { throw .malformedMember("n") }
    guard exponent.first != 0 else { throw .malformedMember("e") }
    let bits = modulus.count * 8 - first.leadingZeroBitCount
    guard rsaBits ~= bits else { throw .rsaBits(bits) }
    guard exponent.count <= maximumExponentBytes else { throw .rsaExponent }
    let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard value & 1 == 1, value >= policy.minimumRSAExponent else { throw .rsaExponent }
    guard (modulus.last ?? 0) & 1 == 1 else { throw .malformedMember("n") }
    if ROCAFingerprint.matches(modulus) { throw .roca }
    let algorithms = try algorithms(key, fitting: .rsa)
    guard let handle = PublicKeyHandle(rsaModulus: modulus, exponent: exponent) else {
      throw .refusedByLibcrypto
    }
    return VerificationKey(
      keyID: keyID, algorithms: algorithms, bits: bits, modulusBytes: modulus.count, handle: handle)
  }

  private static func ec(_ key: JSONValue, _ keyID: [UInt8]?) throws(KeyFlaw) -> VerificationKey {
    guard let name = key["crv"]?.utf8 else { throw .malformedMember("crv") }
    guard let curve = Curve.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name) }) else {
      throw .unsupportedCurve
    }
    let (x, y) = (try bytes(key, "x"), try bytes(key, "y"))
    // RFC 7518 section 6.2.1.2: the full length of a coordinate, leading zeros kept.
    guard x.count == curve.coordinateBytes else { throw .malformedMember("x") }
    guard y.count == curve.coordinateBytes else { throw .malformedMember("y") }
    let algorithms = try algorithms(key, fitting: .ec(curve))
    guard let handle = PublicKeyHandle(curve: curve, x: x, y: y) else { throw .notOnCurve }
    let bits = curve == .p521 ? 521 : curve.coordinateBytes * 8
    return VerificationKey(keyID: keyID, algorithms: algorithms, bits: bits, modulusBytes: 0, handle: handle)
  }

  private static func okp(_ key: JSONValue, _ keyID: [UInt8]?) throws(KeyFlaw) -> VerificationKey {
    guard let curve = key["crv"] else { throw .malformedMember("crv") }
    guard curve.equals("Ed25519") else { throw .unsupportedCurve }
    let x = try bytes(key, "x")
    guard x.count == 32 else { throw .malformedMember("x") }
    // Before the canonical form, so that a small point is called one in each of its spellings.
    if Ed25519Point.hasSmallOrder(x) { throw .smallOrder }
    // RFC 8032 section 5.1.3: decoding fails for y past the field; libcrypto would reduce it to a second spelling.
    guard Ed25519Point.isCanonical(x) else { throw .malformedMember("x") }
    let algorithms = try algorithms(key, fitting: .okp)
    guard let handle = PublicKeyHandle(ed25519: x) else { throw .refusedByLibcrypto }
    return VerificationKey(keyID: keyID, algorithms: algorithms, bits: 256, modulusBytes: 0, handle: handle)
  }

  /// The JWK's own `alg` where it has one (RFC 7517 section 4.4), else every algorithm of its type: the issuer's list
  /// then chooses, never the token (RFC 8725 section 3.1).
  private static func algorithms(_ key: JSONValue, fitting type: KeyType) throws(KeyFlaw) -> [Algorithm] {
    let fitting = Algorithm.allCases.filter { $0.scheme.keyType == type }
    guard let value = key["alg"] else { return fitting }
    guard let name = value.utf8 else { throw .malformedMember("alg") }
    guard let algorithm = Algorithm(utf8: name), fitting.contains(algorithm) else { throw .algorithmMismatch }
    // RFC 9864 gave the one algorithm of Ed25519 keys a second, fully-specified name.
    return type == .okp ? fitting : [algorithm]
  }

  private static func bytes(_ key: JSONValue, _ name: String) throws(KeyFlaw) -> [UInt8] {
    guard let text = key[name]?.utf8, !text.isEmpty, let bytes = Base64URL.decode(text) else {
      throw .malformedMember(name)
    }
    return bytes
  }
}

/// Why a key of a key set cannot be used. One bad key never spoils the others.
public enum KeyFlaw: Error, Equatable, Sendable {
  case notAnObject
  /// A member is absent, of the wrong type, not canonical base64url or of the wrong length.
  case malformedMember(String)
  /// `use` or `key_ops` says the key is for something else.
  case notForSignatures
  /// Private members stand in the set: whoever read it can sign.
  case privateKeyPublished
  /// A secret in a public document.
  case symmetric
  case unsupportedType, unsupportedCurve
  /// `alg` is unknown or does not fit the key's type and curve.
  case algorithmMismatch
  /// A modulus outside of 2048 to 8192 bits.
  case rsaBits(Int)
  /// An even, tiny or huge public exponent.
  case rsaExponent
  /// The modulus carries the fingerprint of the ROCA generator (CVE-2017-15361).
  case roca
  case notOnCurve
  /// An Ed25519 point of small order: signatures under it prove nothing.
  case smallOrder
  /// Two keys of the set share this key's `kid`.
  case duplicateKeyID
  case refusedByLibcrypto

  /// A stable name for logs, tools and tests.
  public var code: String {
    switch self {
    case .notAnObject: "notAnObject"
    case .malformedMember: "malformedMember"
    case .notForSignatures: "notForSignatures"
    case .privateKeyPublished: "privateKeyPublished"
    case .symmetric: "symmetric"
    case .unsupportedType: "unsupportedType"
    case .unsupportedCurve: "unsupportedCurve"
    case .algorithmMismatch: "algorithmMismatch"
    case .rsaBits: "rsaBits"
    case .rsaExponent: "rsaExponent"
    case .roca: "roca"
    case .notOnCurve: "notOnCurve"
    case .smallOrder: "smallOrder"
    case .duplicateKeyID: "duplicateKeyID"
    case .refusedByLibcrypto: "refusedByLibcrypto"
    }
  }
}
