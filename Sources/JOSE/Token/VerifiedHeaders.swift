import Bytes

/// The headers of tokens that a verifier has verified. A later token with one of them is not parsed for its header again.
///
/// The tokens that an issuer signs with one key usually have the same header, byte for byte, and the meaning of a header
/// depends on its bytes alone. Only a verified token adds its header, so that callers without a valid token cannot
/// replace those of others.
struct VerifiedHeaders {
  private var entries: [Entry] = []
  /// The number of headers added so far.
  private var added = 0

  /// 8, as issuers sign with two or three keys at a time. At this limit the oldest header is replaced.
  static let maximumHeaders = 8
  /// 512 bytes, several times the header of any known issuer.
  static let maximumBytes = 512

  /// One header. A class, because it is found for each token and then referred to, not copied.
  final class Entry: Sendable {
    /// The first segment of the token, and the dot after it.
    let segment: [UInt8]
    let header: TokenHeader
    /// The fingerprint of the header's key identifier, if it has one.
    let keyIDFingerprint: [UInt8]?

    init(segment: [UInt8], header: TokenHeader, keyIDFingerprint: [UInt8]?) {
      self.segment = segment
      self.header = header
      self.keyIDFingerprint = keyIDFingerprint
    }
  }

  /// The header of a token; `nil` if no verified token had it.
  func entry(for text: [UInt8]) -> Entry? {
    let text = text.span
    for entry in entries {
      let segment = entry.segment
      guard text.count > segment.count else { continue }
      if text.extracting(first: segment.count).equals(segment.span) { return entry }
    }
    return nil
  }

  /// The fingerprint of a key identifier; `nil` if no verified token had it.
  func fingerprint(ofKeyID keyID: [UInt8]) -> [UInt8]? {
    for entry in entries {
      if let known = entry.header.keyID, known.span.equals(keyID.span) { return entry.keyIDFingerprint }
    }
    return nil
  }

  /// Adds the header of a verified token, unless it is longer than `maximumBytes`. No entry may have it.
  mutating func insert(_ jws: CompactJWS, keyIDFingerprint: [UInt8]?) {
    let end = jws.text.span.firstIndex(of: .dot, from: 0) + 1
    guard end <= Self.maximumBytes else { return }
    let entry = Entry(
      segment: Array(copying: jws.text, in: 0..<end), header: jws.header,
      keyIDFingerprint: keyIDFingerprint)
    if entries.count < Self.maximumHeaders {
      entries.append(entry)
    } else {
      entries[added % Self.maximumHeaders] = entry
    }
    added += 1
  }
}
