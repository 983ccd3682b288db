public import FunctionHost
public import IssuerKeys
import JOSE
import JSON

/// Turns the bytes of an event into a decision. Belongs to one thread and shares its keys with other workers; has no
/// socket and no clock.
public struct Authorizer<Transport: KeyTransport> {
  let settings: Settings
  private var verifier: TokenVerifier
  private var keys: KeyCache<Transport>
  private var verdicts: VerdictCache
  /// The revocation check; `nil` if the configuration has none.
  private var revocations: RevocationCheck?

  /// Creates an authorizer for these settings. Fetches the keys of all issuers without a seed at the same time,
  /// because an environment that cannot answer yet should not count as started.
  ///
  /// If revocations are configured but no source is given, revocations are unknown, and no token of those issuers is
  /// accepted.
  ///
  /// - Parameter now: Unix seconds.
  public init(settings: Settings, transport: Transport, at now: Int64) {
    self.init(settings: settings, transport: transport, revocations: NoRevocationSource(), at: now)
  }

  /// Creates an authorizer with the revocation store that the settings name.
  public init(
    settings: Settings, transport: Transport, revocations source: some RevocationSource, at now: Int64
  ) {
    self.settings = settings
    revocations = settings.revocation.map { $0.check(with: source) }
    verifier = TokenVerifier(profiles: settings.issuers.map { $0.profile })
    verdicts = VerdictCache(entries: settings.verdictCacheEntries)
    keys = KeyCache(settings.keySources, transport: transport, now: now)
    keys.fillEmpty(at: now, budget: FetchBudget(deadlineMilliseconds: nil, nowMilliseconds: 0))
  }

  /// The decisions whose token and key ID are hashed, and whose request ID is read. What no log line shows is not
  /// computed.
  public var hashedDecisions = LoggedDecisions.all

  /// The number of signatures that libcrypto has checked.
  public var signatureChecks: Int { verifier.signatureChecks }

  /// Returns an authorizer for another worker of this process: it shares settings and keys and has its own copy of
  /// the rest. Call it before the worker's thread starts. Returns `nil` if there is no memory for a lock.
  public func forAnotherWorker() -> Authorizer? {
    guard let keys = keys.forAnotherWorker() else { return nil }
    var other = self
    other.keys = keys
    other.revocations = revocations?.forAnotherWorker()
    other.verifier = TokenVerifier(profiles: settings.issuers.map { $0.profile })
    other.verdicts = VerdictCache(entries: settings.verdictCacheEntries)
    return other
  }

  /// The number of key set fetches by this worker since the start.
  public var keyFetches: Int { keys.fetches }

  /// Decides about one event.
  ///
  /// - Parameters:
  ///   - event: the bytes of the Lambda event.
  ///   - now: Unix seconds.
  ///   - budget: how long a key fetch may take, if one is needed.
  public mutating func decide(on event: [UInt8], at now: Int64, budget: FetchBudget) -> Decision {
    let fetchesBefore = keys.fetches
    let request: AuthorizationRequest
    do {
      request = try AuthorizationRequest(parsing: event)
    } catch {
      return Decision(failure: .invalidEvent, detail: error.description)
    }
    var decision = decide(on: request, at: now, budget)
    decision.eventKind = request.kind
    decision.keyFetches = keys.fetches - fetchesBefore
    if request.kind != .restToken, hashedDecisions.contains(decision) {
      decision.apiRequestID = APIRequestID(in: request.event)
    }
    return decision
  }

  /// The number of revocation lookups by this worker since the start.
  public var revocationLookups: Int { revocations?.lookups ?? 0 }

  /// Refreshes keys that are due, and the revocation state of the last caller. Runs after the response and before the
  /// next event, so that no caller waits.
  public mutating func refreshKeys(at now: Int64, budget: FetchBudget) {
    keys.refresh(at: now, budget: budget)
    revocations?.refresh(at: now, budget: budget)
  }

  /// Returns the notices on keys and revocations since the last call.
  public func takeNotices() -> [Notice] {
    let failures = (revocations?.takeNotices() ?? []).map {
      Notice(code: "revocationLookupFailed", issuerName: "", detail: $0)
    }
    return failures
      + keys.takeNotices().map { Notice($0, issuerName: settings[$0.issuer].profile.name) }
  }

  private mutating func decide(on request: AuthorizationRequest, at now: Int64, _ budget: FetchBudget)
    -> Decision
  {
    let format = ResponseFormat(of: request.kind, settings.answers)
    let credential: Credential
    do {
      credential = try request.credential(in: settings.places)
    } catch {
      return Decision(unauthorized: ReasonCode(error), on: request.target, format)
    }
    var evidence = Evidence()
    var decision: Decision
    do throws(Obstacle) {
      let token = try knownOrVerified(credential, at: now, budget, &evidence)
      try checkRevocation(of: token, at: now, budget)
      decision = settings.decision(on: token, request, credential, format)
    } catch {
      switch error {
      case .verification(.rejected(let rejection)):
        decision = Decision(unauthorized: ReasonCode(rejection.code), on: request.target, format)
        decision.detail = rejection.logDetail
      case .verification(.keysUnavailable):
        decision = Decision(failure: .keysUnavailable, detail: "the issuer's keys cannot be fetched")
      case .revoked:
        decision = Decision(unauthorized: .revoked, on: request.target, format)
      case .storeUnavailable(let detail):
        decision = Decision(
          failure: .storeUnavailable, detail: "revocations cannot be looked up: " + detail)
      }
      evidence.issuerName = evidence.claims.flatMap(issuerName)
    }
    if hashedDecisions.contains(decision) {
      let digest = evidence.digest ?? verifier.digest(credential.token[...])
      decision.tokenHash = TokenVerifier.fingerprint(ofDigest: digest)
      decision.keyIDHash = evidence.keyID.map { verifier.fingerprint($0[...]) }
    }
    decision.issuerName = evidence.issuerName
    return decision
  }

