public import JSON

/// A parsed, unverified JWS in compact serialization (RFC 7515 section 7.1).
///
/// Parsing has a size limit and uses no cryptography.
public struct CompactJWS: Sendable {
  /// The header parameters that the verifier uses (RFC 7515 section 4.1).
  public let header: TokenHeader
  /// The payload's bytes. Unverified.
  public let unverifiedPayload: [UInt8]
  /// The compact text.
  let text: [UInt8]
  /// The range of `text` that the signature covers: header, dot and payload.
  let signingInput: Range<Int>
  let signature: [UInt8]

  /// 16 KiB. API Gateway accepts at most 10,240 bytes of headers (API Gateway quotas), and less for a query.
  public static let maximumBytes = 16 << 10

  /// Parses a compact JWS.
  ///
  /// - Parameter text: the bytes of the token, without scheme or white space.
  /// - Throws: `malformedToken`, `encryptedToken` or `algorithmNotAllowed`.
  public init(parsing text: [UInt8]) throws(TokenRejection) {
    try Self.checkSize(text)
    let (firstDot, secondDot) = try Self.dots(in: text)
    let headerBytes = try Self.bytes(of: .header, text, 0..<firstDot)
    header = try TokenHeader(try Self.object(headerBytes, .header))
    signature = try Self.signature(text, after: secondDot)
    unverifiedPayload = try Self.bytes(of: .payload, text, firstDot + 1..<secondDot)
    self.text = text
    signingInput = 0..<secondDot
  }

  static func checkSize(_ text: [UInt8]) throws(TokenRejection) {
    guard text.count <= maximumBytes else {
      throw .malformedToken(.tooLarge(bytes: text.count, limit: maximumBytes))
    }
  }

  /// The offsets of the two dots. Counts all dots without storing more than two offsets.
  static func dots(in text: [UInt8]) throws(TokenRejection) -> (Int, Int) {
    var (first, second, count, start) = (0, 0, 0, 0)
    while true {
      let end = Base64URL.end(in: text, from: start)
      guard end < text.count else { break }
      guard text[end] == 0x2E else { throw .malformedToken(.illegalByte(offset: end)) }
      count += 1
      if count == 1 { first = end } else if count == 2 { second = end }
      start = end + 1
    }
    // Five segments are a JWE (RFC 7516 section 7.1).
    if count == 4 { throw .encryptedToken }
    guard count == 2 else { throw .malformedToken(.segments(count + 1)) }
    return (first, second)
  }

  /// The signature. An unsecured JWS has none, but its `alg` has been rejected before this call.
  static func signature(_ text: [UInt8], after dot: Int) throws(TokenRejection) -> [UInt8] {
    guard dot + 1 < text.count else { throw .malformedToken(.empty(.signature)) }
    return try bytes(of: .signature, text, dot + 1..<text.count)
  }

  static func bytes(
    of segment: TokenFlaw.Segment, _ text: [UInt8], _ range: Range<Int>
  ) throws(TokenRejection) -> [UInt8] {
    guard let bytes = Base64URL.decode(text, in: range) else { throw .malformedToken(.base64url(segment)) }
    return bytes
  }

  /// Parses a segment as an object of strict JSON.
  static func object(
    _ bytes: [UInt8], _ segment: TokenFlaw.Segment
  ) throws(TokenRejection) -> JSONValue {
    guard !bytes.isEmpty else { throw .malformedToken(.empty(segment)) }
    let root: JSONValue
    do {
      root = try JSONDocument(parsing: bytes, limits: .token).root
    } catch {
      throw .malformedToken(.json(segment, code: error.code, offset: error.offset))
    }
    guard root.kind == .object else { throw .malformedToken(.notAnObject(segment)) }
    return root
  }
}

/// A parsed, unverified JWT.
///
/// The payload is read before the signature is checked, since `iss` selects the issuer. Do not trust any claim until
/// `TokenVerifier` has verified the token.
public struct UnverifiedToken: Sendable {
  /// The signed text.
  public let jws: CompactJWS
  /// The claims, an object of strict JSON. Unverified.
  public let unverifiedClaims: JSONValue

  /// Parses a token.
  ///
  /// - Parameter text: the bytes of the token, without scheme or white space.
  /// - Throws: `malformedToken`, `encryptedToken` or `algorithmNotAllowed`.
  public init(parsing text: [UInt8]) throws(TokenRejection) {
    jws = try CompactJWS(parsing: text)
    unverifiedClaims = try CompactJWS.object(jws.unverifiedPayload, .payload)
  }

  /// The header parameters that the verifier uses.
  public var header: TokenHeader { jws.header }
}
