import JSON

/// Validates one member of a key set (RFC 7517 section 4) and returns it as a `VerificationKey`.
enum JSONWebKey {
  /// RSA keys below 2048 bits are too weak (RFC 7518 section 3.3). Keys above 8192 bits take too much time for each
  /// signature check.
  static let rsaBits = 2048...8192

  /// Exponents above 2^32 slow verification down without a benefit.
  private static let maximumExponentBytes = 4

  static func key(_ key: JSONValue, policy: KeyPolicy) throws(KeyFlaw) -> VerificationKey {
    guard key.kind == .object else { throw .notAnObject }
    try checkUse(key)
    if let flaw = privateFlaw(of: key) { throw flaw }
    guard let type = key["kty"] else { throw .malformedMember("kty", .missing) }
    guard type.utf8 != nil else { throw .malformedMember("kty", .notText) }
    let keyID = try keyID(key)
    var reader = KeyMaterialReader(key)
    let material = try reader.material()
    let sound = try sound(material, key, policy)
    return VerificationKey(
      keyID: keyID, algorithms: sound.algorithms, bits: sound.bits, material: material,
      deviations: reader.deviations, handle: sound.handle)
  }

  /// The flaw of a key with a private member: the private key is published, so a signature proves nothing.
  static func privateFlaw(of key: JSONValue) -> KeyFlaw? {
    guard let name = privateMember(key) else { return nil }
    return name == "k" ? .symmetric : .privateKeyPublished
  }

  /// The key's identifier, also of a key that is unusable for other reasons.
  static func keyID(_ key: JSONValue) throws(KeyFlaw) -> [UInt8]? {
    guard let value = key["kid"] else { return nil }
    guard let bytes = value.utf8 else { throw .malformedMember("kid", .notText) }
    guard !bytes.isEmpty else { throw .malformedMember("kid", .empty) }
    guard bytes.count <= TokenHeader.maximumKeyIDBytes else {
      throw .malformedMember("kid", .tooLong(limit: TokenHeader.maximumKeyIDBytes))
    }
    return bytes
  }

  /// The public half of a key whose private half is in the set, also if the key has other flaws.
  static func materialWithPrivateHalf(_ key: JSONValue) -> KeyMaterial? {
    guard key.kind == .object, let name = privateMember(key), name != "k" else { return nil }
    var reader = KeyMaterialReader(key)
    return try? reader.material()
  }

  /// The first private member of a key (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1).
  private static func privateMember(_ key: JSONValue) -> String? {
    ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].first { key[$0] != nil }
  }

  /// RFC 7517 sections 4.2 and 4.3: if present, `use` must be "sig" and `key_ops` must contain "verify".
  private static func checkUse(_ key: JSONValue) throws(KeyFlaw) {
    if let use = key["use"], !use.equals("sig") { throw .notForSignatures(member: "use") }
    guard let operations = key["key_ops"] else { return }
    guard operations.kind == .array else { throw .malformedMember("key_ops", .notAList) }
    guard operations.elements.contains(where: { $0.equals("verify") }) else {
      throw .notForSignatures(member: "key_ops")
    }
  }

  /// Key material that passed all checks.
  private struct Sound {
    let algorithms: [Algorithm]
    let bits: Int
    let handle: PublicKeyHandle
  }

  private static func sound(
    _ material: KeyMaterial, _ key: JSONValue, _ policy: KeyPolicy
  ) throws(KeyFlaw) -> Sound {
    switch material {
    case .rsa(let modulus, let exponent):
      let bits = try soundBits(modulus, exponent, policy)
      let algorithms = try algorithms(key, fitting: .rsa)
      guard let handle = PublicKeyHandle(rsaModulus: modulus, exponent: exponent) else {
        throw .refusedByLibcrypto
      }
      return Sound(algorithms: algorithms, bits: bits, handle: handle)
    case .ec(let curve, let x, let y):
      let algorithms = try algorithms(key, fitting: .ec(curve))
      guard let handle = PublicKeyHandle(curve: curve, x: x, y: y) else { throw .notOnCurve }
      return Sound(
        algorithms: algorithms, bits: curve == .p521 ? 521 : curve.coordinateBytes * 8, handle: handle)
    case .ed25519(let x):
      // This check runs before the canonical form, so that every encoding of a small point is reported as a small
      // point.
      if Ed25519Point.hasSmallOrder(x) { throw .smallOrder }
      // RFC 8032 section 5.1.3: decoding fails for y past the field. libcrypto would reduce y, which allows two
      // encodings.
      guard Ed25519Point.isCanonical(x) else { throw .malformedMember("x", .notCanonical) }
      let algorithms = try algorithms(key, fitting: .okp)
      guard let handle = PublicKeyHandle(ed25519: x) else { throw .refusedByLibcrypto }
      return Sound(algorithms: algorithms, bits: 256, handle: handle)
    }
  }

  private static func soundBits(
    _ modulus: [UInt8], _ exponent: [UInt8], _ policy: KeyPolicy
  ) throws(KeyFlaw) -> Int {
    let bits = modulus.count * 8 - (modulus.first ?? 0).leadingZeroBitCount
    guard rsaBits ~= bits else { throw .rsaBits(bits) }
    guard exponent.count <= maximumExponentBytes else { throw .rsaExponent }
    let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard value & 1 == 1, value >= policy.minimumRSAExponent else { throw .rsaExponent }
    guard (modulus.last ?? 0) & 1 == 1 else { throw .malformedMember("n", .even) }
    if ROCAFingerprint.matches(modulus) { throw .roca }
    return bits
  }

  /// The JWK's own `alg` if it has one (RFC 7517 section 4.4), else every algorithm of its type. In that case the
  /// issuer's list decides, never the token (RFC 8725 section 3.1).
  private static func algorithms(_ key: JSONValue, fitting type: KeyType) throws(KeyFlaw) -> [Algorithm] {
    let fitting = Algorithm.allCases.filter { $0.scheme.keyType == type }
    guard let value = key["alg"] else { return fitting }
    guard let name = value.utf8 else { throw .malformedMember("alg", .notText) }
    guard let algorithm = Algorithm(utf8: name), fitting.contains(algorithm) else { throw .algorithmMismatch }
    // RFC 9864 defines a second, fully-specified name for the algorithm of Ed25519 keys.
    return type == .okp ? fitting : [algorithm]
  }
}
