/// Why a configured secret is refused: every reader of the template knows or can guess it, and could sign tokens.
///
/// HMAC secrets of issuers and the nonce secret are checked, from variables and files. Random bytes, and random
/// hexadecimal, base64 and base64url, are refused by chance less than once in a million. Random text with all
/// punctuation may look like `${name}`: it is refused about once in 5,000 with 32 characters, in 500 with 1,024, and in
/// 150 with 4,096. A refusal at deployment is better than a reference that signs tokens.
package enum UnresolvedSecret: Error, Equatable, Sendable {
  /// A reference that a deployment tool should have replaced: the kind of reference, for the message.
  case reference(String)
  /// A placeholder such as `<replace me>`.
  case placeholder
  /// A key that a standard, a tutorial or a tool publishes.
  case published
  /// Text in UTF-16, which another reader of the same file does not turn into the same bytes.
  case utf16
  /// Bytes with a constant step, such as `0123456789`.
  case sequence
  /// Fewer different bytes than ``minimumDistinctBytes``.
  case repetition(distinctBytes: Int)
  /// A repeated text of this length in bytes, which is as easy to guess as that text alone.
  case repeated(bytes: Int)

  /// The minimum number of different bytes in a secret. 32 random decimal digits have fewer once in 17 million.
  package static let minimumDistinctBytes = 6

  /// The message: what is wrong and what to do. It never contains a part of the secret.
  package var description: String {
    switch self {
    case .reference(let kind):
      "\(kind) that was not resolved, not a secret; let the deployment replace it with the secret"
    case .placeholder: "a placeholder, not a secret; replace it with random bytes"
    case .published: "a published key, not a secret; use random bytes"
    case .utf16: "text in UTF-16; save the file as ASCII or UTF-8"
    case .sequence: "bytes with a constant step, not a secret; use random bytes"
    case .repetition(let count):
      "too few different bytes: \(count), at least \(Self.minimumDistinctBytes) are needed; use random bytes"
    case .repeated(let count): "a repeated text of \(count) bytes, not a secret; use random bytes"
    }
  }

  /// Finds a reference or a placeholder; `nil` if the text may be a secret.
  ///
  /// Does not check for repetition, so that the caller can first report a secret that is too short.
  ///
  /// - Parameter text: the configured text. Spaces, a byte order mark and quotation marks around it are ignored.
  package init?(text: [UInt8]) { self.init(SecretText(trimming: text)) }

  /// Finds a reference, a placeholder, or bytes that repeat; `nil` if the bytes may be a secret.
  ///
  /// - Parameter bytes: the key for signatures, or the text from which it is decoded.
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
    } else if [bytes, text.bytes, Self.decoded(text.bytes)].contains(where: Self.isSequence) {
      self = .sequence
    } else {
      return nil
    }
  }

  private init?(_ text: SecretText) {
    if text.isUTF16 {
      self = .utf16
    } else if let kind = text.referenceKind {
      self = .reference(kind)
    } else if text.isPlaceholder {
      self = .placeholder
    } else if text.isPublished {
      self = .published
    } else {
      return nil
    }
  }

  /// Whether at least seven in eight differences between neighbors are the same number, modulo 256 and not 0.
  private static func isSequence(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 16 else { return false }
    var counts = [Int](repeating: 0, count: 256)
    for (byte, next) in zip(bytes, bytes.dropFirst()) { counts[Int(next &- byte)] += 1 }
    return counts.dropFirst().contains { 8 * $0 >= 7 * (bytes.count - 1) }
  }

  /// Returns the bytes of a hexadecimal text; none if it is not one.
  private static func decoded(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for byte in text {
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: return []
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return high == nil ? bytes : []
  }

  /// Returns the shortest period in bytes if it occurs at least twice in full; `nil` otherwise.
  ///
  /// Runs in linear time: the failure function of Knuth, Morris and Pratt gives the longest border, and the rest is
  /// the shortest period.
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
