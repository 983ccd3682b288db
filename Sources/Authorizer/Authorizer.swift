package import FunctionHost
package import IssuerKeys
import JOSE
import JSON

/// Turns the bytes of an event into a decision. Belongs to one thread and shares its keys with other workers; has no
/// socket and no clock.
package struct Authorizer<Transport: KeyTransport> {
  let settings: Settings
  private var credentials: CredentialVerifier<Transport>
  /// The revocation check; `nil` if the configuration has none.
  private var revocations: RevocationCheck?
  private var possession: PossessionCheck
  /// The memory of used proofs; `nil` if the configuration has none.
  private var replays: ReplayCheck?

  /// Creates an authorizer for these settings. Fetches the keys of all issuers without a seed at the same time,
  /// because an environment that cannot answer yet should not count as started.
  ///
  /// If revocations are configured but no source is given, revocations are unknown, and no token of those issuers is
  /// accepted.
  ///
  /// - Parameter now: Unix seconds.
  package init(settings: Settings, transport: Transport, at now: Int64) {
    self.init(settings: settings, transport: transport, revocations: NoRevocationSource(), at: now)
  }

  /// Creates an authorizer with the revocation store that the settings name.
  package init(
    settings: Settings, transport: Transport, revocations source: some RevocationSource, at now: Int64
  ) {
    self.init(
      settings: settings, transport: transport, revocations: source, proofs: NoProofMemory(), at: now)
  }

  /// Creates an authorizer with the stores that the settings name.
  package init(
    settings: Settings, transport: Transport, revocations source: some RevocationSource,
    proofs: some ProofMemory, at now: Int64
  ) {
    self.settings = settings
    possession = PossessionCheck()
    replays = settings.remembersProofs ? proofs.check() : nil
    revocations = settings.revocation.map { $0.check(with: source) }
    credentials = CredentialVerifier(settings, transport, at: now)
  }

  /// The decisions whose token and key ID are hashed, and whose request ID is read. What no log line shows is not
  /// computed.
  package var hashedDecisions = LoggedDecisions.all

  /// The number of signatures that libcrypto has checked.
  package var signatureChecks: Int { credentials.signatureChecks + possession.signatureChecks }

  /// Returns an authorizer for another worker of this process: it shares settings and keys and has its own copy of
  /// the rest. Call it before the worker's thread starts. Returns `nil` if there is no memory for a lock.
  package func forAnotherWorker() -> Authorizer? {
    guard let credentials = credentials.forAnotherWorker(settings) else { return nil }
    var other = self
    other.credentials = credentials
    other.revocations = revocations?.forAnotherWorker()
    other.possession = PossessionCheck()
    other.replays = replays?.forAnotherWorker()
    return other
  }

  /// The number of key set fetches by this worker since the start.
  package var keyFetches: Int { credentials.keyFetches }

  /// Decides about one event.
  ///
  /// - Parameter event: the bytes of the Lambda event.
  package mutating func decide(on event: [UInt8], at time: InvocationTime) -> Decision {
    let fetchesBefore = keyFetches
    let request: AuthorizationRequest
    do {
      request = try AuthorizationRequest(parsing: event)
    } catch {
      return Decision(failure: .invalidEvent, detail: error.description)
    }
    var decision = decide(on: request, at: time)
    decision.eventKind = request.kind
    decision.keyFetches = keyFetches - fetchesBefore
    if request.kind != .restToken, hashedDecisions.contains(decision) {
      decision.apiRequestID = APIRequestID(in: request.event)
    }
    return decision
  }

  /// The number of revocation lookups by this worker since the start.
  package var revocationLookups: Int { revocations?.lookups ?? 0 }

  /// Refreshes keys that are due, and the revocation state of the last caller. Runs after the response and before the
  /// next event, so that no caller waits.
  package mutating func refreshKeys(at time: InvocationTime) {
    credentials.refreshKeys(at: time)
    revocations?.refresh(at: time)
  }

  /// Returns the notices on keys and revocations since the last call.
  package func takeNotices() -> [Notice] {
    // Closures would copy the settings, for each event and nearly always without a notice.
    var notices: [Notice] = []
    for failure in revocations?.takeNotices() ?? [] {
      notices.append(Notice(code: "revocationLookupFailed", issuerName: "", detail: failure))
    }
    for notice in credentials.takeKeyNotices() {
      notices.append(Notice(notice, issuerName: settings[notice.issuer].profile.name))
    }
    return notices
  }

  private mutating func decide(on request: AuthorizationRequest, at time: InvocationTime)
    -> Decision
  {
    let format = ResponseFormat(of: request.kind, settings.answers)
    let credential: Credential
    do {
      credential = try request.credential(in: settings.places)
    } catch {
      if error == .missing, let guest = settings.guest(of: request),
        let decision = try? settings.decision(on: guest, request, format)
      {
        return decision
      }
      return Decision(unauthorized: ReasonCode(error), on: request.arn, format)
    }
    var evidence = TokenEvidence()
    var decision: Decision
    do throws(Obstacle) {
      let token = try verified(credential, at: time, &evidence)
      let proven = try proven(token, in: request, credential, at: time.unixSeconds)
      try checkRevocation(of: token, at: time, &evidence)
      try checkReplay(of: proven, at: time)
      decision = settings.decision(on: proven, request, credential, format)
    } catch {
      switch error {
      case .verification(.rejected(let rejection)):
        decision = Decision(unauthorized: ReasonCode(rejection.code), on: request.arn, format)
        decision.detail = rejection.logDetail
      case .verification(.keysUnavailable):
        decision = Decision(failure: .keysUnavailable, detail: "the issuer's keys cannot be fetched")
      case .revoked:
        decision = Decision(unauthorized: .revoked, on: request.arn, format)
      case .flawed(let flaw):
        decision = Decision(unauthorized: flaw.reason, on: request.arn, format)
        decision.detail = flaw.detail
      case .unproven(let flaw):
        decision = Decision(unauthorized: flaw.reason, on: request.arn, format)
        decision.detail = flaw.detail
      case .replayed:
        decision = Decision(unauthorized: .replayedProof, on: request.arn, format)
      case .storeUnavailable(let detail):
        decision = Decision(failure: .storeUnavailable, detail: detail)
      }
      evidence.issuerName = evidence.claims.flatMap(issuerName)
    }
    if hashedDecisions.contains(decision) {
      decision.tokenHash = credentials.hash(of: credential, evidence)
      if let keyID = evidence.keyID { decision.keyIDHash = credentials.hash(ofKeyID: keyID) }
    }
    decision.issuerName = evidence.issuerName
    decision.notLookedUp = evidence.notLookedUp
    return decision
  }

  private mutating func verified(
    _ credential: Credential, at time: InvocationTime, _ evidence: inout TokenEvidence
  ) throws(Obstacle) -> VerifiedToken {
    do throws(VerificationFailure) {
      return try credentials.verify(credential, settings, at: time, &evidence)
    } catch {
      throw .verification(error)
    }
  }

  /// Checks the revocation after the signature, so that a forged token cannot cause a lookup. Runs also for a token
  /// whose verdict is cached.
  private func checkRevocation(
    of token: VerifiedToken, at time: InvocationTime, _ evidence: inout TokenEvidence
  ) throws(Obstacle) {
    guard let revocations else { return }
    let state = revocations.state(of: token, at: time)
    evidence.notLookedUp = revocations.notLookedUp
    switch state {
    case .good: return
    case .revoked: throw .revoked
    case .flawed(let flaw): throw .flawed(flaw)
    case .unavailable(let detail):
      throw .storeUnavailable("revocations cannot be looked up: " + detail)
    }
  }

  /// Checks what the token is bound to. Runs also for a token whose verdict is cached: a proof is for one request.
  private mutating func proven(
    _ token: VerifiedToken, in request: AuthorizationRequest, _ credential: Credential, at now: Int64
  ) throws(Obstacle) -> ProvenToken {
    do throws(PossessionFlaw) {
      return try possession.proven(token, in: request, credential, settings.proof(of: token.issuer), at: now)
    } catch {
      throw .unproven(error)
    }
  }

  /// Remembers the proof, after all other checks of the credential, so that no rejected request costs a write.
  private func checkReplay(of proven: ProvenToken, at time: InvocationTime) throws(Obstacle) {
    guard let proof = proven.proof, let dpop = settings.proof(of: proven.token.issuer)?.dpop,
      let table = dpop.replay
    else { return }
    // Twice the time in which the proof is valid: clocks of execution environments differ.
    let use = ProofUse(
      fingerprint: proof.fingerprint, table: table,
      expiresAt: time.unixSeconds + 2 * dpop.policy.windowSeconds)
    switch replays?.remember(use, endMilliseconds: time.endMilliseconds) {
    case .first: return
    case .repeated: throw .replayed
    case .unavailable(let detail): throw .storeUnavailable("used proofs cannot be remembered: " + detail)
    case nil: throw .storeUnavailable("used proofs cannot be remembered: no table was given")
    }
  }

  /// Returns the configured name of the issuer that a rejected token claims.
  private func issuerName(_ claims: JSONValue) -> String? {
    guard let issuer = claims["iss"] else { return nil }
    return settings.issuers.first { $0.profile.issuers.contains { issuer.equals($0) } }?.profile.name
  }
}

/// Why a decision ends before the rules are evaluated. Not a type within `Authorizer`: as an error that depends on the
/// transport, it makes the optimizer of Swift 6.3 crash.
private enum Obstacle: Error {
  case verification(VerificationFailure)
  case unproven(PossessionFlaw)
  case revoked
  case flawed(WithdrawalFlaw)
  case replayed
  case storeUnavailable(String)
}

extension Decision {
  /// A decision on a missing, malformed or rejected token.
  init(unauthorized reason: ReasonCode, on arn: MethodARN, _ format: ResponseFormat) {
    self.init(unauthorized: reason, format.answer(unauthorized: reason, on: arn))
  }
}
