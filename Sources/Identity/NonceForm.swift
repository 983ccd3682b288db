import JOSE

/// How a token carries the nonce of its request: native clients send Apple its hash, web clients often the nonce
/// itself.
enum NonceForm {
  case hashed, exact

  /// - Throws: if the token does not carry this nonce.
  init(of nonce: [UInt8], in token: VerifiedToken) throws(NonceFlaw) {
    do throws(NonceFlaw) {
      try token.checkNonce(.sha256Hexadecimal(of: nonce))
      self = .hashed
    } catch {
      guard error == .mismatch else { throw error }
      try token.checkNonce(.exact(nonce))
      self = .exact
    }
  }

  /// The SHA-256 under which a nonce's use is stored: the same for every form in which a token's nonce may be
  /// presented.
  ///
  /// A token whose claim is a hash can be presented with the hashed text or, by someone who has only the token, with
  /// the hash itself. Both are the same use.
  ///
  /// - Parameter sha256: returns the hash of a text.
  func digest(of nonce: [UInt8], sha256: ([UInt8]) -> [UInt8]) -> [UInt8] {
    switch self {
    case .hashed: sha256(nonce)
    case .exact: Self.digest(in: nonce) ?? sha256(nonce)
    }
  }

  /// The 32 bytes of 64 lower-case hexadecimal digits; `nil` for anything else.
  private static func digest(in text: [UInt8]) -> [UInt8]? {
    guard text.count == 64 else { return nil }
    var bytes: [UInt8] = []
    for (index, character) in text.enumerated() {
      let digit: UInt8
      switch character {
      case 0x30...0x39: digit = character - 0x30
      case 0x61...0x66: digit = character - 0x61 + 10
      default: return nil
      }
      if index % 2 == 0 { bytes.append(digit << 4) } else { bytes[index / 2] |= digit }
    }
    return bytes
  }
}
