package import JSON

extension SigningKey {
  /// The public JWK (RFC 7517, RFC 7518 section 6, RFC 8037 section 2) with `kid`, `alg` and `use`.
  ///
  /// It is `nil` for a secret, which has no public half.
  package var publicJWK: JSONTree? {
    guard let keyType, let members = publicMembers else { return nil }
    return .object(descriptiveMembers(keyType) + members)
  }

  /// The complete key as a JWK, to store in a private file.
  package var privateJWK: JSONTree {
    if case .secret(let bytes) = material {
      return .object(descriptiveMembers("oct") + [Self.member("k", bytes)])
    }
    return .object(descriptiveMembers(keyType ?? "") + (publicMembers ?? []) + privateMembers)
  }

  /// Reads the output of `privateJWK`; ignores unknown members.
  ///
  /// - Throws: `malformedJWK` with the member, `algorithmDoesNotFitKey`, `inconsistentJWK`, or `libcrypto`.
  package init(privateJWK jwk: JSONTree) throws(SigningKeyError) {
    let reader = PrivateJWKReader(jwk: jwk)
    let algorithmName = try reader.text("alg")
    guard let algorithm = SigningAlgorithm(rawValue: algorithmName) else {
      throw .malformedJWK(member: "alg")
    }
    try self.init(id: try reader.text("kid"), algorithm: algorithm, material: try reader.material())
  }

  private var keyType: String? {
    switch material {
    case .rsa: "RSA"
    case .ellipticCurve: "EC"
    case .ed25519: "OKP"
    case .secret: nil
    }
  }

  private func descriptiveMembers(_ keyType: String) -> [JSONTree.Member] {
    [
      .init(name: "kty", value: .string(keyType)), .init(name: "kid", value: .string(id)),
      .init(name: "alg", value: .string(algorithm.rawValue)), .init(name: "use", value: .string("sig")),
    ]
  }

  private var publicMembers: [JSONTree.Member]? {
    switch material {
    case .rsa(let key): RSAComponent.publicComponents.map { Self.member($0.rawValue, key[$0]) }
    case .ellipticCurve(let key):
      [
        .init(name: "crv", value: .string(key.curve.rawValue)), Self.member("x", key.x),
        Self.member("y", key.y),
      ]
    case .ed25519(let key): [.init(name: "crv", value: .string("Ed25519")), Self.member("x", key.x)]
    case .secret: nil
    }
  }

  private var privateMembers: [JSONTree.Member] {
    switch material {
    case .rsa(let key):
      RSAComponent.allCases.filter { !RSAComponent.publicComponents.contains($0) }
        .map { Self.member($0.rawValue, key[$0]) }
    case .ellipticCurve(let key): [Self.member("d", key.d)]
    case .ed25519(let key): [Self.member("d", key.d)]
    case .secret(let bytes): [Self.member("k", bytes)]
    }
  }

  private static func member(_ name: String, _ bytes: [UInt8]) -> JSONTree.Member {
    .init(name: name, value: .string(Base64URL.text(bytes)))
  }
}

/// Reads the members of a private JWK and checks their lengths.
private struct PrivateJWKReader {
  let jwk: JSONTree

  func material() throws(SigningKeyError) -> KeyMaterial {
    switch try text("kty") {
    case "RSA":
      return .rsa(try RSAKeyMaterial { component throws(SigningKeyError) in try number(component.rawValue) })
    case "EC":
      guard let curve = EllipticCurve(rawValue: try text("crv")) else { throw .malformedJWK(member: "crv") }
      let length = curve.coordinateByteCount
      return .ellipticCurve(
        EllipticCurveKeyMaterial(
          curve: curve, x: try bytes("x", count: length), y: try bytes("y", count: length),
          d: try bytes("d", count: length)))
    case "OKP":
      guard try text("crv") == "Ed25519" else { throw .malformedJWK(member: "crv") }
      let length = Ed25519KeyMaterial.byteCount
      return .ed25519(
        Ed25519KeyMaterial(x: try bytes("x", count: length), d: try bytes("d", count: length)))
    case "oct": return .secret(try bytes("k"))
    default: throw .malformedJWK(member: "kty")
    }
  }

  func text(_ member: String) throws(SigningKeyError) -> String {
    guard case .string(let text)? = jwk[member] else { throw .malformedJWK(member: member) }
    return text
  }

  private func bytes(_ member: String, count: Int? = nil) throws(SigningKeyError) -> [UInt8] {
    guard let bytes = Base64URL.decode(Array(try text(member).utf8)), bytes.count == count ?? bytes.count
    else { throw .malformedJWK(member: member) }
    return bytes
  }

  /// A positive number in the minimum number of bytes (Base64urlUInt, RFC 7518 section 2).
  private func number(_ member: String) throws(SigningKeyError) -> [UInt8] {
    let bytes = try bytes(member)
    guard let first = bytes.first, first != 0 else { throw .malformedJWK(member: member) }
    return bytes
  }
}
