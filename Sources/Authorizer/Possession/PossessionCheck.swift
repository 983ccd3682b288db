import JOSE
import JSON

/// Checks that the caller has the key or the certificate that its token is bound to, and that a token which is not
/// bound comes without a proof.
///
/// Runs for each request, also for a token whose verdict is cached: a proof is valid for one request.
struct PossessionCheck {
  private var verifier = PossessionVerifier()

  /// The number of signatures of proofs that were checked.
  var signatureChecks: Int { verifier?.signatureChecks ?? 0 }

  /// Returns the token after checking what it is bound to.
  ///
  /// - Parameters:
  ///   - settings: what is checked for this issuer; `nil` if nothing is: its tokens are then not bound, or their
  ///     bindings are ignored.
  ///   - now: Unix seconds.
  mutating func proven(
    _ token: VerifiedToken, in request: AuthorizationRequest, _ credential: Credential,
    _ settings: ProofSettings?, at now: Int64
  ) throws(PossessionFlaw) -> ProvenToken {
    guard let settings else { return ProvenToken(token: token, proof: nil) }
    let confirmation = token.confirmation
    guard confirmation.key != nil || confirmation.certificate != nil else {
      if settings.required { throw .notBound }
      try Self.checkUnbound(request, credential, settings)
      return ProvenToken(token: token, proof: nil)
    }
    guard request.carriesProofs else { throw .eventWithoutProof }
    var proof: VerifiedProof?
    if let thumbprint = confirmation.key {
      guard let dpop = settings.dpop, credential.isDPoP else { throw .schemeWithoutProof }
      proof = try verified(request, credential, boundTo: thumbprint, dpop, at: now)
    } else {
      try Self.checkUnbound(request, credential, settings)
    }
    if let thumbprint = confirmation.certificate { try check(thumbprint, request) }
    return ProvenToken(token: token, proof: proof)
  }

  /// Rejects the signs of DPoP around a token that is not bound to a key: a client that proves a key has another token
  /// in mind (RFC 9449 sections 7.1 and 7.2).
  private static func checkUnbound(
    _ request: AuthorizationRequest, _ credential: Credential, _ settings: ProofSettings
  ) throws(PossessionFlaw) {
    if credential.isDPoP { throw .schemeOfUnboundToken }
    if settings.dpop != nil, !request.proofs.isEmpty { throw .invalidProof(.unboundToken) }
  }

  private mutating func verified(
    _ request: AuthorizationRequest, _ credential: Credential, boundTo thumbprint: Thumbprint,
    _ dpop: DPoPSettings, at now: Int64
  ) throws(PossessionFlaw) -> VerifiedProof {
    let proofs = request.proofs
    guard let first = proofs.first else { throw .noProof }
    guard proofs.count == 1 else { throw .invalidProof(.repeated) }
    guard let text = first else { throw .invalidProof(.form(.malformedToken)) }
    do throws(ProofFlaw) {
      guard
        let proof = try verifier?.verify(
          text, for: request.proofTarget(dpop.origins), token: credential.token, boundTo: thumbprint,
          dpop.policy,
          at: now)
      else { throw .signatureMismatch }
      return proof
    } catch {
      throw .invalidProof(error)
    }
  }

  private func check(_ thumbprint: Thumbprint, _ request: AuthorizationRequest) throws(PossessionFlaw) {
    guard let value = request.clientCertificate else { throw .noCertificate }
    guard let certificate = value.utf8.flatMap({ ClientCertificate(pem: $0) }) else {
      throw .malformedCertificate
    }
    guard verifier?.isBound(thumbprint, to: certificate) == true else { throw .otherCertificate }
  }
}

/// A verified token whose caller has what it is bound to, if its issuer's bindings are checked. Only
/// `PossessionCheck` can create one, and only this type gets an answer that allows anything.
struct ProvenToken {
  let token: VerifiedToken
  /// The proof; `nil` if the token is not bound to a key.
  let proof: VerifiedProof?

  fileprivate init(token: VerifiedToken, proof: VerifiedProof?) {
    self.token = token
    self.proof = proof
  }
}

/// Why a caller has not proven the possession of what a token is bound to. None of these reasons is final: the next
/// request may have a proof.
enum PossessionFlaw: Error, Equatable {
  /// A bound token in an event that cannot contain a proof.
  case eventWithoutProof
  /// A token bound to a key with another scheme than `DPoP`, or without one.
  case schemeWithoutProof
  /// The issuer's tokens must be bound, and this one is not.
  case notBound
  /// The scheme `DPoP` with a token that is not bound to a key.
  case schemeOfUnboundToken
  /// No `DPoP` header.
  case noProof
  case invalidProof(ProofFlaw)
  /// The event has no client certificate.
  case noCertificate
  /// The certificate is not one PEM block.
  case malformedCertificate
  case otherCertificate

  var reason: ReasonCode {
    switch self {
    case .eventWithoutProof, .schemeWithoutProof: .boundToken
    case .notBound, .schemeOfUnboundToken, .noProof: .missingProof
    case .invalidProof: .invalidProof
    case .noCertificate, .malformedCertificate, .otherCertificate: .certificateMismatch
    }
  }

  /// The detail for the log line: our own text.
  var detail: String {
    switch self {
    case .eventWithoutProof: "TOKEN and WebSocket events contain neither a proof nor a client certificate"
    case .schemeWithoutProof: "a token bound by cnf.jkt needs the scheme DPoP in a header"
    case .notBound: "the token is not bound, and \"required\" is true for this issuer"
    case .schemeOfUnboundToken: "the scheme is DPoP, and the token is not bound by cnf.jkt"
    case .noProof: "the request has no DPoP header"
    case .invalidProof(let flaw): flaw.description
    case .noCertificate: "the event has no client certificate"
    case .malformedCertificate: "clientCertPem is not exactly one certificate"
    case .otherCertificate: "the client certificate is not the one in cnf.x5t#S256"
    }
  }
}
