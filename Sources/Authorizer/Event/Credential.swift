import Bytes

/// The one token of a request, and whether it has the scheme `DPoP`.
struct Credential {
  let token: [UInt8]
  /// Whether the scheme is `DPoP` (RFC 9449 section 7.1). It is accepted only for issuers that check or ignore
  /// bindings to a key; that is decided once the issuer is known.
  let isDPoP: Bool

  /// Parses the value of a header: the scheme in any case, one space, one token (RFC 6750 section 2.1, RFC 9110
  /// section 11.4).
  ///
  /// HTTP APIs join repeated headers with a comma, which no token contains. Such a value counts as two credentials.
  ///
  /// - Parameter acceptsDPoP: whether `DPoP` is accepted beside `Bearer`.
  init(header value: ArraySlice<UInt8>, acceptsDPoP: Bool) throws(CredentialFlaw) {
    guard value.contains(where: { $0 != .space && $0 != .tab }) else { throw .missing }
    let isDPoP = acceptsDPoP && Self.begins(value, with: Self.dpop)
    guard isDPoP || Self.begins(value, with: Self.bearer) else { throw .malformed }
    // Most values contain no comma and are scanned once.
    if let token = Self.visible(value.span, from: (isDPoP ? Self.dpop : Self.bearer).utf8CodeUnitCount) {
      self.token = token
      self.isDPoP = isDPoP
      return
    }
    var rest = value
    while let comma = rest.firstIndex(of: .comma) {
      rest = rest[(comma + 1)...].drop { $0 == .space || $0 == .tab }
      if Self.begins(rest, with: Self.bearer) || (acceptsDPoP && Self.begins(rest, with: Self.dpop)) {
        throw .ambiguous
      }
    }
    throw .malformed
  }

  /// Parses the value of a cookie or a query parameter: the token without a scheme.
  init(bare value: [UInt8]) throws(CredentialFlaw) {
    guard let token = Self.visible(value.span, from: 0) else { throw .malformed }
    self.token = token
    isDPoP = false
  }

  /// Returns the bytes from `start` on if they are visible ASCII without a comma, which joins two values; no token
  /// needs more.
  private static func visible(_ bytes: Span<UInt8>, from start: Int) -> [UInt8]? {
    guard start < bytes.count else { return nil }
    // Collected without a branch: nearly every token is valid to its last byte.
    var wrong: UInt8 = 0
    for index in start..<bytes.count {
      let byte = bytes[index]
      // 0x5E bytes from 0x21 to 0x7E.
      wrong |= (byte &- 0x21 < 0x5E ? 0 : 1) | (byte == .comma ? 1 : 0)
    }
    guard wrong == 0 else { return nil }
    return Array(copying: bytes.extracting(start..<bytes.count))
  }

  private static let bearer: StaticString = "bearer "
  private static let dpop: StaticString = "dpop "

  private static func begins(_ value: ArraySlice<UInt8>, with scheme: StaticString) -> Bool {
    let count = scheme.utf8CodeUnitCount
    return value.count >= count
      && scheme.equals(ignoringASCIICase: value.span.extracting(0..<count))
  }
}