  /// Why a decision ends before the rules are evaluated.
  private enum Obstacle: Error {
    case verification(VerificationFailure)
    case revoked
    case storeUnavailable(String)
  }

  private mutating func knownOrVerified(
    _ credential: Credential, at now: Int64, _ budget: FetchBudget, _ evidence: inout Evidence
  ) throws(Obstacle) -> VerifiedToken {
    do throws(VerificationFailure) {
      if let known = try remembered(credential, at: now, budget, &evidence) { return known }
      return try verified(credential, at: now, budget, &evidence)
    } catch {
      throw .verification(error)
    }
  }

  /// Checks the revocation after the signature, so that a forged token cannot cause a lookup. Runs also for a token
  /// whose verdict is cached.
  private func checkRevocation(
    of token: VerifiedToken, at now: Int64, _ budget: FetchBudget
  ) throws(Obstacle) {
    switch revocations?.state(of: token, at: now, budget: budget) {
    case nil, .good: return
    case .revoked: throw .revoked
    case .unavailable(let detail): throw .storeUnavailable(detail)
    }
  }

  /// Returns the cached verdict on a token if it still holds: the times of the token are still valid and the issuer's
  /// key is the same object. `nil` if the token must be verified again.
  ///
  /// - Throws: the failure that the key lookup alone decides, so that the lookup is not repeated.
  private mutating func remembered(
    _ credential: Credential, at now: Int64, _ budget: FetchBudget, _ evidence: inout Evidence
  ) throws(VerificationFailure) -> VerifiedToken? {
    guard verdicts.isEnabled, credential.token.count <= VerdictCache.maximumTokenBytes else { return nil }
    let digest = verifier.digest(credential.token[...])
    evidence.digest = digest
    guard let entry = verdicts.entry(for: digest), (try? verifier.recheck(entry.token, at: now)) != nil,
      settings.accepts(credential, claims: entry.token.claims)
    else { return nil }
    evidence.keyID = entry.header.keyID
    evidence.claims = entry.token.claims
    evidence.issuerName = entry.token.issuerName
    // A secret never changes.
    guard let key = entry.key else { return entry.token }
    do throws(KeyLookupFailure) {
      return try keys.key(of: entry.token.issuer, entry.header, at: now, budget: budget) === key
        ? entry.token : nil
    } catch {
      throw error == .unavailable ? .keysUnavailable : .rejected(.unknownKey)
    }
  }

  private mutating func verified(
    _ credential: Credential, at now: Int64, _ budget: FetchBudget, _ evidence: inout Evidence
  ) throws(VerificationFailure) -> VerifiedToken {
    let (header, token, key) = try verifiedAnew(credential, at: now, budget, &evidence)
    if let digest = evidence.digest {
      verdicts.insert(VerdictCache.Entry(digest: digest, header: header, token: token, key: key))
    }
    return token
  }

  private mutating func verifiedAnew(
    _ credential: Credential, at now: Int64, _ budget: FetchBudget, _ evidence: inout Evidence
  ) throws(VerificationFailure) -> (TokenHeader, VerifiedToken, VerificationKey?) {
    let candidate: CandidateToken
    do throws(TokenRejection) {
      let token = try UnverifiedToken(parsing: credential.token)
      evidence.keyID = token.header.keyID
      evidence.claims = token.unverifiedClaims
      guard settings.accepts(credential, claims: token.unverifiedClaims) else {
        throw .malformedToken(.scheme)
      }
      candidate = try verifier.candidate(token, at: now)
    } catch {
      throw .rejected(error)
    }
    evidence.issuerName = candidate.profile.name
    guard keys.covers(candidate.issuer) else {
      return (candidate.token.header, try verifiedWithSecret(candidate, at: now), nil)
    }
    let (token, key) = try keys.verify(candidate, by: &verifier, at: now, budget: budget)
    return (candidate.token.header, token, key)
  }

  private mutating func verifiedWithSecret(
    _ candidate: CandidateToken, at now: Int64
  ) throws(VerificationFailure) -> VerifiedToken {
    guard case .secret(let secret) = settings[candidate.issuer].keys else {
      throw .keysUnavailable
    }
    do throws(TokenRejection) {
      return try verifier.verify(candidate, with: secret, at: now)
    } catch {
      throw .rejected(error)
    }
  }

  /// Returns the configured name of the issuer that a rejected token claims.
  private func issuerName(_ claims: JSONValue) -> String? {
    guard let issuer = claims["iss"] else { return nil }
    return settings.issuers.first { $0.profile.issuers.contains { issuer.equals($0) } }?.profile.name
  }

  /// The parts of a token that a log line may contain.
  private struct Evidence {
    var digest: [UInt8]?
    var keyID: [UInt8]?
    var claims: JSONValue?
    var issuerName: String?
  }
}

extension Decision {
  /// A decision on a missing, malformed or rejected token.
  init(unauthorized reason: ReasonCode, on target: DecisionTarget, _ format: ResponseFormat) {
    self.init(unauthorized: reason, format.answer(unauthorized: reason, on: target))
  }
}
