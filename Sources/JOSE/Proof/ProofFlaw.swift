/// One check of a DPoP proof (RFC 9449 section 4.3), in the order of the checks. The signature is last, so that a
/// proof that is wrong for any other reason costs no cryptography.
package enum ProofCheck: String, CaseIterable, Sendable {
  /// The request has exactly one `DPoP` header, of at most `DPoPProof.maximumBytes`.
  case header
  /// The header is a compact JWS whose header and payload are objects of strict JSON.
  case form
  /// `typ` is `dpop+jwt`.
  case type
  /// `alg` is one of the configured algorithms.
  case algorithm
  /// `jwk` is a public key without a private member.
  case key
  /// `jti`, `htm`, `htu`, `iat` and `ath` are present, and each has its form.
  case claims
  /// `htm` is the method of the request.
  case method
  /// `htu` is the URL of the request.
  case url
  /// `iat` is within the window.
  case time
  /// `ath` is the hash of the token.
  case token
  /// The thumbprint of `jwk` is the `cnf.jkt` of the token.
  case thumbprint
  /// The key in `jwk` is strong enough and made the signature.
  case signature
}

/// Why a DPoP proof is rejected. Contains nothing from the proof.
package enum ProofFlaw: Error, Equatable, Sendable {
  /// More than one `DPoP` header, or a comma in it.
  case repeated
  /// More bytes than the limit.
  case tooLarge
  /// A proof beside a token that is not bound to a key.
  case unboundToken
  /// Not a compact JWS of strict JSON.
  case form(TokenRejection.Code)
  case wrongType
  case algorithmNotAllowed
  /// `jwk` is absent or not an object.
  case keyMissing
  /// The key has a private member or an invalid one, or does not fit `alg`.
  case keyRefused(KeyFlaw)
  /// The key is too weak.
  case keyUnusable(KeyFlaw)
  /// A claim is absent.
  case missingClaim(String)
  /// A claim has a type or value that its definition does not allow.
  case malformedClaim(String)
  case wrongMethod
  case wrongURL
  /// The event does not name the URL of the request, or its path cannot be compared.
  case requestUnknown
  case tooOld
  case inFuture
  case wrongToken
  case wrongKey
  case signatureMismatch

  /// The check that failed.
  package var check: ProofCheck {
    switch self {
    case .repeated, .tooLarge, .unboundToken: .header
    case .form: .form
    case .wrongType: .type
    case .algorithmNotAllowed: .algorithm
    case .keyMissing, .keyRefused: .key
    case .missingClaim, .malformedClaim: .claims
    case .wrongMethod: .method
    case .wrongURL, .requestUnknown: .url
    case .tooOld, .inFuture: .time
    case .wrongToken: .token
    case .wrongKey: .thumbprint
    case .keyUnusable, .signatureMismatch: .signature
    }
  }

  /// The failed check and the reason, for logs: our own text.
  package var description: String { check.rawValue + ": " + reason }

  private var reason: String {
    switch self {
    case .repeated: "more than one DPoP header, or a comma in it"
    case .tooLarge: "more than \(DPoPProof.maximumBytes) bytes"
    case .unboundToken: "a DPoP header beside a token that is not bound to a key"
    case .form(let code): "not a compact JWS of strict JSON (\(code.rawValue))"
    case .wrongType: "typ is not dpop+jwt"
    case .algorithmNotAllowed: "alg is not one of the configured algorithms"
    case .keyMissing: "the header has no jwk"
    case .keyRefused(let flaw), .keyUnusable(let flaw): "jwk is refused (\(flaw.code))"
    case .missingClaim(let name): name + " is missing"
    case .malformedClaim(let name): name + " is malformed"
    case .wrongMethod: "htm is not the method of the request"
    case .wrongURL: "htu is not the URL of the request"
    case .requestUnknown:
      "the event has no method, path or domain name that can be compared; \"origins\" replaces the domain name"
    case .tooOld: "iat, exp or the window has passed"
    case .inFuture: "iat or nbf is in the future"
    case .wrongToken: "ath is not the hash of the token"
    case .wrongKey: "the thumbprint of jwk is not cnf.jkt"
    case .signatureMismatch: "jwk did not make the signature"
    }
  }
}
