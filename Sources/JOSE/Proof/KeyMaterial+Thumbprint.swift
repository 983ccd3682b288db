import Bytes

extension KeyMaterial {
  /// The text whose SHA-256 is the thumbprint of the key: the required members in the order of their names, without
  /// white space (RFC 7638 section 3.2, RFC 8037 section 2).
  var thumbprintInput: [UInt8] {
    let members: [(name: String, value: [UInt8])]
    switch self {
    case .rsa(let modulus, let exponent):
      members = [
        ("e", Base64URL.encode(exponent)), ("kty", Array("RSA".utf8)), ("n", Base64URL.encode(modulus)),
      ]
    case .ec(let curve, let x, let y):
      members = [
        ("crv", Array(curve.rawValue.utf8)), ("kty", Array("EC".utf8)), ("x", Base64URL.encode(x)),
        ("y", Base64URL.encode(y)),
      ]
    case .ed25519(let x):
      members = [
        ("crv", Array("Ed25519".utf8)), ("kty", Array("OKP".utf8)), ("x", Base64URL.encode(x)),
      ]
    }
    // No value needs an escape: all are base64url or names of curves and key types.
    var text: [UInt8] = [.openingBrace]
    for (index, member) in members.enumerated() {
      if index > 0 { text.append(.comma) }
      text.append(.quote)
      text += member.name.utf8
      text += [.quote, .colon, .quote]
      text += member.value
      text.append(.quote)
    }
    text.append(.closingBrace)
    return text
  }
}
