import Bytes
package import JSON

/// A parsed, unverified JWS in compact serialization (RFC 7515 section 7.1).
///
/// Parsing has a size limit and uses no cryptography.
package struct CompactJWS: Sendable {
  /// The header parameters that the verifier uses (RFC 7515 section 4.1).
  package let header: TokenHeader
  /// The payload's bytes. Unverified.
  package let unverifiedPayload: [UInt8]
  /// The compact text.
  let text: [UInt8]
  /// The range of `text` that the signature covers: header, dot and payload.
  let signingInput: Range<Int>
  let signature: [UInt8]

  /// 16 KiB. API Gateway accepts at most 10,240 bytes of headers (API Gateway quotas), and less for a query.
  package static let maximumBytes = 16 << 10
}

extension CompactJWS {
  /// Parses a compact JWS.
  ///
  /// - Parameter text: the bytes of the token, without scheme or white space.
  /// - Throws: `malformedToken`, `encryptedToken` or `algorithmNotAllowed`.
  package init(parsing text: [UInt8]) throws(TokenRejection) {
    var recorder = FirstFailure()
    let form = try TokenForm(text, &recorder)
    self = try form.jws(payload: try form.payload())
  }
}

/// A parsed, unverified JWT.
///
/// The payload is read before the signature is checked, since `iss` selects the issuer. Do not trust any claim until
/// `TokenVerifier` has verified the token.
package struct UnverifiedToken: Sendable {
  /// The signed text.
  package let jws: CompactJWS
  /// The claims, an object of strict JSON. Unverified.
  package let unverifiedClaims: JSONValue
  /// Whether the header is that of a verified token, which was not parsed again.
  let hasKnownHeader: Bool

  /// Parses a token.
  ///
  /// - Parameter text: the bytes of the token, without scheme or white space.
  /// - Throws: `malformedToken`, `encryptedToken` or `algorithmNotAllowed`.
  package init(parsing text: [UInt8]) throws(TokenRejection) {
    var recorder = FirstFailure()
    let form = try TokenForm(text, &recorder)
    let payload = try form.claims(&recorder).get()
    jws = try form.jws(payload: payload.bytes)
    unverifiedClaims = payload.claims
    hasKnownHeader = false
  }

  /// The header parameters that the verifier uses.
  package var header: TokenHeader { jws.header }

  /// Parses a token with the header of a verified token; `nil` if the rest of it is malformed.
  ///
  /// Makes the checks of `TokenForm` for the other two segments. After `nil` the caller parses the whole token, which
  /// gives the reason.
  init?(parsing text: [UInt8], withHeaderOf known: VerifiedHeaders.Entry) {
    let start = known.segment.count
    let dot = text.span.firstIndex(of: .dot, from: start)
    // No segment with another dot can be decoded.
    guard text.count <= CompactJWS.maximumBytes, dot + 1 < text.count,
      let payload = Base64URL.decode(text, in: start..<dot),
      let signature = Base64URL.decode(text, in: dot + 1..<text.count),
      let claims = try? JSONDocument(parsing: payload, limits: .token).root, claims.kind == .object
    else { return nil }
    jws = CompactJWS(
      header: known.header, unverifiedPayload: payload, text: text, signingInput: 0..<dot,
      signature: signature)
    unverifiedClaims = claims
    hasKnownHeader = true
  }
}
