/// One check of the verifier; the order here is the order in which they are made.
public enum TokenCheck: Equatable, Sendable {
  /// No more bytes than a token may have.
  case size
  /// Three segments of base64url characters (RFC 7515 section 7.1); five are a JWE.
  case segments
  /// The first segment is canonical base64url of a JSON object.
  case header
  /// The header asks for nothing that this verifier does not do: `crit`, `b64`, encryption, nesting.
  case headerMembers
  /// `alg` names an algorithm that this library knows.
  case algorithmName
  /// `kid` is absent or a short text.
  case keyID
  /// `typ` is absent or a text.
  case typeName
  /// The third segment is canonical base64url.
  case signatureEncoding
  /// The second segment is canonical base64url of a JSON object.
  case payload
  /// `iss` is a configured issuer; what follows is compared with what that issuer's tokens look like.
  case issuer
  /// `alg` is one of the issuer's algorithms.
  case algorithm
  /// `kid` is present; made only where every token of the issuer has it.
  case requiredKeyID
  /// `typ` is one of the issuer's types.
  case type
  /// `exp` lies ahead.
  case expiry
  /// `nbf` has come.
  case notBefore
  /// `iat` has come.
  case issuedAt
  /// `exp` − `iat` is within the issuer's limit; made only where there is one.
  case lifetime
  /// The time since `iat` is within the issuer's limit; made only where there is one.
  case age
  /// The issuer has one key that fits `kid` and `alg`.
  case key
  /// The signature was made with that key.
  case signature
  /// `aud`, or `client_id`, is a configured audience.
  case audience
  /// A rule that tells this kind of token from the issuer's others.
  case rule(ClaimRule)
  /// `sub` is a text that can name somebody; made only where the tokens speak of a subject.
  case subject
  /// So is the claim that the issuer's configuration takes for the principal; made only where that was not checked yet.
  case principal(ClaimPath)
  /// `cnf` binds the token to nothing; made only where the issuer's configuration refuses bound tokens.
  case binding

  /// A stable name for `--json` output and tests.
  public var name: String {
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

/// What a token is checked with.
public enum VerificationMaterial: Sendable {
  /// The public keys of the issuer.
  case keys(KeySet)
  /// A secret shared with the issuer.
  case secret(SharedSecret)
}
