import Bytes

/// The requirements for proofs of one issuer's tokens.
package struct ProofPolicy: Equatable, Sendable {
  /// The accepted algorithms, all asymmetric.
  package let algorithms: [Algorithm]
  /// The longest time since `iat` in seconds.
  package let maximumAgeSeconds: Int64
  /// The tolerance for clock differences in seconds, on both sides.
  package let leewaySeconds: Int64

  /// The algorithms of clients that generate a key for each device.
  package static let defaultAlgorithms: [Algorithm] = [.es256, .edDSA]
  /// 60 s: a proof is made for one request.
  package static let defaultMaximumAgeSeconds: Int64 = 60
  /// 1 to 300 s: the longest window of the libraries in the field (Auth0's and oauth4webapi's).
  package static let maximumAgeRange: ClosedRange<Int64> = 1...300
  /// 5 s: clocks that NTP sets differ by less.
  package static let defaultLeewaySeconds: Int64 = 5
  /// 0 to 60 s.
  package static let leewayRange: ClosedRange<Int64> = 0...60

  /// `nil` for no algorithm, a symmetric one, or a number out of its range.
  package init?(
    algorithms: [Algorithm] = defaultAlgorithms, maximumAgeSeconds: Int64 = defaultMaximumAgeSeconds,
    leewaySeconds: Int64 = defaultLeewaySeconds
  ) {
    guard !algorithms.isEmpty, !algorithms.contains(where: { $0.isSymmetric }),
      Self.maximumAgeRange ~= maximumAgeSeconds, Self.leewayRange ~= leewaySeconds
    else { return nil }
    self.algorithms = algorithms
    self.maximumAgeSeconds = maximumAgeSeconds
    self.leewaySeconds = leewaySeconds
  }

  /// How long a proof is valid at most, in seconds: from the leeway before its `iat` to the leeway after its age.
  package var windowSeconds: Int64 { maximumAgeSeconds + 2 * leewaySeconds }
}

/// The request that a proof must have been made for.
package struct ProofTarget: Equatable, Sendable {
  let method: [UInt8]
  let path: RequestPath
  let origins: [WebOrigin]

  /// Creates a target.
  ///
  /// - Parameters:
  ///   - method: the method, compared byte for byte (RFC 9110 section 9.1: methods are case-sensitive).
  ///   - path: the path as the client sent it.
  ///   - mayBeDecoded: whether the path may be percent-decoded instead.
  ///   - origins: the origins under which clients reach the API.
  /// - Returns: `nil` if a part is empty, or if the path cannot be compared.
  package init?(method: [UInt8], path: [UInt8], mayBeDecoded: Bool = false, origins: [WebOrigin]) {
    guard !method.isEmpty, !origins.isEmpty, let path = RequestPath(path, mayBeDecoded: mayBeDecoded) else {
      return nil
    }
    self.method = method
    self.path = path
    self.origins = origins
  }
}

/// A proof that was verified for one request and one token. Only `PossessionVerifier` can create one.
package struct VerifiedProof: Sendable {
  /// The SHA-256 of key, identifier and URL: two proofs with the same one are the same proof.
  package let fingerprint: [UInt8]

  fileprivate init(fingerprint: [UInt8]) { self.fingerprint = fingerprint }
}

/// Verifies that the caller has the key or the certificate that a token is bound to.
///
/// It keeps neither keys nor proofs. Use a verifier from one thread only.
package struct PossessionVerifier {
  private let digester: Digester
  /// The number of signatures of proofs that libcrypto has checked.
  package private(set) var signatureChecks = 0

  /// `nil` if libcrypto is out of memory.
  package init?() {
    guard let digester = Digester() else { return nil }
    self.digester = digester
  }

  /// Verifies a proof for a request with this token. Makes at most one signature check.
  ///
  /// - Parameters:
  ///   - text: the value of the `DPoP` header.
  ///   - target: the request; `nil` if the event does not name it.
  ///   - token: the bytes of the token, without scheme.
  ///   - thumbprint: the token's `cnf.jkt`.
  ///   - now: Unix seconds.
  package mutating func verify(
    _ text: [UInt8], for target: ProofTarget?, token: [UInt8], boundTo thumbprint: Thumbprint,
    _ policy: ProofPolicy, at now: Int64
  ) throws(ProofFlaw) -> VerifiedProof {
    let proof = try DPoPProof(parsing: text, algorithms: policy.algorithms)
    guard let target else { throw .requestUnknown }
    guard proof.method == target.method else { throw .wrongMethod }
    guard target.path.isPath(of: proof.url), target.origins.contains(proof.url.origin) else {
      throw .wrongURL
    }
    try proof.times.check(policy, at: now)
    guard let hash = digester.digest(.sha256, of: token[...]).flatMap({ Thumbprint(digest: $0) }),
      proof.tokenHash?.matches(hash) == true
    else { throw .wrongToken }
    // Before libcrypto loads the key: a caller can make it load no other key than the client's own.
    guard let found = proof.key.thumbprint(digester), found.matches(thumbprint) else { throw .wrongKey }
    try proof.key.checkSignature(of: proof.jws, &signatureChecks)
    let parts = [thumbprint.text, proof.identifier, proof.url.text]
    guard let fingerprint = digester.fingerprint(of: parts) else { throw .signatureMismatch }
    return VerifiedProof(fingerprint: fingerprint)
  }

  /// Whether this certificate is the one that a token is bound to (RFC 8705 section 3), compared in constant time.
  package func isBound(_ thumbprint: Thumbprint, to certificate: ClientCertificate) -> Bool {
    let digest = digester.digest(.sha256, of: certificate.encoding[...])
    return digest.flatMap { Thumbprint(digest: $0) }?.matches(thumbprint) ?? false
  }
}
