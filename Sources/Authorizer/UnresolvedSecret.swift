/// Why the bytes of a configured secret are refused: whoever reads the template knows or guesses them, and could sign.
///
/// Checked for the HMAC secrets of issuers and for the nonce secret, from variables and files. Random bytes, and random hexadecimal,
/// base64 and base64url, are refused by chance less than once in a million. Random text with all punctuation is refused about twice in
/// ten thousand, where it looks like `${name}`: a refusal at deployment is better than a reference that signs tokens.
package enum UnresolvedSecret: Error, Equatable, Sendable {
  /// A reference that a deploy tool should have replaced: what kind of reference, for people.
  case reference(String)
  /// A text such as `<replace me>` that stands for a secret.
  case placeholder
  /// The number of different bytes is below ``minimumDistinctBytes``.
  case repetition(distinctBytes: Int)
  /// A text of so many bytes, repeated: as easy to guess as that text alone.
  case repeated(bytes: Int)

  /// Our minimum of different bytes in a secret. 32 random decimal digits have fewer once in 17 million.
  package static let minimumDistinctBytes = 6

  /// What is wrong and what to do about it; never a part of the secret.
  package var description: String {
    switch self {
    case .reference(let kind):
      "\(kind) that was not resolved: its text is no secret; have the deployment put the value in its place"
    case .placeholder: "a placeholder, not a secret: put random bytes in its place"
    case .repetition(let count):
      "\(count) different bytes are too few for a secret, which needs \(Self.minimumDistinctBytes): use random bytes"
    case .repeated(let count): "a text of \(count) bytes, repeated, is no secret: use random bytes"
    }
  }

  /// Finds a reference or a placeholder; `nil` for what may be a secret.
  ///
  /// Does not look for repetition, so that a reader can report a length that is too small first.
  ///
  /// - Parameter text: as it was configured. Blanks, a byte order mark and quotation marks around it do not count.
  package init?(text: [UInt8]) { self.init(SecretText(trimming: text)) }

  /// Finds a reference, a placeholder, or bytes that repeat; `nil` for what may be a secret.
  ///
  /// - Parameter bytes: what signs, or the text that it is decoded from.
  package init?(bytes: [UInt8]) {
    let text = SecretText(trimming: bytes)
    if let flaw = UnresolvedSecret(text) {
      self = flaw
      return
    }
    var isThere = [Bool](repeating: false, count: 256)
    for byte in bytes { isThere[Int(byte)] = true }
    let count = isThere.reduce(0) { $1 ? $0 + 1 : $0 }
    if count < Self.minimumDistinctBytes {
      self = .repetition(distinctBytes: count)
    } else if let period = Self.period(of: bytes) ?? Self.period(of: text.bytes) {
      self = .repeated(bytes: period)
    } else {
      return nil
    }
  }

  private init?(_ text: SecretText) {
    if let kind = text.referenceKind {
      self = .reference(kind)
    } else if text.isPlaceholder {
      self = .placeholder
    } else {
      return nil
    }
  }

  /// The number of bytes after which everything repeats, at least once in full; `nil` for none.
  ///
  /// In linear time: the failure function of Knuth, Morris and Pratt gives the longest border, and the rest is the shortest period.
  private static func period(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= 2 else { return nil }
    var borders = [Int](repeating: 0, count: bytes.count)
    var border = 0
    for index in 1..<bytes.count {
      while border > 0, bytes[index] != bytes[border] { border = borders[border - 1] }
      if bytes[index] == bytes[border] { border += 1 }
      borders[index] = border
    }
    let period = bytes.count - border
    return period <= bytes.count / 2 ? period : nil
  }
}
