@testable internal import JOSE
internal import Bytes
internal import JSON
@testable internal import TestTokens

/// Properties of base64url, the compact serialization and the checks that need no key.
enum CompactJWSProperties {
  /// Checks the bytes as base64url, as a compact JWS, and as header, payload and signature on one line each, composed
  /// to a JWS: mutations of plain JSON get further than mutations of base64url.
  static func check(_ bytes: [UInt8]) throws(Finding) {
    try checkBase64URL(bytes)
    try checkCompact(bytes)
    let parts = bytes.split(separator: .lineFeed, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return }
    try checkComposed(Array(parts[0]), Array(parts[1]), Array(parts[2]))
  }

  private static func checkBase64URL(_ bytes: [UInt8]) throws(Finding) {
    let decoded = JOSE.Base64URL.decode(bytes)
    try Finding.unless(decoded == TestTokens.Base64URL.decode(bytes), "two decoders agree")
    if let decoded {
      try Finding.unless(
        TestTokens.Base64URL.encode(decoded) == bytes, "only the canonical spelling is accepted")
    }
    let encoded = TestTokens.Base64URL.encode(bytes)
    try Finding.unless(JOSE.Base64URL.decode(encoded) == bytes, "decoding reverses encoding")
    let framed = [0x2E] + encoded + [0x2E]
    try Finding.unless(
      JOSE.Base64URL.decode(framed, in: 1..<framed.count - 1) == bytes,
      "a range decodes without its surroundings")
  }

  private static func checkCompact(_ text: [UInt8]) throws(Finding) {
    let token: CompactJWS
    do throws(TokenRejection) {
      token = try CompactJWS(parsing: text)
    } catch {
      return try checkRefusal(error, of: text)
    }
    let segments = text.split(separator: .dot, omittingEmptySubsequences: false).map { Array($0) }
    guard segments.count == 3, let header = TestTokens.Base64URL.decode(segments[0]) else {
      throw Finding(property: "a compact JWS has three segments")
    }
    // Each segment has one spelling: its decoded bytes encode to the same text.
    try Finding.unless(TestTokens.Base64URL.encode(header) == segments[0], "the header has one spelling")
    try Finding.unless(
      TestTokens.Base64URL.encode(token.unverifiedPayload) == segments[1], "the payload has one spelling")
    try Finding.unless(
      !token.signature.isEmpty && TestTokens.Base64URL.encode(token.signature) == segments[2],
      "the signature has one spelling")
    try Finding.unless(
      Array(token.text[token.signingInput]) == segments[0] + [0x2E] + segments[1],
      "the signing input is the header and payload as sent")
    try checkHeader(token.header, header)
  }

  private static func checkRefusal(_ rejection: TokenRejection, of text: [UInt8]) throws(Finding) {
    switch rejection {
    case .malformedToken(.illegalByte(let offset)):
      try Finding.unless(text.indices.contains(offset), "the offset lies in the token")
    case .malformedToken(.json(_, let error)):
      try Finding.unless(0...text.count ~= error.offset, "the offset lies in the segment")
    case .malformedToken, .encryptedToken, .algorithmNotAllowed: break
    default: throw Finding(property: "a parser refuses only malformed tokens, but: \(rejection)")
    }
  }

  private static func checkHeader(_ header: TokenHeader, _ bytes: [UInt8]) throws(Finding) {
    guard let tree = try? JSONTree(parsing: bytes, limits: .token) else {
      throw Finding(property: "an accepted header is JSON")
    }
    try Finding.unless(tree["alg"] == .string(header.algorithm.rawValue), "alg equals the header's")
    for name in ["crit", "b64", "enc", "zip"] {
      try Finding.unless(tree[name] == nil, "a header with \(name) is refused")
    }
    guard let keyID = header.keyID else {
      return try Finding.unless(tree["kid"] == nil, "a kid is not ignored")
    }
    try Finding.unless(
      1...256 ~= keyID.count && tree["kid"] == .string(String(decoding: keyID, as: UTF8.self)),
      "kid equals the header's")
  }

  private static func checkComposed(
    _ header: [UInt8], _ payload: [UInt8], _ signature: [UInt8]
  ) throws(Finding) {
    let segments = [header, payload, signature].map { TestTokens.Base64URL.encode($0) }
    let text = Array(segments.joined(separator: [0x2E]))
    try checkCompact(text)
    let token: UnverifiedToken
    do throws(TokenRejection) {
      token = try UnverifiedToken(parsing: text)
    } catch {
      switch error {
      case .malformedToken(.illegalByte), .malformedToken(.segments), .malformedToken(.base64url):
        throw Finding(property: "a composed token is in compact form, but: \(error)")
      default: return
      }
    }
    try Finding.unless(token.jws.unverifiedPayload == payload, "the payload equals the composed one")
    try Finding.unless(token.jws.signature == signature, "the signature equals the composed one")
    try checkCandidate(token)
  }

  /// Reversed, since of two profiles with one issuer the first is chosen, and the access tokens of Cognito have the
  /// rarer form of audience.
  private static let profiles = TokenPreset.examples.reversed().compactMap {
    try? IssuerPreset(parsing: $0)
  }.compactMap { preset in
    try? IssuerProfile(
      name: preset.name, issuers: preset.issuers,
      audience: preset.audienceIsClientID ? .clientID(["api"]) : .audience([preset.fixedAudience ?? "api"]),
      algorithms: preset.algorithms, types: preset.types,
      maximumLifetimeSeconds: preset.maximumLifetimeSeconds, maximumAgeSeconds: 600,
      claimRules: preset.claimRules)
  }

  private static let now: Int64 = 1_800_000_000

  private static func checkCandidate(_ token: UnverifiedToken) throws(Finding) {
    let verifier = TokenVerifier(profiles: profiles)
    let candidate: CandidateToken
    do throws(TokenRejection) {
      candidate = try verifier.candidate(token, at: now)
    } catch {
      return try Finding.unless(error.code != .signatureMismatch, "no signature is checked without a key")
    }
    let profile = candidate.profile
    try Finding.unless(
      profile.algorithms.contains { $0.isSameSignature(as: token.header.algorithm) },
      "the algorithm is in the issuer's list")
    try Finding.unless(
      profile.issuers.contains { token.unverifiedClaims["iss"]?.equals($0) == true },
      "the issuer is the token's")
    let expiry = token.unverifiedClaims["exp"]?.number?.bounds?.floor ?? 0
    try Finding.unless(expiry > now - profile.leewaySeconds, "an expired token is no candidate")
    if let start = token.unverifiedClaims["nbf"] {
      let begin = start.number?.bounds?.ceiling ?? .max
      try Finding.unless(
        begin <= now + profile.leewaySeconds, "a token that is not yet valid is no candidate")
    }
  }
}
