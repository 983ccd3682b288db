/// One check of a token. `TokenForm` and `TokenChecks` have their order.
package enum TokenCheck: Equatable, Sendable {
  /// The token is not larger than the limit.
  case size
  /// Three segments of base64url characters (RFC 7515 section 7.1); five are a JWE.
  case segments
  /// The first segment is canonical base64url of a JSON object.
  case header
  /// The header requires no unsupported feature: `crit`, `b64`, encryption, nesting.
  case headerMembers
  /// `alg` is an algorithm that this library supports.
  case algorithmName
  /// `kid` is absent or a short text.
  case keyID
  /// `typ` is absent or a text.
  case typeName
  /// The third segment is canonical base64url.
  case signatureEncoding
  /// The second segment is canonical base64url of a JSON object.
  case payload
  /// `iss` is a configured issuer. The checks below use the profile of that issuer.
  case issuer
  /// `alg` is one of the issuer's algorithms.
  case algorithm
  /// `kid` is present; only for issuers whose tokens all have it.
  case requiredKeyID
  /// `typ` is one of the issuer's types.
  case type
  /// `exp` is in the future.
  case expiry
  /// `nbf` is not in the future.
  case notBefore
  /// `iat` is not in the future.
  case issuedAt
  /// `exp` − `iat` is within the issuer's limit; only if there is one.
  case lifetime
  /// The time since `iat` is within the issuer's limit; only if there is one.
  case age
  /// The issuer has exactly one key that fits `kid` and `alg`.
  case key
  /// That key made the signature.
  case signature
  /// `aud`, or `client_id`, is a configured audience.
  case audience
  /// A rule that distinguishes this kind of token from the issuer's other tokens.
  case rule(ClaimRule)
  /// `sub` is a valid identifier; only if the issuer's tokens have a subject.
  case subject
  /// The configured principal claim is a valid identifier; only if it is not the `sub` that was checked already.
  case principal(ClaimPath)
  /// `cnf` is valid and binds the token to nothing that is not checked; not if the issuer's bindings are ignored.
  case binding

  /// A stable name for `--json` output and tests.
  package var name: String {
    switch self {
    case .size: "size"
    case .segments: "segments"
    case .header: "header"
    case .headerMembers: "headerMembers"
    case .algorithmName: "algorithmName"
    case .keyID: "keyID"
    case .typeName: "typeName"
    case .signatureEncoding: "signatureEncoding"
    case .payload: "payload"
    case .issuer: "issuer"
    case .algorithm: "algorithm"
    case .requiredKeyID: "requiredKeyID"
    case .type: "type"
    case .expiry: "expiry"
    case .notBefore: "notBefore"
    case .issuedAt: "issuedAt"
    case .lifetime: "lifetime"
    case .age: "age"
    case .key: "key"
    case .signature: "signature"
    case .audience: "audience"
    case .rule: "rule"
    case .subject: "subject"
    case .principal: "principal"
    case .binding: "binding"
    }
  }
}
